"""Decide for each k whether a release is k-anonymous, by maximum flow, with a proof."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.tables.names import counted
from starmin.instances.tables.row_types import merge_equal_values
from starmin.verify.cells.cells import as_written
from starmin.verify.nonhomogeneous.anonymity_graph import (
    AnonymityGraph,
    Flow,
    maximum_flow,
    recode,
)

# From a flow between types to k matchings of rows that share no pair.


def disjoint_matchings(graph: AnonymityGraph, amounts: Ints, k: int) -> Int32s:
    """Split a flow of k times the rows into k perfect matchings that share no pair.

    The flow is dealt out to rows so that each original and each released row has k
    pairs, all different. Every such k-regular graph has a perfect matching (König);
    without it the graph is (k-1)-regular, and so on.

    ``amounts`` is the flow of the edges of the graph: k for each original and for each
    released row. Returned are k x n numbers: row i of matching m is the released row
    that original i is matched to. O(k n sqrt(n)) at worst for each matching, in
    practice seconds for 100,000 rows.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    originals, records = _pairs(graph, amounts)
    n = len(graph.public.inverse)
    matchings = np.empty((k, n), np.int32)
    for m in range(k):
        left = csr_array(
            (np.ones(len(originals), np.int8), (originals, records)), shape=(n, n)
        )
        matching = maximum_bipartite_matching(left, perm_type="column")
        matchings[m] = matching
        rest = matching[originals] != records
        originals, records = originals[rest], records[rest]
    return matchings


def check_matchings(released: Table, original: Table, matchings: Int32s) -> str | None:
    """Say why matchings do not prove a release anonymous; None if they do.

    ``original`` is the public table. The matchings are k x n: row i of matching m is
    the released row that original i is matched to.

    O(k n (k + d)): no flow is needed.

    >>> original = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["1"]], qi=["a"])
    >>> check_matchings(released, original, np.array([[0, 1], [1, 0]]))
    'matching 1: released row 1 cannot stem from original 0'
    """
    original = as_written(original.with_roles(released.qi), released)
    recoded, sizes = recode(merge_equal_values(released), original)
    if matchings.shape[1:] != (original.n,) or recoded.n != original.n:
        return f"matchings {matchings.shape}, {recoded.n} rows, {original.n} originals"
    for m, matching in enumerate(matchings):
        if not np.array_equal(np.sort(matching), np.arange(original.n)):
            return f"matching {m} does not name every released row once"
        for a, column in enumerate(released.qi):
            cells = recoded.codes[a][matching]
            strange = (cells != original.column(column)) & (cells != sizes[a] - 1)
            if strange.any():
                i = int(np.argmax(strange))
                return (
                    f"matching {m}: released row {matching[i]} cannot stem from "
                    f"original {i}"
                )
        for earlier in range(m):
            if (shared := matching == matchings[earlier]).any():
                i = int(np.argmax(shared))
                return f"matchings {earlier} and {m} share the pair of original {i}"
    return None


def _pairs(graph: AnonymityGraph, amounts: Ints) -> tuple[Ints, Ints]:
    """List pairs of an original and a released row: of each edge as many as it carries.

    The units of an edge go to the rows of its ends in turn, beginning after the last
    one served, so that all rows of a type get equally many. Unit x meets row x mod s
    and row x mod r; that repeats after lcm(s, r) units, so each such run but the last
    is shifted by a different number of rows on one side, which leaves the number of
    units of every row as it is.
    """
    used = np.flatnonzero(amounts)
    tails, heads = graph.edges[0][used], graph.edges[1][used]
    units = amounts[used]
    left, right = graph.public.counts[tails], graph.released.counts[heads]
    edge = np.repeat(np.arange(len(used)), units)
    unit = np.arange(len(edge)) - np.repeat(np.cumsum(units) - units, units)
    runs = np.lcm(left, right)
    shift = units // runs
    at_left = _served_before(tails, units)[edge] + unit
    at_right = (
        _served_before(heads, units)[edge] + unit + shift[edge] - unit // runs[edge]
    )
    return (
        _row_of(graph.public.inverse, tails[edge], at_left % left[edge]),
        _row_of(graph.released.inverse, heads[edge], at_right % right[edge]),
    )


def _served_before(nodes: Int32s, units: Ints) -> Ints:
    """Return for each edge the units of earlier edges at the same node."""
    order = np.argsort(nodes, kind="stable")
    before = np.cumsum(units[order]) - units[order]
    first = np.flatnonzero(np.diff(nodes[order], prepend=-1))
    sizes = np.diff(np.append(first, len(nodes)))
    served = np.empty(len(nodes), np.int64)
    served[order] = before - np.repeat(before[first], sizes)
    return served


def _row_of(inverse: Int32s, types: Int32s, place: Ints) -> Ints:
    """Return the row at a place among the rows of its type."""
    by_type = np.argsort(inverse, kind="stable")
    starts = np.searchsorted(inverse[by_type], np.arange(int(inverse.max()) + 1))
    return np.asarray(by_type[starts[types] + place])


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
        one, several = "row of the original needs", "rows of the original need"
        rows = counted(len(self.originals), one, several)
        return (
            f"{rows} {need} pairs for k = {self.k}; there are at most "
            f"{have + self.outside}: {have} with "
            f"{counted(len(self.records), 'released row')}, {self.outside} with all "
            "others"
        )


class Matcher:
    """Answers for each k whether a release is k-anonymous, with the proof.

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
