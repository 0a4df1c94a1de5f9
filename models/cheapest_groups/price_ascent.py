"""Raise prices of rows until some group pays no more than its prices: loops."""

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


@compiled
def raise_prices(
    s: GroupSearch,
    own: Ints,
    by_cost: Ints,
    begin: int,
    end: int,
    prices: Ints,
    most_work: int,
) -> None:
    """Raise prices by falling cost, each by what the cheapest group of its row leaves.

    Parameters
    ----------
    s
        The types; its room is used.
    own
        What a row of each type pays at least.
    by_cost
        The types by what they pay.
    begin, end
        Which of these are raised, the last one first.
    prices
        Of each type; no k rows have more than they pay. Updated.
    most_work
        Types that are looked at for one of them before it is left.
    """
    highest, least = np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    _note_highest(by_cost, prices, highest, 0)
    _note_least(own, by_cost, highest, least, s.k)
    for i in range(end - 1, begin - 1, -1):
        r = by_cost[i]
        left = _left(s, r, own, by_cost, highest, least, prices, most_work)
        gain = left // min(s.counts[r], s.k)
        if gain > 0:
            prices[r] += gain
            if prices[r] > highest[i]:
                _note_highest(by_cost, prices, highest, i)
                _note_least(own, by_cost, highest, least, s.k)


@inner
def _note_highest(by_cost: Ints, prices: Ints, highest: Ints, begin: int) -> None:
    """Note the highest price of the types up to each, by cost."""
    for i in range(begin, len(by_cost)):
        before = highest[i - 1] if i > 0 else np.int64(0)
        highest[i] = max(before, prices[by_cost[i]])


@inner
def _note_least(own: Ints, by_cost: Ints, highest: Ints, least: Ints, k: int) -> None:
    """Note what groups of such a cost or more pay above the prices of all rows but one.

    At least: each row of a group at cost c could be in one that costs c or less, so
    that none of their prices is above the highest one of such rows.
    """
    after = NO_GROUP
    for i in range(len(own) - 1, -1, -1):
        after = min(after, k * own[by_cost[i]] - (k - 1) * highest[i])
        least[i] = after


@inner
def _left(
    s: GroupSearch,
    r: int,
    own: Ints,
    by_cost: Ints,
    highest: Ints,
    least: Ints,
    prices: Ints,
    most_work: int,
) -> int:
    """Return what groups with a row of a type pay above their prices at least.

    Depth first, the dearest of the other types first.
    """
    k = s.k
    for j in range(s.low.shape[1]):
        s.low[0, j] = s.high[0, j] = s.positions[r, j]
    best = _greedy(s, r, own[r], prices)
    if best <= 0:
        return 0
    list_near(s, r, _ceiling(own, by_cost, highest, least, best + prices[r], k), 0, 1)
    size = s.sizes[0]
    if s.counts[r] > 1:
        s.lists[0, size] = r
        size += 1
    s.sizes[0] = size
    for i in range(size):
        s.costs[0, i] = -prices[s.lists[0, i]]
    sort(s, 0)
    cost, paid = np.zeros(k, np.int64), np.zeros(k, np.int64)
    need = np.zeros(k, np.int64)
    cost[0], paid[0], need[0] = joined(s, 0, r, NO_GROUP), prices[r], k - 1
    s.next[0] = 0
    level, work = 0, 0
    while level >= 0:
        at = s.next[level]
        gained = _dearest(s, r, level, at, need[level], prices)
        if gained < 0 or k * cost[level] - paid[level] - gained >= best:
            level -= 1
            continue
        if work > most_work:
            for above in range(level + 1):
                gained = _dearest(s, r, above, s.next[above], need[above], prices)
                if gained >= 0:
                    best = min(best, k * cost[above] - paid[above] - gained)
            return int(best)
        t = s.lists[level, at]
        s.next[level] += 1
        work += 1
        copies = s.counts[t] - (1 if t == r else 0)
        taken = min(copies, need[level])
        total = paid[level] + taken * prices[t]
        here = joined(s, level, t, NO_GROUP)
        missing = need[level] - taken
        if missing == 0:
            best = min(best, k * here - total)
            continue
        if at + 1 >= s.sizes[level]:
            continue
        dearest = prices[s.lists[level, at + 1]]
        if k * here - total - missing * dearest >= best:
            continue
        choose(s, level, t, level + 1)
        size = 0
        for i in range(at + 1, s.sizes[level]):
            u = s.lists[level, i]
            joint = joined(s, level + 1, u, NO_GROUP)
            if k * joint - total - prices[u] - (missing - 1) * dearest < best:
                s.lists[level + 1, size] = u
                size += 1
        work += s.sizes[level] - at
        level += 1
        s.sizes[level], s.next[level] = size, 0
        cost[level], paid[level], need[level] = here, total, missing
    return int(best)


@inner
def _dearest(
    s: GroupSearch, r: int, level: int, at: int, need: int, prices: Ints
) -> int:
    """Return the highest sum of prices of rows from here on; -1 if too few."""
    total = np.int64(0)
    for i in range(at, s.sizes[level]):
        t = s.lists[level, i]
        taken = min(need, s.counts[t] - (1 if t == r else 0))
        total += taken * prices[t]
        need -= taken
        if need == 0:
            return int(total)
    return -1


@inner
def _greedy(s: GroupSearch, r: int, own: int, prices: Ints) -> int:
    """Return what some group with a row of a type pays above its prices."""
    k = s.k
    list_near(s, r, own + 1, 0, 1)
    size = min(s.sizes[0], 50)
    total, cost = min(k, s.counts[r]) * prices[r], joined(s, 0, r, NO_GROUP)
    need = k - min(k, s.counts[r])
    taken = np.zeros(size, np.bool_)
    for j in range(s.low.shape[1]):
        s.low[1, j] = s.high[1, j] = s.positions[r, j]
    while need > 0:
        best, chosen = np.int64(NO_GROUP), -1
        for i in range(size):
            if not taken[i]:
                t = s.lists[0, i]
                cost_here = joined(s, 1, t, own + 1)
                if cost_here <= own:
                    left = k * cost_here - min(need, s.counts[t]) * prices[t]
                    if left < best:
                        best, chosen, cost = left, i, cost_here
        if chosen < 0:
            return int(k * own - prices[r])
        taken[chosen] = True
        t = s.lists[0, chosen]
        rows = min(need, s.counts[t])
        total += rows * prices[t]
        need -= rows
        choose(s, 1, t, 1)
    return int(k * cost - total)


@inner
def _ceiling(
    own: Ints, by_cost: Ints, highest: Ints, least: Ints, aim: int, k: int
) -> int:
    """Return from which cost on groups pay so much more than all prices but one.

    Parameters
    ----------
    aim
        What they are to pay above the prices of their other rows.
    """
    low, high = 0, len(own)
    while low < high:
        middle = (low + high) // 2
        if least[middle] >= aim:
            high = middle
        else:
            low = middle + 1
    if low == 0:
        return int(own[by_cost[0]])
    cost = (aim + (k - 1) * highest[low - 1]) // k + 1
    cost = max(cost, own[by_cost[low - 1]])
    return int(cost if low == len(own) else min(cost, own[by_cost[low]]))
