"""Greedy cover: the set that is cheapest for the rows it newly covers, repeatedly.

The step Reduce makes a partition of a cover by overlapping sets.
"""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from starmin.heuristics.approximation import GREEDY_COVER
from starmin.heuristics.approximation.forest import (
    FAR,
    column_costs,
    row_cost,
    row_distance,
)
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
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner


def cover_to_partition(
    types: RowTypes, cover: Sequence[dict[int, int]], k: int
) -> Partition:
    """Drop rows from larger sets and merges smaller ones until none overlap.

    While two sets share a row: it is dropped from one with more than k rows; if both
    have k rows they are merged, into at most 2k - 1. The sum over the sets of what a
    row pays in each never grows: two sets with a row in common have no starred column
    together that neither has alone.

    Rows of one type are interchangeable: a set is given as distinct rows with copies, k
    or more, of each type at most as many as there are, and two sets share a row where
    the sets together want more copies than there are. Together they want every row.

    O(k) for each copy of a type in a set.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> rows = [["a"], ["b"], ["b"], ["c"], ["d"]]
    >>> types = Table.from_rows(["q"], rows, qi=["q"]).row_types
    >>> cover = [{0: 1, 1: 1}, {1: 1, 2: 1}, {2: 1, 3: 1}]
    >>> cover_to_partition(types, cover, 2).groups.tolist()
    [0, 0, 1, 1, 1]
    """
    sets = [dict(chosen) for chosen in cover]
    sizes = [sum(chosen.values()) for chosen in sets]
    excess = -types.counts
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for number, chosen in enumerate(sets):
        for node, copies in chosen.items():
            excess[node] += copies
            holders[node].append(number)

    def drop(number: int, node: int) -> None:
        """Drop what must and may be dropped of a type."""
        fewer = min(sets[number][node], sizes[number] - k, int(excess[node]))
        sets[number][node] -= fewer
        sizes[number] -= fewer
        excess[node] -= fewer

    def merge(number: int, other: int, node: int) -> None:
        """Move the second set into the first; they share a row of the type."""
        merged = sets[number]
        for each, copies in sets[other].items():
            if each not in merged:
                merged[each] = 0
                holders[each].append(number)
            together = merged[each] + copies - (each == node)
            kept = min(together, int(types.counts[each]))
            excess[each] -= merged[each] + copies - kept
            merged[each] = kept
        sets[other] = {}
        sizes[number], sizes[other] = sum(merged.values()), 0

    for node in np.flatnonzero(excess > 0).tolist():
        held = [number for number in holders[node] if sets[number].get(node)]
        for number in held:
            drop(number, node)
        held = [number for number in held if sets[number][node]]
        while excess[node] > 0:
            other, number = held.pop(), held[-1]
            merge(number, other, node)
            drop(number, node)
            if not sets[number][node]:
                held.pop()
    loads = [
        (number, node, copies)
        for number, chosen in enumerate(sets)
        for node, copies in chosen.items()
        if copies
    ]
    return Partition.from_loads(types, *np.array(loads, np.int64).T)


_NONE = -1


@inner
def _insert(far: Ints, near: Ints, distance: int, node: int) -> None:
    """Keep ``near`` the types with the least distances, in ascending order."""
    place = len(far) - 1
    while place > 0 and far[place - 1] > distance:
        far[place], near[place] = far[place - 1], near[place - 1]
        place -= 1
    far[place], near[place] = distance, node


@inner
def _fill(
    near: Ints, counts: Ints, types: Ints, copies: Ints, used: int, missing: int
) -> int:
    """Add ``missing`` rows of the nearest types; return how many types there are."""
    for node in near:
        if missing == 0 or node == _NONE:
            break
        at = 0
        while at < used and types[at] != node:
            at += 1
        if at == used:
            types[at], copies[at] = node, 0
            used += 1
        more = min(missing, counts[node] - copies[at])
        copies[at] += more
        missing -= more
    return used


@compiled
def nearest_set(
    codes: Int32s,
    costs: Ints,
    once: bool,
    centre: int,
    counts: Ints,
    left: Ints,
    k: int,
) -> tuple[int, int, Ints, Ints]:
    """Find the best of the sets of the j nearest uncovered rows, j = 1 .. 2k - 1.

    ``centre`` is a distinct row with an uncovered row; ``counts`` has the rows of each
    type, ``left`` those that are uncovered. Returns what a row pays in the set; the
    newly covered rows that were counted, j; the types in the set; and how many rows of
    each.

    A set of fewer than k rows is filled up with the nearest rows of all. O(m d + k^2 d)
    for m distinct rows, and O(k) for each of those that are near.
    """
    open_far, open_near = np.full(2 * k - 1, FAR), np.full(2 * k - 1, _NONE)
    all_far, all_near = np.full(k, FAR), np.full(k, _NONE)
    for node in range(len(codes)):
        far = row_distance(codes[centre], codes[node], costs, once)
        # The centre comes before types at distance 0, which weights of 0 allow.
        far = far if node == centre else far + 1
        if far < all_far[-1]:
            _insert(all_far, all_near, far, node)
        if left[node] > 0 and far < open_far[-1]:
            _insert(open_far, open_near, far, node)
    best_cost, best_new = FAR, 1
    best_types, best_copies = open_near[:0], open_near[:0]
    new = 0
    for last in range(2 * k - 1):
        if open_near[last] == _NONE or new == 2 * k - 1:
            break
        new = min(2 * k - 1, new + left[open_near[last]])
        types, copies = np.empty(3 * k, np.int64), np.empty(3 * k, np.int64)
        types[: last + 1] = open_near[: last + 1]
        copies[: last + 1] = left[types[: last + 1]]
        copies[last] -= copies[: last + 1].sum() - new
        used = _fill(all_near, counts, types, copies, last + 1, max(0, k - new))
        cost = row_cost(codes, costs, once, types[:used])
        if cost * best_new < best_cost * new or best_cost == FAR:
            best_cost, best_new = cost, new
            best_types, best_copies = types[:used], copies[:used]
    return best_cost, best_new, best_types, best_copies


Family = Literal["balls", "all"]

MAX_TYPES = 30_000
# Limits of the family of all sets.
MAX_ROWS, MAX_SETS = 60, 200_000


def greedy_cover(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    family: Family = "balls",
) -> Result:
    """Approximate k-anonymity within O(k log k), or within O(log k) from all sets.

    With H = 1 + 1/2 + .. + 1/(2k-1) the factor is (2k-1)(2k-2)/k H in polynomial time
    (``balls``), and (2k-1)/k H in time exponential in k (``all``): 5.5 and 2.75 for
    k = 2. For stars, weighted or not, and for suppressed tuples.

    The idea: cover the rows by sets of k to 2k - 1 rows, always taking the one with the
    least cost w(S) for each row that it newly covers, where w(S) is what one row pays
    in the group S; then *Reduce* (``cover_to_partition``) the cover to a
    partition, of groups of at most 2k - 1 rows, by dropping rows and merging sets.

    *Why the factor.* Some optimal partition has groups of k to 2k - 1 rows only, so the
    sum of its w(S) is at most OPT / k. Let the rows of such a group S be covered one
    after the other. When j of them are uncovered, S itself is offered for w(S) / j a
    row, so its s rows are charged at most (1 + 1/2 + .. + 1/s) w(S), and the costs in
    the cover add up to at most H OPT / k. Reduce never raises this sum, and a group
    pays at most 2k - 1 times its w.

    ``balls`` takes around each uncovered row c the sets of its j nearest uncovered
    rows, filled up to k with the nearest others. If j rows of S are uncovered and c is
    one, then this set lies in the ball of radius w(S) around c, which holds S. It has
    at most 2k - 2 rows other than c, and w is at most the sum of their distances to c:
    a factor of 2k - 2. Rows wait in order of the cost found for them last. Radii only
    grow, so such a cost is still within the factor of what the row may be offered now:
    a set that is no dearer than all of them may be taken.

    Parameters
    ----------
    table
        At most 30,000 distinct rows for ``balls``, any number of rows; for ``all`` at
        most 60 rows and 200,000 sets: 60, 30, 21 or 18 rows for k = 2, 3, 4 or 5.
    requirement, objective
        k-anonymity; stars, weighted or not, or tuples. No set crosses columns to be
        kept.
    time_limit
        Seconds. If the cover is not complete by then, the rows are grouped along a
        sorted order instead, without a guarantee.
    family
        The sets to choose from.

    Raises
    ------
    NotSupportedError
        Another requirement, or more rows, distinct rows or sets.

    See Also
    --------
    starmin.heuristics.approximation.forest : linear in k, and faster.

    Notes
    -----
    ``balls``: O(m d) for each look at one of m distinct rows, at least one each. Types
    of k rows or more are groups at once. Adult (18,109 types by 8 columns): 18,899 /
    40,997 / 57,382 / 81,322 stars for k = 2 / 5 / 10 / 25, 7 to 9 s each.

    The worst ratios seen on 1,805 tables of up to 10 rows: 2, 1.84, 1.56 and 1.2 with
    balls, 1.83, 1.67, 1.56 and 1.2 with all sets, for k = 2, 3, 4 and 5.

    Meyerson and Williams weigh sets by their diameter, which gives O(k log k) for all
    sets; by what a row pays it is O(log k), as in Park and Shim. Their second family is
    the balls, of any size; the factor for k to 2k - 1 rows of a ball is proven above.

    References
    ----------
    A. Meyerson, R. Williams, On the complexity of optimal k-anonymity, PODS 2004.

    H. Park, K. Shim, Approximate algorithms for k-anonymity, SIGMOD 2007.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "a"], ["2", "b"], ["2", "c"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> greedy_cover(table, KAnonymity(2)).value
    3
    """
    run = Run(table, requirement, objective, time_limit, display, GREEDY_COVER)

    def search() -> None:
        k = requirement.core.size
        cover = _from_all(run, k) if family == "all" else _from_balls(run, k)
        run.offer(cover_to_partition(table.row_types, cover, k))

    return run.carry_out(search, otherwise=lambda: offer_sorted(run))


def _from_balls(run: Run, k: int) -> list[dict[int, int]]:
    """Find a cover by sets of near rows, as row types with copies."""
    types = run.table.row_types
    if len(types) > MAX_TYPES:
        raise NotSupportedError(
            f"Expected at most {MAX_TYPES} row types, got {len(types)}."
        )
    costs, once = column_costs(run.table, run.objective)
    left = np.where(types.counts < k, types.counts, 0)
    cover = [{t: int(types.counts[t])} for t in np.flatnonzero(left == 0).tolist()]
    # The centres by the cost for each new row when last looked at; 0 before that.
    looks = [(0.0, centre) for centre in np.flatnonzero(left).tolist()]
    while looks:
        run.check_time()
        _, centre = heapq.heappop(looks)
        if left[centre] == 0:
            continue
        cost, new, chosen, copies = nearest_set(
            types.codes, costs, once, centre, types.counts, left, k
        )
        if looks and cost / new > looks[0][0]:
            heapq.heappush(looks, (cost / new, centre))
            continue
        left[chosen] -= np.minimum(left[chosen], copies)
        if left[centre]:
            heapq.heappush(looks, (cost / new, centre))
        cover.append(dict(zip(chosen.tolist(), copies.tolist(), strict=True)))
    return cover


def _from_all(run: Run, k: int) -> list[dict[int, int]]:
    """Find a cover by any sets of k to 2k - 1 rows, as row types with copies."""
    table = run.table
    n, sizes = table.n, range(k, min(2 * k, table.n + 1))
    if n > MAX_ROWS or (sets := sum(math.comb(n, s) for s in sizes)) > MAX_SETS:
        found = f"{n} rows" if n > MAX_ROWS else f"{sets} sets"
        raise NotSupportedError(
            f"Expected at most {MAX_ROWS} rows and {MAX_SETS} sets, got {found}."
        )
    members, costs = [], []
    kept = run.objective.kept(table)
    codes = table.codes[table.positions(table.qi)].T
    for size in sizes:
        run.check_time()
        rows = np.array(list(combinations(range(n), size)))
        starred = (codes[rows] != codes[rows[:, :1]]).any(axis=1)
        allowed = ~starred[:, kept].any(axis=1)
        member = np.zeros((len(rows), n), bool)
        np.put_along_axis(member, rows, True, axis=1)
        members.append(member[allowed])
        costs.append(run.objective.row_costs(table, starred[allowed]))
    member, cost = np.concatenate(members), np.concatenate(costs)
    left = np.ones(n, bool)
    cover = []
    while left.any():
        run.check_time()
        new = member[:, left].sum(axis=1)
        each = np.where(new > 0, cost / np.maximum(new, 1), np.inf)
        best = member[each.argmin()]
        left &= ~best
        cover.append(dict(Counter(table.row_types.inverse[best].tolist())))
    return cover
