"""The cheapest group of each row type, among those near it, and what that proves."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances import Certificate, Core, Objective, RowTypes, Run, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.runs.search_control import Pace
from starmin.instances.scales.scale import TREE, Scale
from starmin.instances.tables.row_types import canonical_order
from starmin.models.bounds.near_types import (
    NO_GROUP,
    GroupSearch,
    choose,
    cost_between,
    joined,
    list_beside,
    list_near,
    scan_of,
    sort,
)
from starmin.models.bounds.slack_search import first_near
from starmin.models.patterns.coarse_losses import CoarseLosses
from starmin.models.price_unit import exact_product

# How many rows of a group may have the same sensitive value.


class Diversity(NamedTuple):
    """What so many rows of a group need in a sensitive column.

    A group in which no value is in more than the share 1/l of its m rows has sets of k
    of its rows with at most k/l rows of a value, rounded up: lay its rows on a circle,
    sorted by value, and take k of them at equal distances from a place drawn at random.
    Each row is in the same share of these sets. So prices are a bound if no such set
    pays less than its prices (``docs/reference/certificate.md``, kind
    ``group_prices``).

    Examples
    --------
    >>> [Diversity(l, 0).most(5) for l in (1, 2, 4, 5)]
    [5, 3, 2, 1]
    """

    # no value is in more than the share 1/l of a group; 1 where none is asked
    l: int = 1
    column: int = 0  # which one of the sensitive columns

    @classmethod
    def of(cls, core: Core, table: Table) -> "Diversity":
        """Return what is asked in the column with the most rows of one value."""
        if core.diversity == 1:
            return cls()
        types = table.sensitive_types
        most = [np.bincount(values, types.counts).max() for values in types.sensitive.T]
        return cls(core.diversity, int(np.argmax(most)))

    def most(self, k: int) -> int:
        """Return how many of k rows may have the same value."""
        return -(-k // self.l)

    def values(self, types: RowTypes) -> Ints:
        """Return the sensitive value of each type, as a number; 0 for all if l is 1."""
        if self.l == 1:
            return np.zeros(len(types), np.int64)
        found = np.unique(types.sensitive[:, self.column], return_inverse=True)[1]
        return found.astype(np.int64)


# Search for the cheapest group of each row type among the types near it: loops.

_BESIDE = 25  # types before and after one are looked at for a first group
_TRIED = 50  # of these
_MET = 100  # types more than needed that are met on the way to a bound


@compiled
def search_groups(
    s: GroupSearch, begin: int, step: int, found: Ints, most_work: int
) -> None:
    """Find what the cheapest group of each ``step``-th type costs, from ``begin`` on.

    ``found`` is updated in place, by type: the cost, or a lower bound where the search
    took too long; a group of this cost or more is not looked for. A search ends once
    ``most_work`` types have been looked at. The room of ``s`` is used.
    """
    for r in range(begin, len(s.counts), step):
        found[r] = _cheapest_group(s, r, found[r], most_work)


@inner
def _cheapest_group(s: GroupSearch, r: int, ceiling: int, most_work: int) -> int:
    """Return what the cheapest group of a type costs, or at least costs.

    Depth first: types are added by what a row pays then, so that a group of the types
    chosen and of later ones costs no less than its last row does alone with those
    chosen.
    """
    rows = min(s.counts[r], s.most)
    if rows >= s.k:
        s.low[0] = s.high[0] = s.positions[r]
        return int(joined(s, 0, r, NO_GROUP))
    s.used[:] = 0
    s.used[s.values[r]] = rows
    list_beside(s, r, ceiling, _BESIDE)
    ceiling = _dive(s, r, ceiling)
    list_near(s, r, ceiling)
    ceiling = _dive(s, r, ceiling)
    s.low[0] = s.high[0] = s.positions[r]
    s.next[0] = 0
    chosen, work, level = np.zeros(s.k, np.int64), 0, 0
    while level >= 0:
        at = s.next[level]
        least = _least_cost(s, level, at, s.k - rows)
        if work > most_work:
            return int(_least_left(s, level, s.k - rows, chosen, ceiling))
        if least >= ceiling:
            level -= 1
            if level >= 0:
                rows -= chosen[level]
                s.used[_value_of_last(s, level)] -= chosen[level]
            continue
        t = s.lists[level, at]
        s.next[level] += 1
        more = min(s.counts[t], s.most - s.used[s.values[t]])
        if rows + more >= s.k:
            ceiling = s.costs[level, at]
            continue
        choose(s, level, t, level + 1)
        chosen[level] = more
        rows += more
        s.used[s.values[t]] += more
        size = 0
        for i in range(at + 1, s.sizes[level]):
            if s.costs[level, i] >= ceiling:
                break
            u = s.lists[level, i]
            work += 1
            if s.used[s.values[u]] == s.most:
                continue
            cost = joined(s, level + 1, u, ceiling)
            if cost < ceiling:
                s.lists[level + 1, size], s.costs[level + 1, size] = u, cost
                size += 1
        level += 1
        s.sizes[level], s.next[level] = size, 0
        sort(s, level)
    return ceiling


@inner
def _least_left(
    s: GroupSearch, level: int, need: int, chosen: Ints, ceiling: int
) -> int:
    """Return what groups cost at least that were not looked at, or the ceiling."""
    for above in range(level, -1, -1):
        ceiling = min(ceiling, _least_cost(s, above, s.next[above], need))
        if above > 0:
            need += chosen[above - 1]
            s.used[_value_of_last(s, above - 1)] -= chosen[above - 1]
    return ceiling


@inner
def _value_of_last(s: GroupSearch, level: int) -> int:
    """Return the value of the type that was chosen last from a list."""
    return int(s.values[s.lists[level, s.next[level] - 1]])


@inner
def _dive(s: GroupSearch, r: int, ceiling: int) -> int:
    """Return a cost just above that of some group of the type, or the ceiling.

    It is built of the nearest types, each time by the one that costs least.
    """
    places, taken = np.zeros(_TRIED, np.int64), np.zeros(_TRIED, np.bool_)
    size, cost = first_near(s, places), ceiling
    own = s.values[r]
    rows = s.used[own]
    s.met[own] = rows
    s.low[1] = s.high[1] = s.positions[r]
    while rows < s.k:
        best, cost = -1, ceiling
        for i in range(size):
            t = s.lists[0, places[i]]
            full = s.met[s.values[t]] == s.most
            if not (taken[i] or full) and s.costs[0, places[i]] < cost:
                here = joined(s, 1, t, cost)
                if here < cost:
                    best, cost = i, here
        if best < 0:
            break
        taken[best] = True
        t = s.lists[0, places[best]]
        more = min(s.counts[t], s.most - s.met[s.values[t]])
        s.met[s.values[t]] += more
        rows += more
        choose(s, 1, t, 1)
    s.met[:] = 0
    return ceiling if rows < s.k else min(ceiling, cost + 1)


@inner
def _least_cost(s: GroupSearch, level: int, at: int, need: int) -> int:
    """Return what a group costs at least that takes its rows from here on."""
    found, end = NO_GROUP, min(s.sizes[level], at + need + _MET)
    for i in range(at, end):
        t = s.lists[level, i]
        value = s.values[t]
        more = min(s.counts[t], s.most - s.used[value] - s.met[value])
        s.met[value] += more
        need -= more
        if need <= 0 or (i == end - 1 and end < s.sizes[level]):
            found, end = s.costs[level, i], i + 1
            break
    for i in range(at, end):
        s.met[s.values[s.lists[level, i]]] = 0
    return int(found)


@compiled
def column_costs(s: GroupSearch) -> Ints:
    """Return by type what a row of it pays at least, each column for itself.

    In a column the rows of a group are between two positions, and it costs no less to
    join the nearest two around a row with k rows between them. O(m d) after the sorts.
    """
    m, d = s.positions.shape
    total = np.zeros(m, np.int64)
    for j in range(d):
        begins = s.begins[s.columns[j] : s.columns[j + 1]]
        size, end = len(begins) - 1, 0
        before, window = np.zeros(size + 1, np.int64), np.full(size, NO_GROUP, np.int64)
        for p in range(size):
            before[p + 1] = before[p]
            for i in range(begins[p], begins[p + 1]):
                before[p + 1] += s.counts[s.sorted[j, i]]
        # What k rows cost that begin at a position.
        for p in range(size):
            while end < size and before[end + 1] - before[p] < s.k:
                end += 1
            if end < size:
                window[p] = cost_between(s.arrays, s.units, j, p, end)
        # Those around a position end at it, or later: the latter wait by cost.
        waiting, first, last, begin = np.zeros(size, np.int64), 0, 0, 0
        for p in range(size):
            while last > first and window[waiting[last - 1]] >= window[p]:
                last -= 1
            waiting[last] = p
            last += 1
            while begin < p and before[p + 1] - before[begin + 1] >= s.k:
                begin += 1
            least, enough = NO_GROUP, before[p + 1] - before[begin] >= s.k
            if enough:
                least = cost_between(s.arrays, s.units, j, begin, p)
            while first < last and waiting[first] < begin + enough:
                first += 1
            if first < last:
                least = min(least, window[waiting[first]])
            for i in range(begins[p], begins[p + 1]):
                total[s.sorted[j, i]] += least
    return total


_COMPARED = 10_000_000  # cells of types between two checks
_MOST_PLACES = 1 << 24  # of a type in a list of each depth of a search
_MOST_WORK = 5_000  # types looked at for one of them


def costs_in_order(search: GroupSearch, ceiling: int, pace: Pace) -> Iterator[Ints]:
    """Visit lower bounds on what the cheapest group of each type costs a row.

    Vectors of nodes are not looked at. A group of k rows that contains a row costs each
    of them no less than the row pays with any one of the others alone. So only types
    near to it can be in its cheapest group; where there are many columns these are few.
    What a row pays in each column for itself (``column_costs``) comes before all.

    Each array has by type, in the order of the search, what a row pays at least; 0 for
    types not looked at yet. The room of the search is used. No group costs a row as
    much as ``ceiling``; ``pace`` may end the search before each step.

    Notes
    -----
    O(m^2 d) and more. Credit card data, 30,000 types by 24 columns, k = 5: a minute
    or two. Groups that take too long to find are left at what they cost at least.
    """
    m, d = search.positions.shape
    found, part = np.minimum(column_costs(search), ceiling), np.full(m, ceiling)
    yield found
    # Each type is compared with all others, and with some again and again.
    step = max(1, -(-m * d * (m + _MOST_WORK) // _COMPARED))
    for begin in range(min(step, m)):
        with pace.step(1.0):
            search_groups(search, begin, step, part, _MOST_WORK)
        here = slice(begin, None, step)
        found[here] = np.maximum(found[here], part[here])
        yield found


def has_room(types: RowTypes, k: int) -> bool:
    """Return whether a search among these types for k rows fits the memory."""
    return k * len(types) <= _MOST_PLACES


def group_search(
    table: Table,
    types: RowTypes,
    objective: Objective,
    k: int,
    diversity: Diversity,
    fine: int = 1,
) -> tuple[npt.NDArray[np.intp], GroupSearch]:
    """Return the types in some order, and what a search among them knows.

    What groups cost is in 1/fine of the unit of the objective, stars or gcp.
    """
    scales = objective.scales_of(table)
    positions = scales.positions(types.codes)
    units = np.array(objective.units(table), np.int64) * fine
    arrays = scales.arrays
    amount = arrays.amount.copy()
    for j, scale in enumerate(scales.scales):
        barred = arrays.start[j] + np.flatnonzero(~scale.layout.allowed)
        amount[barred] = NO_GROUP // max(1, int(units[j]))
    units[objective.kept(table)] = -1
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(positions), (2, 1000))
    low, high = np.sort(positions[pairs], axis=0)
    paid = scales.extents(low, high).mean(axis=0) * np.array(objective.units(table))
    columns = np.argsort(-paid, kind="stable")  # so that most is paid early
    of = positions[:, columns]
    classes = [_classes(scales.scales[j], positions[:, j]) for j in columns]
    order = np.lexsort(classes[::-1])
    rows = np.ascontiguousarray(of[order])
    row = fine * (objective.whole(table) // table.n)
    scan = scan_of(scales, rows, columns, units[columns], max(1, row))
    m, d = rows.shape
    values = diversity.values(types)[order]
    # Of each position how many types come before it, and all of them at the end.
    begins = [np.cumsum([0, *np.bincount(column)]) for column in rows.T]
    return order, GroupSearch(
        positions=rows,
        scan=scan,
        counts=types.counts[order],
        arrays=arrays._replace(
            kind=arrays.kind[columns], start=arrays.start[columns], amount=amount
        ),
        units=units[columns],
        k=k,
        values=values,
        most=diversity.most(k),
        used=np.zeros(values.max(initial=0) + 1, np.int64),
        met=np.zeros(values.max(initial=0) + 1, np.int64),
        low=np.zeros((k + 1, d), np.int32),
        high=np.zeros((k + 1, d), np.int32),
        lists=np.zeros((k, m), np.int32),
        costs=np.zeros((k, m), np.int64),
        sizes=np.zeros(k, np.int64),
        next=np.zeros(k, np.int64),
        sorted=np.argsort(rows, axis=0, kind="stable").T.astype(np.int32),
        begins=np.concatenate(begins),
        columns=np.cumsum([0, *map(len, begins)]),
        noted=np.full(1, -1),
    )


def _classes(scale: Scale, positions: Int32s) -> Int32s:
    """Return the class of each position: of a tree the node above the leaf."""
    if scale.layout.kind == TREE:
        return scale.layout.parents[positions].astype(np.int32)
    return positions


# The bound of prices that no group of rows is cheaper than, with its certificate.


class RowGroups:
    """The groups of so many rows of a run's row types, and what their prices prove.

    Losses are ``coarse`` ones, in whole multiples of which groups cost. Prices are by
    type, in the ``order`` of the ``search``.
    """

    def __init__(self, run: Run[Any], types: RowTypes, rows: int) -> None:
        self.run, self.types = run, types
        self.coarse = CoarseLosses.of_groups(run.objective, run.table, rows)
        self.diversity = Diversity.of(run.requirement.core, run.table)
        losses, fine = self.coarse.objective, self.coarse.fine
        given = run.table, types, losses, rows, self.diversity
        self.order, self.search = group_search(*given, fine)
        self.ceiling = fine * (losses.whole(run.table) // run.table.n) + 1

    def costs(self) -> Iterator[Ints]:
        """Visit lower bounds on what the cheapest group of each type costs a row."""
        return costs_in_order(self.search, self.ceiling, self.run.pace())

    def bound(self, prices: Ints) -> int:
        """Return what prices prove of the losses of a release."""
        total = exact_product(prices, self.search.counts)
        return self.coarse.priced(total, self.run.table.n)

    def prove(self, prices: Ints, method: str) -> None:
        """Raise the bound of the run to that of prices, and certify it.

        No rows that may be a group pay less together. ``method`` is named as who has
        found them.
        """
        table, bound = self.run.table, self.bound(prices)
        stated = np.empty_like(prices)
        stated[self.order] = prices
        listed = stated[canonical_order(table, self.types)].tolist()
        data: dict[str, Any] = {"denominator": self.coarse.fine, "prices": listed}
        if self.coarse.unit is not None:
            data["unit"] = self.coarse.unit
        if self.diversity.column > 0:
            data["sensitive"] = table.sensitive[self.diversity.column]
        problem = table, self.run.requirement, self.run.objective
        proof = Certificate.of(*problem, "group_prices", bound, data)
        self.run.raise_bound(bound, method, proof)
