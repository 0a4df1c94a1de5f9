"""Raise prices of rows until some group pays no more than its prices: loops."""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.cheapest_groups.in_reach import first_near
from starmin.models.cheapest_groups.near_types import (
    NO_GROUP,
    GroupSearch,
    choose,
    joined,
    list_near,
)
from starmin.models.cheapest_groups.slack_search import least_slack

_TRIED = 50  # types for some group


@compiled
def raise_prices(
    s: GroupSearch,
    own: Ints,
    by_cost: Ints,
    begin: int,
    end: int,
    prices: Ints,
    cut: Bools,
    most_work: int,
) -> None:
    """Raise prices by falling cost, each by what the cheapest group of its row leaves.

    ``own`` is by type what a row pays at least, and ``by_cost`` the types by what they
    pay, of which ``begin`` to ``end`` are raised, the last one first. Updated in place,
    by type: ``prices``, of which no k rows have more than they pay, and ``cut``, the
    types to look at: those whose search was cut short when it was last made. A search
    is cut short once ``most_work`` types have been looked at for one type. The room of
    ``s`` is used.
    """
    highest, least = np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    _note_highest(by_cost, prices, highest, 0)
    _note_least(own, by_cost, highest, least, s.k)
    for i in range(end - 1, begin - 1, -1):
        r = by_cost[i]
        if not cut[r]:
            continue
        best = _slack_of_some(s, r, own[r], prices)
        if best <= 0:
            cut[r] = False
            continue
        ceiling = _ceiling(own, by_cost, highest, least, best + prices[r], s.k)
        left, cut[r] = least_slack(s, r, best, ceiling, prices, most_work)
        gain = left // min(s.counts[r], s.k, s.most)
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
def _ceiling(
    own: Ints, by_cost: Ints, highest: Ints, least: Ints, aim: int, k: int
) -> int:
    """Return from which cost on groups pay so much more than all prices but one.

    ``aim`` is what they are to pay above the prices of their other rows.
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


@inner
def _slack_of_some(s: GroupSearch, r: int, own: int, prices: Ints) -> int:
    """Return what some group with a row of a type pays above its prices."""
    k = s.k
    for j in range(s.low.shape[1]):
        s.low[0, j] = s.high[0, j] = s.positions[r, j]
    copies = min(k, s.counts[r], s.most)
    s.used[:] = 0
    s.used[s.values[r]] = copies
    list_near(s, r, own + 1)
    places, taken = np.zeros(_TRIED, np.int64), np.zeros(_TRIED, np.bool_)
    size = first_near(s, places)
    total, cost = copies * prices[r], joined(s, 0, r, NO_GROUP)
    need = k - copies
    s.met[s.values[r]] = copies
    for j in range(s.low.shape[1]):
        s.low[1, j] = s.high[1, j] = s.positions[r, j]
    while need > 0:
        best, chosen = np.int64(NO_GROUP), -1
        for i in range(size):
            t = s.lists[0, places[i]]
            rows = min(need, s.counts[t], s.most - s.met[s.values[t]])
            if rows > 0 and not taken[i]:
                cost_here = joined(s, 1, t, own + 1)
                if cost_here <= own:
                    left = k * cost_here - rows * prices[t]
                    if left < best:
                        best, chosen, cost = left, i, cost_here
        if chosen < 0:
            break
        taken[chosen] = True
        t = s.lists[0, places[chosen]]
        rows = min(need, s.counts[t], s.most - s.met[s.values[t]])
        s.met[s.values[t]] += rows
        total += rows * prices[t]
        need -= rows
        choose(s, 1, t, 1)
    s.met[:] = 0
    return int(k * own - prices[r] if need > 0 else k * cost - total)
