"""Search for the cheapest group of each row type among the types near it: loops."""

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.cheapest_groups.near_types import (
    NO_GROUP,
    GroupSearch,
    choose,
    joined,
    list_near,
    sort,
)

_SAMPLED = 16  # one in so many types is looked at for a first group
_TRIED = 50  # of these


@compiled
def search_groups(
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
        for j in range(s.low.shape[1]):
            s.low[0, j] = s.high[0, j] = s.positions[r, j]
        return int(joined(s, 0, r, NO_GROUP))
    list_near(s, r, ceiling, r % _SAMPLED, _SAMPLED)
    ceiling = _dive(s, r, ceiling)
    list_near(s, r, ceiling, 0, 1)
    ceiling = _dive(s, r, ceiling)
    for j in range(s.low.shape[1]):
        s.low[0, j] = s.high[0, j] = s.positions[r, j]
    s.next[0] = 0
    chosen, rows, work, level = np.zeros(s.k, np.int64), s.counts[r], 0, 0
    while level >= 0:
        at = s.next[level]
        least = _least_cost(s, level, at, s.k - rows)
        if work > most_work:
            return int(_least_left(s, level, s.k - s.counts[r], chosen, ceiling))
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
        choose(s, level, t, level + 1)
        chosen[level] = s.counts[t]
        rows += s.counts[t]
        size = 0
        for i in range(at + 1, s.sizes[level]):
            if s.costs[level, i] >= ceiling:
                break
            u = s.lists[level, i]
            cost = joined(s, level + 1, u, ceiling)
            if cost < ceiling:
                s.lists[level + 1, size], s.costs[level + 1, size] = u, cost
                size += 1
            work += 1
        level += 1
        s.sizes[level], s.next[level] = size, 0
        sort(s, level)
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
                here = joined(s, 1, s.lists[0, i], cost)
                if here < cost:
                    best, cost = i, here
        if best < 0:
            return ceiling
        taken[best] = True
        rows += s.counts[s.lists[0, best]]
        choose(s, 1, s.lists[0, best], 1)
    return min(ceiling, cost + 1)


@inner
def _least_cost(s: GroupSearch, level: int, at: int, need: int) -> int:
    """Return what a group costs at least that takes its rows from here on."""
    for i in range(at, s.sizes[level]):
        need -= s.counts[s.lists[level, i]]
        if need <= 0:
            return int(s.costs[level, i])
    return NO_GROUP
