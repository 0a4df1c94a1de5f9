"""From a flow between types to k matchings of rows that share no pair."""

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.tables.canonical import merge_equal_values
from starmin.verify.cells.consistency import as_written
from starmin.verify.graphs.anonymity_graph import AnonymityGraph, recode


def disjoint_matchings(graph: AnonymityGraph, amounts: Ints, k: int) -> Int32s:
    """Split a flow of k times the rows into k perfect matchings that share no pair.

    The flow is dealt out to rows so that each original and each released row has k
    pairs, all different. Every such k-regular graph has a perfect matching (König);
    without it the graph is (k-1)-regular, and so on.

    ``amounts`` is the flow of the edges of the graph: k for each original and for each
    released row. Returned are k x n numbers: row i of matching m is the released row
    that original i is matched to.

    Notes
    -----
    O(k n) for the pairs, O(k n sqrt(n)) at worst for each matching, in practice
    seconds for 100,000 rows.
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


def check_matchings(
    released: Table, original: Table, matchings: Int32s, star: str = "*"
) -> str | None:
    """Say why matchings do not prove a release anonymous; None if they do.

    ``original`` is the public table. The matchings are k x n: row i of matching m is
    the released row that original i is matched to.

    Notes
    -----
    O(k n (k + d)): no flow is needed.

    Examples
    --------
    >>> original = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["1"]], qi=["a"])
    >>> check_matchings(released, original, np.array([[0, 1], [1, 0]]))
    'matching 1: released row 1 cannot stem from original 0'
    """
    original = as_written(original.with_roles(released.qi), released)
    recoded, sizes = recode(merge_equal_values(released), original, star)
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
