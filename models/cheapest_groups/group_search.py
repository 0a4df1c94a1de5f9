"""Search for the cheapest group of each row type among the types near it: loops."""

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.cheapest_groups.in_reach import first_near
from starmin.models.cheapest_groups.near_types import (
    NO_GROUP,
    GroupSearch,
    choose,
    joined,
    list_beside,
    list_near,
    sort,
)

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
        for j in range(s.low.shape[1]):
            s.low[0, j] = s.high[0, j] = s.positions[r, j]
        return int(joined(s, 0, r, NO_GROUP))
    s.used[:] = 0
    s.used[s.values[r]] = rows
    list_beside(s, r, ceiling, _BESIDE)
    ceiling = _dive(s, r, ceiling)
    list_near(s, r, ceiling)
    ceiling = _dive(s, r, ceiling)
    for j in range(s.low.shape[1]):
        s.low[0, j] = s.high[0, j] = s.positions[r, j]
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
    for j in range(s.low.shape[1]):
        s.low[1, j] = s.high[1, j] = s.positions[r, j]
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
