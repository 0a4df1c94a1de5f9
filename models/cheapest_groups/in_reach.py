"""Keep of the types listed those that a group may need: loops."""

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import inner
from starmin.models.cheapest_groups.near_types import NO_GROUP, GroupSearch


@inner
def first_near(s: GroupSearch, chosen: Ints) -> int:
    """Note the first places of the first list, few of each value; return how many."""
    each, size = max(s.most, len(chosen) * s.most // s.k), 0
    for i in range(s.sizes[0]):
        value = s.values[s.lists[0, i]]
        if s.met[value] < each and size < len(chosen):
            s.met[value] += 1
            chosen[size] = i
            size += 1
    forget_met(s, s.lists[0, 0], 0, s.sizes[0])
    return size


@inner
def forget_met(s: GroupSearch, r: int, level: int, size: int) -> None:
    """Forget that the values of a type and of the first of a list were met."""
    s.met[s.values[r]] = 0
    for i in range(size):
        s.met[s.values[s.lists[level, i]]] = 0


@inner
def keep_in_reach(s: GroupSearch, r: int, prices: Ints, best: int) -> None:
    """Keep of the types listed those that can be in a group that pays less than this.

    A group pays at least k times what its farthest row does with this one alone, and
    its rows have no higher prices than the highest of those listed.
    """
    dearest = np.empty(s.k - 1, np.int64)  # the lowest of these prices first
    before, size = np.int64(NO_GROUP), s.sizes[0]
    while size < before:
        before, size = size, 0
        dearest[:] = 0
        for _ in range(min(s.counts[r], s.k) - 1):
            _take(dearest, prices[r])
        for i in range(before):
            t = s.lists[0, i]
            for _ in range(min(s.counts[t], s.k - 1)):
                if prices[t] <= dearest[0]:
                    break
                _take(dearest, prices[t])
        aim = best + prices[r] + dearest.sum()
        for i in range(before):
            if s.k * s.costs[0, i] < aim:
                s.lists[0, size], s.costs[0, size] = s.lists[0, i], s.costs[0, i]
                size += 1
    s.sizes[0] = size


@inner
def _take(dearest: Ints, price: int) -> None:
    """Put a price among the dearest, in place of the lowest of them."""
    at = 0
    while at + 1 < len(dearest) and dearest[at + 1] < price:
        dearest[at] = dearest[at + 1]
        at += 1
    dearest[at] = price
