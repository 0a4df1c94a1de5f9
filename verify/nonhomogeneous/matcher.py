"""Decide for each k whether a release is k-anonymous, by maximum flow, with a proof."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.tables.plural import counted
from starmin.verify.graphs.anonymity_graph import AnonymityGraph
from starmin.verify.graphs.flow import Flow, maximum_flow
from starmin.verify.nonhomogeneous.matchings import disjoint_matchings


@dataclass(frozen=True)
class Obstruction:
    """Why there are no k matchings: a count that anyone can check.

    k matchings that share no pair would take k pairs from each row of ``originals``:
    at most k for each row of ``records``, and at most all pairs there are with rows
    outside ``records``. If that is fewer, there are none (Hall; Ore for k > 1).
    """

    # originals, records: rows of the public table and of the release, from 0
    originals: Ints
    records: Ints
    # pairs of the anonymity graph from ``originals`` to rows not in ``records``
    outside: int
    k: int  # the k that fails

    @property
    def why(self) -> str:
        """In words."""
        need, have = self.k * len(self.originals), self.k * len(self.records)
        rows = counted(
            len(self.originals),
            "row of the original needs",
            "rows of the original need",
        )
        return (
            f"{rows} {need} pairs for k = {self.k}; there are at most "
            f"{have + self.outside}: {have} with "
            f"{counted(len(self.records), 'released row')}, {self.outside} with all "
            "others"
        )


class Matcher:
    """Answers for each k whether a release is k-anonymous, with the proof.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> public = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["1"]], qi=["a"])
    >>> matcher = Matcher(AnonymityGraph.of(released, public))
    >>> matcher.matchings(1).tolist()
    [[0, 1]]
    >>> matcher.obstruction(2).why
    '1 row of the original needs 2 pairs for k = 2; there are at most 1: 0 with 0 \
released rows, 1 with all others'
    """

    def __init__(self, graph: AnonymityGraph) -> None:
        self.graph = graph
        self._flows: dict[int, Flow] = {}

    def holds(self, k: int) -> bool:
        """Check whether there are k perfect matchings that share no pair."""
        if k == 0:
            return True
        if not self.even or k > min(int(each.min()) for each in self.graph.degrees):
            return False
        return self._flow(k).total == k * len(self.graph.public.inverse)

    @property
    def even(self) -> bool:
        """Whether there are as many released rows as originals."""
        return len(self.graph.public.inverse) == len(self.graph.released.inverse)

    def largest(self, known: int = 0) -> int:
        """Find the largest k that holds; faster from one known to hold."""
        low, step = known, 1
        while self.holds(low + step):
            low, step = low + step, 2 * step
        high = low + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.holds(middle) else (low, middle)
        return low

    def matchings(self, k: int) -> Int32s | None:
        """Find k perfect matchings that share no pair, or None."""
        if not self.holds(k):
            return None
        return disjoint_matchings(self.graph, self._flow(k).amounts, k)

    def obstruction(self, k: int) -> Obstruction | None:
        """Say why there are no k such matchings; None where there are or sides differ.

        The rows that unused supply still reaches: a minimum cut. For a k above the
        number of rows n it is one for n + 1: what fails there has more originals
        than records, so it fails by more for every larger k.
        """
        if not self.even or self.holds(k):
            return None
        public, released = self.graph.public, self.graph.released
        flow = self._flow(min(k, len(public.inverse) + 1))
        tails, heads = self.graph.edges
        leaving = flow.left[tails] & ~flow.right[heads]
        pairs = public.counts[tails[leaving]] * released.counts[heads[leaving]]
        return Obstruction(
            np.flatnonzero(flow.left[public.inverse]),
            np.flatnonzero(flow.right[released.inverse]),
            int(pairs.sum()),
            k,
        )

    @cached_property
    def _capacities(self) -> Ints:
        """The pairs of rows of each edge."""
        tails, heads = self.graph.edges
        return self.graph.public.counts[tails] * self.graph.released.counts[heads]

    def _flow(self, k: int) -> Flow:
        """Compute the maximum flow, k for each row on both sides (Theorem 1).

        k is at most n + 1, so no sum of supplies or of pairs exceeds n (n + 1).
        """
        if k not in self._flows:
            tails, heads = self.graph.edges
            supplies = k * self.graph.public.counts
            demands = k * self.graph.released.counts
            self._flows = {
                k: maximum_flow(tails, heads, self._capacities, supplies, demands)
            }
        return self._flows[k]
