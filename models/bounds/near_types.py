"""Row types that are near to one, by what a row pays with them: loops."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances import Scales
from starmin.instances.arrays import Bools, Float32s, Int32s, Ints
from starmin.instances.loops.compiled import inner
from starmin.instances.scales.scale import FLAT, NUMERIC, TREE, Layout, ScaleArrays

# Scan all row types for those near to one: rough costs first, in wide strides.
#
# Most types are far from the one at hand. What a row pays with each of a block of types
# is added up in single precision, column by column, which processors do for eight of
# them at once. It is never more than what they pay, but for a share of a row that is
# far below ``SLACK``.

BLOCK = 512  # types at a time
SLACK = 1e-5  # of what a row loses that loses all: rounding of single precision
FREQUENT = 256  # positions that more than one in so many types have are classes
_MOST_CLASSES = 4_096  # in a column whose classes are looked up


class Scan(NamedTuple):
    """What row types are in each column, for rough costs."""

    # of each column the class of each type: single positions; where these are many, the
    # frequent ones, and of the others all leaves below the same node
    classes: npt.NDArray[np.uint16]
    # of each column where the values of the types lie on a line, as a share of what a
    # row loses that loses all. What a type pays with another is no less than their
    # distance.
    places: Float32s
    is_line: Bools  # whether a column has places; the others have classes
    # whether the classes of a column are not single positions. A type that has the same
    # rare position there pays less than its class does.
    is_mixed: Bools
    # examples, starts: a position of each class, and where the classes of each column
    # begin
    examples: Int32s
    starts: Ints
    # paid, rough: of each class what the type at hand pays with a type of it, and as a
    # share of ``whole``
    paid: Ints
    rough: Float32s
    of: npt.NDArray[np.uint16]  # the classes by type
    whole: float  # what a row loses that loses all
    sums: Float32s  # room for a block


def scan_of(
    scales: Scales, rows: Int32s, columns: Ints, units: Ints, whole: int
) -> Scan:
    """Return what a scan needs to know of types.

    ``rows`` are the positions of the types, in the order of ``columns``: those in which
    types pay most first. ``units`` are by column, below 0 where one is to be kept;
    ``whole`` is what a row loses that loses all.
    """
    m, d = rows.shape
    classes, places = np.zeros((d, m), np.uint16), np.zeros((d, m), np.float32)
    is_line, is_mixed = np.zeros((2, d), bool)
    examples = list[Int32s]()
    for j, column in enumerate(columns):
        layout, own = scales.scales[column].layout, rows[:, j]
        if layout.is_line and units[j] >= 0:
            is_line[j] = True
            places[j] = _places(layout, int(units[j]), whole)[own]
            examples.append(np.empty(0, np.int32))
            continue
        of, is_mixed[j] = _class_of(layout, own)
        _, first, number = np.unique(of, return_index=True, return_inverse=True)
        if len(first) > _MOST_CLASSES:  # rough costs are 0 there
            is_line[j], is_mixed[j] = True, False
            examples.append(np.empty(0, np.int32))
            continue
        classes[j] = number
        examples.append(own[first].astype(np.int32))
    starts = np.cumsum([0, *map(len, examples)])
    return Scan(
        classes=classes,
        places=places,
        is_line=is_line,
        is_mixed=is_mixed,
        examples=np.concatenate(examples),
        starts=starts,
        paid=np.zeros(starts[-1], np.int64),
        rough=np.zeros(starts[-1], np.float32),
        of=np.ascontiguousarray(classes.T),
        whole=float(whole),
        sums=np.zeros(BLOCK, np.float32),
    )


def _class_of(layout: Layout, own: Int32s) -> tuple[Int32s, bool]:
    """Return a number of the class of each type, and whether classes are mixed."""
    counts = np.bincount(own)
    if np.count_nonzero(counts) <= FREQUENT:
        return own, False
    above = layout.parents[own].astype(np.int32)
    frequent = counts[own] * FREQUENT >= len(own)
    return np.where(frequent, own + above.max() + 1, above), True


def _places(layout: Layout, unit: int, whole: int) -> npt.NDArray[np.floating]:
    """Return where ranges begin; all in one place where that says nothing of them."""
    lower = layout.lower
    if lower.max() - lower.min() > layout.losses[-1]:
        return np.zeros(len(lower))
    shares = [unit * begin / whole for begin in (lower - lower.min()).tolist()]
    return np.array(shares)


@inner
def add_up(s: Scan, r: int, begin: int, size: int) -> None:
    """Add up what a type pays at least with each of a block."""
    sums, rough = s.sums, s.rough
    for i in range(size):
        sums[i] = np.float32(0)
    for j in range(len(s.is_line)):
        if s.is_line[j]:
            places = s.places[j]
            here = places[r]
            for i in range(size):
                sums[i] += abs(places[begin + i] - here)
        else:
            of, paid = s.classes[j], rough[s.starts[j] :]
            for i in range(size):
                sums[i] += paid[of[begin + i]]


# Types near to one, by exact costs.

_WORTH = 8  # types of a scan for one that is looked at by its place
NO_GROUP = 1 << 52  # so that even a sum over all columns fits 64 bits


class GroupSearch(NamedTuple):
    """Row types, and room for the search."""

    positions: Int32s  # m x d, of the types, in lexicographic order of their classes
    scan: Scan  # for rough costs with all of them
    counts: Ints  # rows of each type
    # arrays, units: what ranges of positions cost: see ``Scales.arrays``; units below 0
    # where a column is to be kept. Nodes above the highest level cost NO_GROUP.
    arrays: ScaleArrays
    units: Ints
    k: int  # rows of a group
    # values, most: the sensitive value of each type, and how many rows of a group may
    # have one
    values: Ints
    most: int
    used: Ints  # used, met: by value: rows that are chosen, and rows met on the way
    met: Ints
    # low, high: k x d: the ranges of the types chosen so far, after each choice
    low: Int32s
    high: Int32s
    # lists, costs: k x m: types that may be chosen next, and what a row pays with each
    lists: Int32s
    costs: Ints
    sizes: Ints  # sizes, next: how long the lists are, and the next type of each
    next: Ints
    # sorted, begins, columns: of each column the types by position, where those of each
    # position begin among them, and where the column begins in the latter
    sorted: Int32s
    begins: Ints
    columns: Ints
    noted: Ints  # the type of which it is noted what it pays with each class


@inner
def list_near(s: GroupSearch, r: int, ceiling: int) -> None:
    """List types that cost less with this one, by cost."""
    find_near(s, r, ceiling)
    sort(s, 0)


@inner
def list_beside(s: GroupSearch, r: int, ceiling: int, width: int) -> None:
    """List those of the types right before and after this one that cost less, by cost.

    They have the same classes in the first columns, which cost most.
    """
    size, last = 0, min(len(s.counts), r + width + 1)
    s.low[0] = s.high[0] = s.positions[r]
    for t in range(max(0, r - width), last):
        cost = joined(s, 0, t, ceiling)
        if cost < ceiling and t != r:
            s.lists[0, size], s.costs[0, size] = t, cost
            size += 1
    s.sizes[0] = size
    _leave_out_full(s)
    sort(s, 0)


@inner
def find_near(s: GroupSearch, r: int, ceiling: int) -> None:
    """List types that cost less with this one, in no order: those that are in reach.

    Only those can be that one column alone does not make too dear. Where they are few
    in some column, they are looked at; else all types are.
    """
    column, first, last = _narrowest(s, r, ceiling)
    if (last - first) * _WORTH <= len(s.positions):
        none, between = np.zeros(s.low.shape[1], np.bool_), (first, last)
        s.sizes[0] = _list_between(s, r, ceiling, column, between, none, 0)
    else:
        _list_all(s, r, ceiling)
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
    best, begin, end = 0, np.int64(0), np.int64(len(s.positions))
    columns, begins, units = s.columns, s.begins, s.units
    arrays = s.arrays
    for j in range(s.low.shape[1]):
        own, at = s.positions[r, j], columns[j]
        low, high = np.int64(0), np.int64(own)
        while low < high:
            middle = (low + high) // 2
            if cost_between(arrays, units, j, middle, own) < ceiling:
                high = middle
            else:
                low = middle + 1
        least = low
        low, high = np.int64(own), columns[j + 1] - at - 2
        while low < high:
            middle = (low + high + 1) // 2
            if cost_between(arrays, units, j, own, middle) < ceiling:
                low = middle
            else:
                high = middle - 1
        from_here, to_here = begins[at + least], begins[at + low + 1]
        if to_here - from_here < end - begin:
            best, begin, end = j, from_here, to_here
    return best, int(begin), int(end)


@inner
def _list_all(s: GroupSearch, r: int, ceiling: int) -> None:
    """List those of all types that cost less, rough costs first."""
    if s.noted[0] != r:
        _note_paid(s, r)
        s.noted[0] = r
    # Fields are read before the loops: numba counts a reference at each reading.
    scan, positions, lists, costs = s.scan, s.positions, s.lists, s.costs
    units, d, m, size = s.units, s.low.shape[1], len(s.counts), 0
    arrays = s.arrays
    starts, paid, of, is_line = scan.starts, scan.paid, scan.of, scan.is_line
    sums, apart = scan.sums, np.zeros(d, np.bool_)
    for j in range(d):
        apart[j] = scan.is_mixed[j] and _is_rare(s, r, j)
        if apart[j]:
            at = s.columns[j] + s.positions[r, j]
            between = int(s.begins[at]), int(s.begins[at + 1])
            size = _list_between(s, r, ceiling, j, between, apart, size)
    most = np.float32(ceiling / scan.whole + SLACK)
    for begin in range(0, m, BLOCK):
        block = min(BLOCK, m - begin)
        add_up(scan, r, begin, block)
        for i in range(block):
            t, total = begin + i, 0
            if sums[i] > most or t == r:
                continue
            for j in range(d):
                own, other = positions[r, j], positions[t, j]
                if apart[j] and own == other:
                    total = ceiling  # it is on the list, or too dear
                elif is_line[j]:
                    a, b = min(own, other), max(own, other)
                    total += cost_between(arrays, units, j, a, b)
                else:
                    total += paid[starts[j] + of[t, j]]
                if total >= ceiling:
                    break
            if total < ceiling:
                lists[0, size], costs[0, size] = t, total
                size += 1
    s.sizes[0] = size


@inner
def _is_rare(s: GroupSearch, r: int, j: int) -> bool:
    """Tell whether few types have the position of one in a column."""
    at = s.columns[j] + s.positions[r, j]
    return bool((s.begins[at + 1] - s.begins[at]) * FREQUENT < len(s.counts))


@inner
def _list_between(
    s: GroupSearch,
    r: int,
    ceiling: int,
    column: int,
    between: tuple[int, int],
    apart: Bools,
    size: int,
) -> int:
    """List those types between two places in the order of a column that cost less.

    Those with the same position in an earlier column that is apart are on the list.
    Returns how many are on it, in no order.
    """
    positions, lists, costs = s.positions, s.lists, s.costs
    units, d = s.units, s.low.shape[1]
    arrays = s.arrays
    for x in range(between[0], between[1]):
        t, total = s.sorted[column, x], 0
        for j in range(d):
            own, other = positions[r, j], positions[t, j]
            if j < column and apart[j] and own == other:
                total = ceiling
            a, b = min(own, other), max(own, other)
            total += cost_between(arrays, units, j, a, b)
            if total >= ceiling:
                break
        if total < ceiling and t != r:
            lists[0, size], costs[0, size] = t, total
            size += 1
    return size


@inner
def _note_paid(s: GroupSearch, r: int) -> None:
    """Note what a type pays with each class."""
    scan, units, whole = s.scan, s.units, s.scan.whole
    arrays = s.arrays
    rough = scan.rough
    starts, examples, paid = scan.starts, scan.examples, scan.paid
    for j in range(s.low.shape[1]):
        if scan.is_line[j]:
            continue
        own = s.positions[r, j]
        for at in range(starts[j], starts[j + 1]):
            other = examples[at]
            a, b = min(own, other), max(own, other)
            paid[at] = cost_between(arrays, units, j, a, b)
        least = cost_between(arrays, units, j, own, own)
        if scan.is_mixed[j] and _is_rare(s, r, j):  # with others of its class
            least = np.int64(units[j] if units[j] >= 0 else NO_GROUP)
            if arrays.kind[j] == TREE and units[j] >= 0:
                at = arrays.start[j]
                node = at + arrays.parent[at + own]
                least = units[j] * arrays.amount[node]
        paid[starts[j] + scan.of[r, j]] = least
    for at in range(len(paid)):
        rough[at] = np.float32(paid[at] / whole)


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
    positions, low, high, units = s.positions, s.low, s.high, s.units
    arrays = s.arrays
    for j in range(len(units)):
        here = positions[t, j]
        first, end = min(low[level, j], here), max(high[level, j], here)
        total += cost_between(arrays, units, j, first, end)
        if total >= ceiling:
            break
    return total


@inner
def cost_between(arrays: ScaleArrays, units: Ints, j: int, low: int, high: int) -> int:
    """Return what a row pays in a column for a range: ``extent``, times the unit."""
    kind, start, amount, parent, last, single = arrays
    unit, at = units[j], start[j]
    cost = unit
    if low == high:
        cost = np.int64(0)
        if unit >= 0 and kind[j] != FLAT:
            cost = unit * single[at + low]
    elif unit < 0:
        cost = np.int64(NO_GROUP)
    elif kind[j] == TREE:
        node = parent[at + low]
        while last[at + node] < high:
            node = parent[at + node]
        cost = unit * amount[at + node]
    elif kind[j] == NUMERIC:
        length = amount[at + 1 + high] - last[at + 1 + low]
        cost = unit * max(length, last[at])
        if parent[at + 1 + low] < high:
            cost = unit * amount[at]
    return int(cost)


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
