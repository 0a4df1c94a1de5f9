"""Search for the cheapest group of each row type among the types near it: loops."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from instances.loops.compiled import compiled, inlined, inner
from instances.scales.arrays import TREE, ScaleArrays
from instances.scales.loops import extent

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

NO_GROUP = 1 << 60
_SAMPLED = 16  # one in so many types is looked at for a first group
_TRIED = 50  # of these


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
        Least rows of a group.
    paid
        What the type at hand pays with each class.
    low, high
        k x d: the ranges of the types chosen so far, after each choice.
    lists, costs
        k x m: types that may be chosen next, and what a row pays with each.
    sizes, next
        How long the lists are, and the next type of each.
    """

    positions: Codes
    classes: Codes
    shared: Ints
    examples: Codes
    starts: Ints
    counts: Ints
    arrays: ScaleArrays
    units: Ints
    k: int
    paid: Ints
    low: Codes
    high: Codes
    lists: Codes
    costs: Ints
    sizes: Ints
    next: Ints


@compiled
def cheapest_groups(
    s: GroupSearch, begin: int, step: int, found: Ints, most_work: int
) -> None:
    """Find what the cheapest group of each ``step``-th type costs.

    Parameters
    ----------
    s
        The types; its room is used.
    begin, step
        The first of the types, and how far it is from one to the next.
    found
        Of each type the cost, or a lower bound where the search took too long; a group
        of this cost or more is not looked for. Updated.
    most_work
        Types that are looked at in a search before it ends.
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
    if s.counts[r] >= s.k:
        return 0
    _pay(s, r)
    _near(s, r, ceiling, r % _SAMPLED, _SAMPLED)
    ceiling = _dive(s, r, ceiling)
    _near(s, r, ceiling, 0, 1)
    ceiling = _dive(s, r, ceiling)
    for j in range(s.low.shape[1]):
        s.low[0, j] = s.high[0, j] = s.positions[r, j]
    s.next[0] = 0
    chosen, rows, work, level = np.zeros(s.k, np.int64), s.counts[r], 0, 0
    while level >= 0:
        at = s.next[level]
        least = _least_cost(s, level, at, s.k - rows)
        if work > most_work:
            return _least_left(s, level, s.k - s.counts[r], chosen, ceiling)
        if least >= ceiling:
            level -= 1
            if level >= 0:
                rows -= chosen[level]
            continue
        t = s.lists[level, at]
        s.next[level] += 1
        if rows + s.counts[t] >= s.k:
            ceiling = s.costs[level, at]
            continue
        _choose(s, level, t, level + 1)
        chosen[level] = s.counts[t]
        rows += s.counts[t]
        size = 0
        for i in range(at + 1, s.sizes[level]):
            if s.costs[level, i] >= ceiling:
                break
            u = s.lists[level, i]
            cost = _joined(s, level + 1, u, ceiling)
            if cost < ceiling:
                s.lists[level + 1, size], s.costs[level + 1, size] = u, cost
                size += 1
            work += 1
        level += 1
        s.sizes[level], s.next[level] = size, 0
        _sort(s, level)
    return ceiling


@inner
def _least_left(
    s: GroupSearch, level: int, need: int, chosen: Ints, ceiling: int
) -> int:
    """Return what groups cost at least that were not looked at, or the ceiling."""
    for above in range(level + 1):
        ceiling = min(ceiling, _least_cost(s, above, s.next[above], need))
        need -= chosen[above]
    return ceiling


@inner
def _dive(s: GroupSearch, r: int, ceiling: int) -> int:
    """Return a cost just above that of some group of the type, or the ceiling.

    It is built of the nearest types, each time by the one that costs least.
    """
    rows, size, cost = s.counts[r], min(s.sizes[0], _TRIED), ceiling
    taken = np.zeros(size, np.bool_)
    for j in range(s.low.shape[1]):
        s.low[1, j] = s.high[1, j] = s.positions[r, j]
    while rows < s.k:
        best, cost = -1, ceiling
        for i in range(size):
            if not taken[i] and s.costs[0, i] < cost:
                here = _joined(s, 1, s.lists[0, i], cost)
                if here < cost:
                    best, cost = i, here
        if best < 0:
            return ceiling
        taken[best] = True
        rows += s.counts[s.lists[0, best]]
        _choose(s, 1, s.lists[0, best], 1)
    return min(ceiling, cost + 1)


@inner
def _near(s: GroupSearch, r: int, ceiling: int, begin: int, step: int) -> None:
    """List those of each ``step``-th type that cost less with this one, by cost.

    Types of the same classes in the first columns cost as much in these, but for those
    of its own class. Where such a part is too dear, they are passed over.
    """
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
            if classes[t, j] == classes[r, j] and positions[t, j] != positions[r, j]:
                total += paid[starts[j] + classes[t, j]]
        if total < ceiling:
            lists[0, size], costs[0, size] = t, total
            size += 1
    s.sizes[0] = size
    _sort(s, 0)


@inner
def _pay(s: GroupSearch, r: int) -> None:
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
def _choose(s: GroupSearch, before: int, t: int, after: int) -> None:
    """Let a type join these ranges."""
    for j in range(s.low.shape[1]):
        here = s.positions[t, j]
        s.low[after, j] = min(s.low[before, j], here)
        s.high[after, j] = max(s.high[before, j], here)


@inner
def _joined(s: GroupSearch, level: int, t: int, ceiling: int) -> int:
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
    if low == high:
        return 0
    if units[j] < 0:
        return NO_GROUP
    lost: int = units[j] * extent(arrays, j, low, high)
    return lost


@inner
def _least_cost(s: GroupSearch, level: int, at: int, need: int) -> int:
    """Return what a group costs at least that takes its rows from here on."""
    for i in range(at, s.sizes[level]):
        need -= s.counts[s.lists[level, i]]
        if need <= 0:
            return int(s.costs[level, i])
    return NO_GROUP


@inner
def _sort(s: GroupSearch, level: int) -> None:
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
