"""Row types that are near to one, by what a row pays with them: loops."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import inlined, inner
from starmin.instances.scales.scale_arrays import TREE, ScaleArrays
from starmin.instances.scales.scale_loops import extent

_WORTH = 2  # types of a scan for one that is looked at by its place
NO_GROUP = 1 << 52  # so that even a sum over all columns fits 64 bits


class GroupSearch(NamedTuple):
    """Row types, and room for the search.

    Attributes
    ----------
    positions
        m x d, of the types, in lexicographic order of their classes.
    classes
        Of each position of a type its class: leaves of a tree below the same node, else
        single positions. What a type pays with two others of one class is the same,
        unless it has the position of one of them.
    shared
        In how many of the first columns each type has the classes of the one before.
    examples, starts
        A position of each class, and where the classes of each column begin.
    counts
        Rows of each type.
    arrays, units
        What ranges of positions cost: see ``Scales.arrays``; units below 0 where a
        column is to be kept. Nodes above the highest level cost NO_GROUP.
    k
        Rows of a group.
    values, most
        The sensitive value of each type, and how many rows of a group may have one.
    used, met
        By value: rows that are chosen, and rows met on the way.
    paid
        What the type at hand pays with each class.
    low, high
        k x d: the ranges of the types chosen so far, after each choice.
    lists, costs
        k x m: types that may be chosen next, and what a row pays with each.
    sizes, next
        How long the lists are, and the next type of each.
    sorted, begins, columns
        Of each column the types by position, where those of each position begin among
        them, and where the column begins in the latter.
    noted
        The type whose prices with each class are noted.
    """

    positions: Int32s
    classes: Int32s
    shared: Ints
    examples: Int32s
    starts: Ints
    counts: Ints
    arrays: ScaleArrays
    units: Ints
    k: int
    values: Ints
    most: int
    used: Ints
    met: Ints
    paid: Ints
    low: Int32s
    high: Int32s
    lists: Int32s
    costs: Ints
    sizes: Ints
    next: Ints
    sorted: Int32s
    begins: Ints
    columns: Ints
    noted: Ints


@inner
def list_near(s: GroupSearch, r: int, ceiling: int, begin: int, step: int) -> None:
    """List types that cost less with this one, by cost."""
    find_near(s, r, ceiling, begin, step)
    sort(s, 0)


@inner
def find_near(s: GroupSearch, r: int, ceiling: int, begin: int, step: int) -> None:
    """List types that cost less with this one, in no order: those that are in reach.

    Only those can be that one column alone does not make too dear. Where they are few
    in some column, they are looked at; else each ``step``-th of all types is.
    """
    column, first, last = _narrowest(s, r, ceiling)
    if (last - first) * step * _WORTH <= len(s.positions):
        _list_between(s, r, ceiling, column, first, last)
    else:
        _list_all(s, r, ceiling, begin, step)
    _leave_out_full(s)


@inner
def _leave_out_full(s: GroupSearch) -> None:
    """Keep those types on the first list of whose value a group may have more rows."""
    lists, costs, size = s.lists, s.costs, 0
    for i in range(s.sizes[0]):
        t = lists[0, i]
        if s.used[s.values[t]] < s.most:
            lists[0, size], costs[0, size] = t, costs[0, i]
            size += 1
    s.sizes[0] = size


@inner
def _narrowest(s: GroupSearch, r: int, ceiling: int) -> tuple[int, int, int]:
    """Return the column in which the fewest types cost less, and which these are."""
    best, first, last = 0, np.int64(0), np.int64(len(s.positions))
    for j in range(s.low.shape[1]):
        own, at = s.positions[r, j], s.columns[j]
        low, high = np.int64(0), np.int64(own)
        while low < high:
            middle = (low + high) // 2
            if _cost(s.arrays, s.units, j, middle, own) < ceiling:
                high = middle
            else:
                low = middle + 1
        least = low
        low, high = np.int64(own), s.columns[j + 1] - at - 2
        while low < high:
            middle = (low + high + 1) // 2
            if _cost(s.arrays, s.units, j, own, middle) < ceiling:
                low = middle
            else:
                high = middle - 1
        begin, end = s.begins[at + least], s.begins[at + low + 1]
        if end - begin < last - first:
            best, first, last = j, begin, end
    return best, int(first), int(last)


@inner
def _list_between(
    s: GroupSearch, r: int, ceiling: int, column: int, first: int, last: int
) -> None:
    """List those types in reach in a column that cost less, in no order."""
    positions, lists, costs, size = s.positions, s.lists, s.costs, 0
    arrays, units, d = s.arrays, s.units, s.low.shape[1]
    for x in range(first, last):
        t, total = s.sorted[column, x], np.int64(0)
        for j in range(d):
            own, other = positions[r, j], positions[t, j]
            total += _cost(arrays, units, j, min(own, other), max(own, other))
            if total >= ceiling:
                break
        if total < ceiling and t != r:
            lists[0, size], costs[0, size] = t, total
            size += 1
    s.sizes[0] = size


@inner
def _list_all(s: GroupSearch, r: int, ceiling: int, begin: int, step: int) -> None:
    """List those of each ``step``-th type that cost less, in no order.

    Types of the same classes in the first columns cost as much in these, but for those
    of its own class. Where such a part is too dear, they are passed over.
    """
    if s.noted[0] != r:
        _note_prices(s, r)
        s.noted[0] = r
    # Fields are read before the loops: numba counts a reference at each reading.
    positions, classes, starts, paid = s.positions, s.classes, s.starts, s.paid
    shared, lists, costs, d, size = s.shared, s.lists, s.costs, s.low.shape[1], 0
    part, known = np.zeros(d + 1, np.int64), 0
    for t in range(begin, len(positions), step):
        alike = shared[t] if step == 1 else 0
        if alike >= known and known > 0 and part[known] >= ceiling:
            continue
        known = min(known, alike)
        while known < d and part[known] < ceiling:
            there, cost = classes[t, known], np.int64(0)
            if there != classes[r, known]:
                cost = paid[starts[known] + there]
            known += 1
            part[known] = part[known - 1] + cost
        total = part[known]
        if total >= ceiling or t == r:
            continue
        for j in range(d):
            if classes[t, j] == classes[r, j]:
                if positions[t, j] != positions[r, j]:
                    total += paid[starts[j] + classes[t, j]]
                else:
                    here = positions[t, j]
                    total += _cost(s.arrays, s.units, j, here, here)
        if total < ceiling:
            lists[0, size], costs[0, size] = t, total
            size += 1
    s.sizes[0] = size


@inner
def _note_prices(s: GroupSearch, r: int) -> None:
    """Note what a type pays with each class."""
    for j in range(s.low.shape[1]):
        own = s.positions[r, j]
        for at in range(s.starts[j], s.starts[j + 1]):
            other = s.examples[at]
            low, high = min(own, other), max(own, other)
            s.paid[at] = _cost(s.arrays, s.units, j, low, high)
        if s.arrays.kind[j] == TREE:
            node = s.arrays.start[j] + s.arrays.parent[s.arrays.start[j] + own]
            cost = s.units[j] * s.arrays.amount[node] if s.units[j] >= 0 else NO_GROUP
            s.paid[s.starts[j] + s.classes[r, j]] = cost


@inner
def choose(s: GroupSearch, before: int, t: int, after: int) -> None:
    """Let a type join these ranges."""
    for j in range(s.low.shape[1]):
        here = s.positions[t, j]
        s.low[after, j] = min(s.low[before, j], here)
        s.high[after, j] = max(s.high[before, j], here)


@inner
def joined(s: GroupSearch, level: int, t: int, ceiling: int) -> int:
    """Return what a row pays in these ranges with a type; any number from ceiling on
    where that is as much.
    """
    total = 0
    positions, low, high, arrays, units = s.positions, s.low, s.high, s.arrays, s.units
    for j in range(len(units)):
        here = positions[t, j]
        first, last = min(low[level, j], here), max(high[level, j], here)
        total += _cost(arrays, units, j, first, last)
        if total >= ceiling:
            break
    return total


@inlined
def _cost(arrays: ScaleArrays, units: Ints, j: int, low: int, high: int) -> int:
    """Return what a row pays in a column for a range."""
    if units[j] < 0:
        return NO_GROUP if low != high else 0
    lost: int = units[j] * extent(arrays, j, low, high)
    return lost


@inner
def sort(s: GroupSearch, level: int) -> None:
    """Sort the list of a level by cost (Shell's method, which compiles fast)."""
    lists, costs, size = s.lists, s.costs, s.sizes[level]
    gap = size // 2
    while gap > 0:
        for i in range(gap, size):
            cost, t, at = costs[level, i], lists[level, i], i
            while at >= gap and costs[level, at - gap] > cost:
                costs[level, at] = costs[level, at - gap]
                lists[level, at] = lists[level, at - gap]
                at -= gap
            costs[level, at], lists[level, at] = cost, t
        gap = 1 if gap == 2 else gap * 4 // 9
