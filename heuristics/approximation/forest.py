"""The forest of near neighbours: trees of rows, cut into groups."""

import math
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.approximation import FOREST
from starmin.heuristics.orders.suppression import offer_sorted
from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner

# The distance of rows that must not meet; sums of a few of them do not overflow.
FAR = np.iinfo(np.int64).max // 4


def column_costs(table: Table, objective: Objective) -> tuple[Ints, bool]:
    """Return what a star costs in each column, and whether a row pays but once.

    The cost is -1 where there must be no star. Where a row pays once, for tuples, it
    pays the largest cost of its stars instead of their sum.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "0"]], qi=["a", "b"])
    >>> costs, once = column_costs(table, Objective(weights={"b": 3}, keep=("a",)))
    >>> costs.tolist(), once
    ([-1, 3], False)
    """
    costs = objective.column_weights(table)
    costs[objective.kept(table)] = -1
    return costs, objective.once


@compiled
def row_distance(a: Int32s, b: Int32s, costs: Ints, once: bool) -> int:
    """Compute the weighted Hamming distance; with ``once`` the discrete one.

    A metric in either case. It is ``FAR`` where rows differ in a column to be kept.

    Examples
    --------
    >>> a, b = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    >>> row_distance(a, b, np.array([1, 1, 1]), False)
    2
    """
    total = 0
    for j in range(len(costs)):
        if a[j] != b[j]:
            if costs[j] < 0:
                return FAR
            total = max(total, costs[j]) if once else total + costs[j]
    return total


@compiled
def row_distances(codes: Int32s, costs: Ints, once: bool) -> Ints:
    """Compute the distance of any two rows.

    Examples
    --------
    >>> rows = np.array([[0, 1], [0, 2], [1, 2]], np.int32)
    >>> row_distances(rows, np.array([1, 1]), False).tolist()
    [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    """
    m = len(codes)
    distances = np.zeros((m, m), np.int64)
    for a in range(m):
        for b in range(a):
            far = row_distance(codes[a], codes[b], costs, once)
            distances[a, b] = distances[b, a] = far
    return distances


@inner
def row_cost(codes: Int32s, costs: Ints, once: bool, types: Ints) -> int:
    """Return what a row pays in a group of these types."""
    total = 0
    for j in range(len(costs)):
        for node in types:
            if codes[node, j] != codes[types[0], j]:
                total = max(total, costs[j]) if once else total + costs[j]
                break
    return total


def distances_to_others(types: RowTypes, costs: Ints, once: bool, apart: int) -> Ints:
    """Return the n x n distances of rows, ``apart`` on the diagonal and at most.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["0"], ["1"]], qi=["a"])
    >>> distances_to_others(table.row_types, np.array([1]), False, 9).tolist()
    [[9, 0, 1], [0, 9, 1], [1, 1, 9]]
    """
    between = np.minimum(row_distances(types.codes, costs, once), apart)
    distance: Ints = between[np.ix_(types.inverse, types.inverse)]
    np.fill_diagonal(distance, apart)
    return distance


NONE = -1


@inner
def component(link: Ints, node: int) -> int:
    """Find the root of a node's tree; paths to it are halved on the way."""
    while link[node] != node:
        link[node] = link[link[node]]
        node = link[node]
    return node


@compiled
def grow(
    codes: Int32s,
    costs: Ints,
    once: bool,
    k: int,
    begin: int,
    scans: int,
    parent: Ints,
    weight: Ints,
    link: Ints,
    size: Ints,
) -> int:
    """Join trees of fewer than k rows to the row nearest to their root.

    O(m d) for each scan of all types. It begins with row type ``begin``, stops after
    ``scans`` of them, and returns the first type that it did not come to.

    By type, changed in place: ``parent`` and ``weight`` are the edges found and their
    lengths, ``link`` the way to the root of its tree, and ``size``, by root, its rows.
    """
    least = FAR  # No two types are nearer than this: at it, a search may end.
    for cost in costs:
        if cost >= 0:
            least = min(least, cost)
    for start in range(begin, len(codes)):
        root = component(link, start)
        while size[root] < k:
            if scans == 0:
                return start
            scans -= 1
            best, nearest = FAR, NONE
            for other in range(len(codes)):
                far = row_distance(codes[root], codes[other], costs, once)
                if far < best and component(link, other) != root:
                    best, nearest = far, other
                    if best == least:
                        break
            parent[root], weight[root] = nearest, best
            link[root] = component(link, nearest)
            size[link[root]] += size[root]
            root = link[root]
    return len(codes)


@compiled
def cut(parent: Ints, counts: Ints, k: int) -> tuple[Bools, Ints, Ints]:
    """Cut below every node under which k rows or more hang together.

    Returns which nodes are *heads*, cut off from their parents; the rows that hang
    together at each node; and the nodes, children first. What is left at a root that is
    no head is hung below a head beside it: ``parent`` of that root is set. O(m).
    """
    m = len(parent)
    children, rows = np.zeros(m, np.int64), counts.copy()
    for node in range(m):
        if parent[node] != NONE:
            children[parent[node]] += 1
    upwards = np.empty(m, np.int64)
    end = 0
    for node in range(m):
        if children[node] == 0:
            upwards[end] = node
            end += 1
    head = np.zeros(m, np.bool_)
    for i in range(m):
        node = upwards[i]
        head[node] = rows[node] >= k
        if parent[node] != NONE:
            if not head[node]:
                rows[parent[node]] += rows[node]
            children[parent[node]] -= 1
            if children[parent[node]] == 0:
                upwards[end] = parent[node]
                end += 1
    top = np.empty(m, np.int64)
    beside = np.full(m, NONE)
    for node in upwards[::-1]:
        top[node] = node if parent[node] == NONE else top[parent[node]]
        lower = head[node] and parent[node] != NONE and not head[parent[node]]
        # The first one found has no head above it: its parent is left at the root.
        if lower and beside[top[node]] == NONE:
            beside[top[node]] = node
    for node in range(m):
        if parent[node] == NONE and not head[node]:
            parent[node] = beside[node]
    return head, rows, upwards


@compiled
def spread(upwards: Ints, parent: Ints, head: Bools, of: Ints) -> None:
    """Hand ``of``, numbers of branches or -1, down to what hangs from them. O(m)."""
    for node in upwards[::-1]:
        if not head[node] and of[node] == NONE:
            of[node] = of[parent[node]]


@compiled
def pack(
    starts: Ints, branches: Ints, copies: Ints, k: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Pack the branches of each head, and its own rows, into bins of k rows or more.

    The branches of head i are ``branches[starts[i]:starts[i + 1]]``: rows, fewer than
    k, in descending order; ``copies`` are the rows of its own type. Returns the bin of
    each branch; and for each bin with rows of its head's own the bin, the head, how
    many.
    """
    heads = len(copies)
    bin_of = np.empty(len(branches), np.int64)
    most = len(branches) + heads
    size, own, owner = np.zeros((3, most), np.int64)
    bins = 0
    for i in range(heads):
        first, opened, rows, left = bins, starts[i], 0, copies[i]
        for j in range(starts[i], starts[i + 1]):
            bin_of[j] = bins
            rows += branches[j]
            if rows < k <= rows + left:
                own[bins] = k - rows
                left -= k - rows
                rows = k
            if rows >= k:
                size[bins], owner[bins] = rows, i
                bins, opened, rows = bins + 1, j + 1, 0
        if rows == 0 and left >= k:
            size[bins], owner[bins], own[bins] = left, i, left
            bins += 1
        else:
            smallest = first + np.argmin(size[first:bins])
            bin_of[opened : starts[i + 1]] = smallest
            own[smallest] += left
    used = np.flatnonzero(own)
    return bin_of, used, owner[used], own[used]


MAX_TYPES = 100_000


@dataclass(frozen=True)
class ForestParams:
    """Constants that steer the search."""

    scanned: int = 200_000_000  # cells that are compared between two looks at the clock


def forest(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    params: ForestParams = ForestParams(),
) -> Result:
    """Approximate k-anonymity within a factor of max(2k - 1, 3k - 5).

    That is 3, 5, 7 and 10 for k = 2, 3, 4 and 5, for stars, weighted or not, and for
    suppressed tuples. It proves a lower bound too, and the factor holds against that.

    The idea: rows are linked to near neighbours until every tree has k rows, each row
    by at most one edge of its own; then the trees are cut into groups.

    *Growing.* Rows of one type are one tree. As long as a tree has fewer than k rows,
    its root is linked to the nearest row outside. One of the root's k - 1 nearest rows
    is outside, so the edge is no longer than the distance to the (k-1)-th nearest row,
    which every row of the root's type pays in every release:

    .. math::

        W = \\sum_u w(u) \\le \\sum_t s(t) \\, w(t) \\le \\mathrm{OPT}

    *Cutting.* From the leaves up, the edge above a row is cut where k rows hang
    together below it. Such a head has branches of fewer than k rows; so has the rest
    at the root of the tree, which becomes a branch of a head beside it. Head and
    branches are packed into bins: branches in descending order, and rows of the head's
    own type to fill up, until a bin has k rows. What is left at the end, fewer than k
    rows, joins the smallest bin.

    *Why the factor.* Bins have no edge in common, and a column on which a group
    differs differs along an edge of its tree: a group of s rows pays at most s times
    the weight of its edges. A bin that was filled up has k rows, with the rest 2k - 1.
    If there is a branch of k - 1 rows then the first bin is of that kind, and others
    have 2k - 2. If there is none, a bin reaches 2k - 4 rows at most (k > 3; from k - 1
    rows by a branch of k - 2 it would reach 2k - 3, but then it held longer branches
    only, all of k - 2, and one of them is fewer than k - 1, two are more), with the
    rest 3k - 5. Bins of the head's own rows only may be larger and pay nothing.

    Parameters
    ----------
    table
        At most 100,000 distinct rows, any number of rows.
    requirement
        k-anonymity.
    objective
        Stars, weighted or not, or tuples. Rows that differ in columns to be kept are
        never linked.
    time_limit
        Seconds. If the trees have not grown by then, the rows are grouped along a
        sorted order instead, without a guarantee.
    params
        Constants that steer the search.

    Raises
    ------
    NotSupportedError
        Another requirement, or more than 100,000 distinct rows.

    See Also
    --------
    starmin.heuristics.approximation.greedy_cover : another ratio, and smaller groups.
    starmin.heuristics.approximation.pattern_cover : a better ratio, and fewer stars.
    starmin.heuristics.approximation.cycle_cover : 1.6 for k = 2.
    starmin.heuristics.approximation.factor_cover :
        3 for k = 3, 2 where columns have two values.

    Notes
    -----
    O(m^2 d) time for m distinct rows, O(m d) memory: distances are not stored. Adult
    (18,109 types by 8 columns): 20,998 / 56,489 / 92,478 / 149,888 stars for k = 2 / 5
    / 10 / 25, 3 s each, bounds 15,524 / 24,157 / 28,058 / 31,699. 40,000 random types
    by 7 columns take 20 s; 10 million rows of 78,125 types, all frequent, 5 s.

    The worst ratios seen on 1,805 tables of up to 10 rows: 2.5, 2.33, 2.5 and 2 for
    k = 2, 3, 4 and 5.

    Aggarwal et al. state the algorithm for rows, with ratio O(k); how trees are cut
    here, and the proof, are ours.

    References
    ----------
    G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas, A. Zhu,
    Approximation algorithms for k-anonymity, Journal of Privacy Technology 2005.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "a"], ["2", "b"], ["2", "c"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> result = forest(table, KAnonymity(2))
    >>> result.value, result.lower_bound, result.best.groups.tolist()
    (3, 1, [0, 1, 0, 1, 1])
    """
    run = Run(table, requirement, objective, time_limit, display, FOREST)
    if len(table.row_types) > MAX_TYPES:
        raise NotSupportedError(
            f"Expected at most {MAX_TYPES} row types, got {len(table.row_types)}."
        )

    def search() -> None:
        k, types = requirement.core.size, table.row_types
        parent, weight = _grown(run, k, params)
        run.raise_bound(int(types.counts @ weight), "forest")
        run.offer(Partition.from_loads(types, *_cut(parent, types.counts, k)))

    return run.carry_out(search, otherwise=lambda: offer_sorted(run))


def _grown(run: Run, k: int, params: ForestParams) -> tuple[Ints, Ints]:
    """Return for each row type the one it is linked to, or -1, and how far that is."""
    types = run.table.row_types
    m = len(types)
    parent, weight = np.full(m, -1, np.int64), np.zeros(m, np.int64)
    trees = (parent, weight, np.arange(m), types.counts.copy())
    costs, once = column_costs(run.table, run.objective)
    scans = max(1, params.scanned // types.codes.size)
    begin = 0
    while begin < m:
        run.check_time()
        begin = grow(types.codes, costs, once, k, begin, scans, *trees)
    return parent, weight


def _cut(parent: Ints, counts: Ints, k: int) -> tuple[Ints, Ints, Ints]:
    """Cut the trees into groups of k rows or more; return groups, types, copies."""
    head, rows, upwards = cut(parent, counts, k)
    heads = np.flatnonzero(head)
    branches = np.flatnonzero(~head)
    branches = branches[head[parent[branches]]]
    branches = branches[np.lexsort((-rows[branches], parent[branches]))]
    starts = np.searchsorted(parent[branches], np.append(heads, len(parent)))
    bins, group, owner, own = pack(starts, rows[branches], counts[heads], k)
    group_of = np.full(len(parent), -1)
    group_of[branches] = bins
    spread(upwards, parent, head, group_of)
    whole = np.flatnonzero(~head)
    return (
        np.concatenate([group_of[whole], group]),
        np.concatenate([whole, heads[owner]]),
        np.concatenate([counts[whole], own]),
    )
