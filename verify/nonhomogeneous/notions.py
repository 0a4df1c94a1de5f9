"""Weaker notions than k matchings: what an adversary who counts less can see."""

from dataclasses import dataclass

import numpy as np

from starmin.verify.graphs.anonymity_graph import AnonymityGraph
from starmin.verify.graphs.flow import maximum_flow


@dataclass(frozen=True)
class WeakerNotions:
    """The largest k for which each weaker notion of anonymity holds.

    References
    ----------
    Gionis, Mazza and Tassa (2008), k-Anonymization revisited.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> public = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["1"]], qi=["a"])
    >>> WeakerNotions.of(AnonymityGraph.of(released, public))
    WeakerNotions(one_k=1, k_one=1, k_k=1, global_one_k=1)
    """

    one_k: int  # (1,k): every original agrees with k released rows at least
    k_one: int  # (k,1): every released row agrees with k originals at least
    k_k: int  # (k,k), both: the paper's Condition 1, the least degree of the graph
    # global (1,k): every original has k released rows that some perfect matching pairs
    # it with; 0 where there is no perfect matching
    global_one_k: int

    @classmethod
    def of(cls, graph: AnonymityGraph) -> "WeakerNotions":
        """Compute what the weaker notions see in an anonymity graph."""
        one_k, k_one = (int(degrees.min()) for degrees in graph.degrees)
        return cls(one_k, k_one, min(one_k, k_one), _global_one_k(graph))


def _global_one_k(graph: AnonymityGraph) -> int:
    r"""Return the fewest partners that an original has in perfect matchings.

    Given one perfect matching, an edge is in some perfect matching if and only if
    its ends are in one strongly connected component of the graph in which edges go
    from originals to released rows and those of the matching go both ways.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    tails, heads = graph.edges
    public, released = graph.public.counts, graph.released.counts
    m, size = len(public), len(public) + len(released)
    if len(tails) == 0 or public.sum() != released.sum():
        return 0
    room = np.minimum(public[tails], released[heads])
    flow = maximum_flow(tails, heads, room, public, released)
    if flow.total < public.sum():
        return 0
    back = flow.amounts > 0
    arcs = (
        np.concatenate([tails, heads[back] + m]),
        np.concatenate([heads + m, tails[back]]),
    )
    ones = np.ones(len(arcs[0]), np.int8)
    _, parts = connected_components(
        csr_array((ones, arcs), shape=(size, size)), connection="strong"
    )
    together = parts[tails] == parts[heads + m]
    partners = np.bincount(tails[together], released[heads[together]], minlength=m)
    return int(partners.min())
