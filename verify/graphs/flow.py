"""Maximum flow between the two sides of an anonymity graph, by Dinic's algorithm."""

from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints


@dataclass(frozen=True, eq=False)
class Flow:
    """A maximum flow from supplies to demands, and the cut that proves it maximal."""

    amounts: Ints  # the flow of each edge
    total: int  # its sum
    # left, right: which nodes of each side can still be reached from unused supply;
    # where all supply is used, none
    left: Bools
    right: Bools


def maximum_flow(
    tails: Int32s, heads: Int32s, capacities: Ints, supplies: Ints, demands: Ints
) -> Flow:
    """Send as much as possible from the left to the right.

    The edges are sorted by tail: from a node on the left to one on the right.
    ``supplies`` and ``demands`` are what each node on the left has, and what each on
    the right takes; their sums are below 2^63, so that no amount wraps.

    Notes
    -----
    Dinic: shortest augmenting paths, level by level, after a greedy start. O(E) a
    phase where capacities are small, and few phases where they are even: O(sqrt(V))
    for unit ones.

    Examples
    --------
    >>> tails, heads = np.array([0, 0, 1], np.int32), np.array([0, 1, 0], np.int32)
    >>> one = np.ones(2, np.int64)
    >>> maximum_flow(tails, heads, np.ones(3, np.int64), one, one).amounts.tolist()
    [0, 1, 1]
    """
    from starmin.verify.graphs.flow_loops import dinic

    starts = np.searchsorted(tails, np.arange(len(supplies) + 1))
    by_head = np.argsort(heads, kind="stable").astype(np.int32)
    head_starts = np.searchsorted(heads[by_head], np.arange(len(demands) + 1))
    amounts, levels = dinic(
        starts, tails, heads, capacities, head_starts, by_head, supplies, demands
    )
    m = len(supplies)
    return Flow(amounts, int(amounts.sum()), levels[:m] >= 0, levels[m:] >= 0)
