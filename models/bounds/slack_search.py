"""Search for the group of a row that pays least above its prices: loops."""

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.bounds.near_types import (
    NO_GROUP,
    GroupSearch,
    choose,
    find_near,
    joined,
    list_near,
    sort,
)
from starmin.models.lagrangian_relaxation.pricing_l import insert

# Keep of the types listed those that a group may need: loops.


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
            insert(dearest, prices[r])
        for i in range(before):
            t = s.lists[0, i]
            for _ in range(min(s.counts[t], s.k - 1)):
                if prices[t] <= dearest[0]:
                    break
                insert(dearest, prices[t])
        aim = best + prices[r] + dearest.sum()
        for i in range(before):
            if s.k * s.costs[0, i] < aim:
                s.lists[0, size], s.costs[0, size] = s.lists[0, i], s.costs[0, i]
                size += 1
    s.sizes[0] = size


@inner
def least_slack(
    s: GroupSearch,
    r: int,
    best: int,
    ceiling: int,
    prices: Ints,
    barred: Bools,
    most_work: int,
    low: Int32s,
    high: Int32s,
) -> tuple[int, bool]:
    """Return what groups with a row of a type pay above their prices at least, or a
    lower bound, and whether the search was cut short.

    Branch and bound over the ranges that groups publish, depth first: the ranges grow
    by one type after the other, the dearest first, and of all rows inside them the
    dearest are taken. Ranges that cover a type that was passed over are left out: with
    a row of it, no cheaper than the one for which it was passed over and of the same
    sensitive value, a group pays no more, and it has been looked at. How many rows may
    have the same value is asked of the rows that are taken, and not of bounds.

    The type is ``r``, and ``prices`` are by type. Of interest are groups that pay less
    than ``best`` above their prices; those that cost a row ``ceiling`` or more do not,
    and no other row is of a type that is ``barred``. ``low`` and ``high`` become the
    ranges of the group that pays least, if one does. The search is cut short once
    ``most_work`` types have been looked at.
    """
    k = s.k
    s.low[0] = s.high[0] = s.positions[r]
    s.used[:] = 0
    s.used[s.values[r]] = 1
    find_near(s, r, ceiling)
    _leave_out(s, barred)
    keep_in_reach(s, r, prices, best)
    size = s.sizes[0]
    if s.counts[r] > 1:
        s.lists[0, size] = r
        size += 1
    s.sizes[0] = size
    for i in range(size):
        s.costs[0, i] = -prices[s.lists[0, i]]
    sort(s, 0)
    # Of each level what a row pays in its ranges, and the least of what it pays where
    # they grow; how many rows inside them come before the next type, and their prices.
    here, nearest = np.zeros(k, np.int64), np.zeros(k, np.int64)
    taken, got = np.zeros(k, np.int64), np.zeros(k, np.int64)
    here[0] = joined(s, 0, r, NO_GROUP)
    for i in range(s.sizes[0]):
        s.costs[0, i] = joined(s, 0, s.lists[0, i], NO_GROUP)
    paid = prices[r]
    slack = k * here[0] - paid - _inside(s, r, 0, here, nearest, prices)
    if slack < best:
        best = slack
        low[:], high[:] = s.low[0], s.high[0]
    level, work, s.next[0] = 0, 0, 0
    while level >= 0:
        _pass_inside(s, r, level, here, taken, got, prices)
        at = s.next[level]
        total, last = _dearest(s, r, level, here, taken[level], got[level], prices)
        if total < 0 or k * nearest[level] - paid - total >= best:
            level -= 1
            continue
        if work > most_work:
            for above in range(level + 1):
                total, _ = _dearest(s, r, above, here, taken[above], got[above], prices)
                if total >= 0:
                    best = min(best, k * nearest[above] - paid - total)
            return int(best), True
        t, cost = s.lists[level, at], s.costs[level, at]
        s.next[level] += 1
        work += 1
        if k * cost - paid - total >= best:
            continue
        choose(s, level, t, level + 1)
        if _covers_passed(s, level, here, cost):
            continue
        size = 0
        for i in range(s.sizes[level]):
            if i < at and s.costs[level, i] > here[level]:
                continue
            u = s.lists[level, i]
            joint = joined(s, level + 1, u, NO_GROUP)
            if k * joint - paid - total + max(0, last - prices[u]) < best:
                s.lists[level + 1, size], s.costs[level + 1, size] = u, joint
                size += 1
        work += s.sizes[level]
        level += 1
        s.sizes[level], s.next[level] = size, 0
        if not _keep_below(s, r, level, cost, best, prices):
            level -= 1
            continue
        here[level], taken[level], got[level] = cost, 0, 0
        slack = k * cost - paid - _inside(s, r, level, here, nearest, prices)
        if slack < best:
            best = slack
            low[:], high[:] = s.low[level], s.high[level]
    return int(best), False


@inner
def _leave_out(s: GroupSearch, barred: Bools) -> None:
    """Leave types out of the first list."""
    size = 0
    for i in range(s.sizes[0]):
        if not barred[s.lists[0, i]]:
            s.lists[0, size], s.costs[0, size] = s.lists[0, i], s.costs[0, i]
            size += 1
    s.sizes[0] = size


@inner
def _keep_below(
    s: GroupSearch, r: int, level: int, here: int, best: int, prices: Ints
) -> bool:
    """Keep the types of a list with which a group may pay less than this, again and
    again; tell whether there are enough.

    ``here`` is what a row pays in the ranges. Rows of the dearest of those left have
    the highest prices that a group can have.
    """
    before = s.sizes[level] + 1
    while s.sizes[level] < before:
        before, size = s.sizes[level], 0
        need, total, last = s.k - 1, prices[r], np.int64(0)
        for i in range(before):
            t = s.lists[level, i]
            rows = min(need, s.counts[t] - (1 if t == r else 0))
            if rows > 0:
                total, last = total + rows * prices[t], prices[t]
            need -= rows
            if need == 0:
                break
        if need > 0:
            return False
        for i in range(before):
            t, cost = s.lists[level, i], s.costs[level, i]
            cheaper = max(0, last - prices[t])  # than the one whose place it takes
            if cost <= here or s.k * cost - total + cheaper < best:
                s.lists[level, size], s.costs[level, size] = t, cost
                size += 1
        s.sizes[level] = size
    return True


@inner
def _inside(
    s: GroupSearch, r: int, level: int, here: Ints, nearest: Ints, prices: Ints
) -> int:
    """Return the highest sum of prices of rows inside the ranges; far below 0 if too
    few. Notes what the nearest type outside costs.
    """
    need, total, near = s.k - 1, np.int64(0), np.int64(NO_GROUP)
    s.met[s.values[r]] = 1
    for i in range(s.sizes[level]):
        if s.costs[level, i] > here[level]:
            near = min(near, s.costs[level, i])
        elif need > 0:
            t = s.lists[level, i]
            copies = s.counts[t] - (1 if t == r else 0)
            rows = min(need, copies, s.most - s.met[s.values[t]])
            s.met[s.values[t]] += rows
            total += rows * prices[t]
            need -= rows
    forget_met(s, r, level, s.sizes[level])
    nearest[level] = near
    return int(total if need == 0 else -NO_GROUP)


@inner
def _pass_inside(
    s: GroupSearch, r: int, level: int, here: Ints, taken: Ints, got: Ints, prices: Ints
) -> None:
    """Go on to the next type outside the ranges; take rows of those before it."""
    at = s.next[level]
    while at < s.sizes[level] and s.costs[level, at] <= here[level]:
        t = s.lists[level, at]
        rows = min(s.k - 1 - taken[level], s.counts[t] - (1 if t == r else 0))
        taken[level] += rows
        got[level] += rows * prices[t]
        at += 1
    s.next[level] = at


@inner
def _dearest(
    s: GroupSearch, r: int, level: int, here: Ints, taken: int, got: int, prices: Ints
) -> tuple[int, int]:
    """Return the highest sum of prices of rows with those taken and the lowest of the
    others; -1 where there are too few, or ranges that grow are of no use.
    """
    if s.most < s.k:
        total, lowest = _dearest_of_values(s, r, level, here, prices)
        return int(total), int(lowest)
    need, last = s.k - 1 - taken, np.int64(0)
    if need == 0 or level == s.k - 1:
        return -1, 0
    for i in range(s.next[level], s.sizes[level]):
        t = s.lists[level, i]
        rows = min(need, s.counts[t] - (1 if t == r else 0))
        if rows > 0:
            got, last = got + rows * prices[t], prices[t]
        need -= rows
        if need == 0:
            return int(got), int(last)
    return -1, 0


@inner
def _dearest_of_values(
    s: GroupSearch, r: int, level: int, here: Ints, prices: Ints
) -> tuple[int, int]:
    """Return the same where only some rows may have the same sensitive value."""
    need, total, last = s.k - 1, np.int64(0), np.int64(0)
    if level == s.k - 1:
        return -1, 0
    at, found = s.next[level], False
    s.met[s.values[r]] = 1
    for i in range(s.sizes[level]):
        if i < at and s.costs[level, i] > here[level]:
            continue
        t = s.lists[level, i]
        copies = s.counts[t] - (1 if t == r else 0)
        rows = min(need, copies, s.most - s.met[s.values[t]])
        if rows > 0:
            s.met[s.values[t]] += rows
            total, last = total + rows * prices[t], prices[t]
        need -= rows
        if need == 0:
            found = i >= at  # else all are inside the ranges: growing is of no use
            break
    forget_met(s, r, level, s.sizes[level])
    return (int(total), int(last)) if found else (-1, 0)


@inner
def _covers_passed(s: GroupSearch, level: int, here: Ints, cost: int) -> bool:
    """Tell whether the next ranges cover a type that was passed over."""
    for above in range(level + 1):
        last = s.next[above] - 1  # the one that the ranges grew by
        value = s.values[s.lists[above, last]]
        for i in range(last):
            t = s.lists[above, i]
            if s.costs[above, i] <= here[above] or s.values[t] != value:
                continue
            if joined(s, level + 1, t, cost + 1) <= cost:
                return True
    return False


# Raise prices of rows until some group pays no more than its prices: loops.

_TRIED = 50  # types for some group
# What is looked for first pays so many doublings less: much less work proves that.
_DOUBLINGS = 4


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

    ``own`` is by type what a row pays at least, and ``by_cost`` the types by what they
    pay, of which ``begin`` to ``end`` are raised, the last one first. ``prices``, of
    which no k rows have more than they pay, are by type and updated in place. A search
    is cut short once ``most_work`` types have been looked at for one type. The room of
    ``s`` is used.
    """
    highest, least = np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    none = np.zeros(len(own), np.bool_)
    low, high = np.empty_like(s.low[0]), np.empty_like(s.low[0])
    _note_highest(by_cost, prices, highest, 0)
    _note_least(own, by_cost, highest, least, s.k)
    for i in range(end - 1, begin - 1, -1):
        r = by_cost[i]
        best = slack_of_some(s, r, own[r], prices)
        left, aim, open_ = np.int64(0), max(1, best >> _DOUBLINGS), best > 0
        while open_:
            ceiling = _ceiling(own, by_cost, highest, least, aim + prices[r], s.k)
            asked = s, r, aim, ceiling, prices, none, most_work, low, high
            found, cut = least_slack(*asked)
            left = max(left, found)
            open_ = not cut and found == aim and aim < best
            aim = min(best, 2 * aim)
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
def slack_of_some(s: GroupSearch, r: int, own: int, prices: Ints) -> int:
    """Return what some group with a row of a type pays above its prices.

    It grows by what is best for that; its ranges stay in the second place of ``s``. No
    row of it pays more than ``own``.
    """
    k = s.k
    s.low[0] = s.high[0] = s.positions[r]
    copies = min(k, s.counts[r], s.most)
    s.used[:] = 0
    s.used[s.values[r]] = copies
    list_near(s, r, own + 1)
    places, taken = np.zeros(_TRIED, np.int64), np.zeros(_TRIED, np.bool_)
    size = first_near(s, places)
    total, cost = copies * prices[r], joined(s, 0, r, NO_GROUP)
    need = k - copies
    s.met[s.values[r]] = copies
    s.low[1] = s.high[1] = s.positions[r]
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
