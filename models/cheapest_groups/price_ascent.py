"""Raise prices of rows until some group pays no more than its prices: loops."""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.cheapest_groups.near_types import NO_GROUP, GroupSearch
from starmin.models.cheapest_groups.slack_search import least_slack, slack_of_some


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
    cut
        Types to look at: those whose search was cut short when it was last made.
        Updated.
    most_work
        Types that are looked at for one of them before its search is cut short.
    """
    highest, least = np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    _note_highest(by_cost, prices, highest, 0)
    _note_least(own, by_cost, highest, least, s.k)
    for i in range(end - 1, begin - 1, -1):
        r = by_cost[i]
        if not cut[r]:
            continue
        best = slack_of_some(s, r, own[r], prices)
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
