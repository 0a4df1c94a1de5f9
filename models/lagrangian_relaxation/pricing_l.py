"""Compiled loops that solve the pricing problems, for frequency l-diversity.

No sensitive value may be too frequent in a choice; k-anonymity may be asked for too.
The case without diversity is ``pricing_k``.
"""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.pattern_fills import best_cap_by
from starmin.models.lagrangian_relaxation.pricing_distinct import (
    Memory,
    PricingData,
    Workspace,
    add,
    heapify,
    list_candidates,
    scan_members,
    sift_down,
)
from starmin.models.price_unit import INFEASIBLE, NO_PRICE

# Sets of l different sensitive values: what all l-diverse choices consist of.
#
# A choice has at most h copies of each sensitive value and at least l h in all. Deal
# its copies, sorted by value, in turn to h *sets*: no set gets a value twice, each
# gets l copies at least, and any of the sets together are a valid choice again. So,
# with c the cost of the pattern, :math:`m_v` the highest price among its members of
# value v, and :math:`m_{(1)} \ge m_{(2)} \ge \dots` in order:
#
# - **A choice can have a negative value only if** :math:`m_{(1)} + \dots + m_{(l)} >
#   l c`. For if its value is negative, so is that of some set. While there are more
#   than l copies in that set drop the one of highest reduced cost: what is left stays
#   negative, whether that one has a negative reduced cost (then all have) or not.
# - **Its members have a reduced cost below** :math:`\theta = \sum_{i < l} \max(0,
#   m_{(i)} - c)`. Take a best choice with the fewest copies. Each of its sets has a
#   negative value, else the set could be left out; and a set with a copy whose reduced
#   cost is not negative has just l copies, else the copy could be left out. The other
#   l - 1 have reduced costs of :math:`-\theta` or more together.
#
# If k-anonymity is asked for too, there are fewer choices, and the first statement
# holds all the more; the second holds where :math:`k \le l`, as a set need not be
# kept for its size then.


@compiled
def sort_by_value(starts: Ints, types: Int32s, values: Int32s, distinct: int) -> Int32s:
    """Sort the members of each pattern by their sensitive values, in linear time.

    The members of pattern p are ``types[starts[p] : starts[p + 1]]``; returns ``types``
    with each pattern's part in the new order. ``values`` are by type, of ``distinct``
    different ones.
    """
    sorted_types = np.empty_like(types)
    at = np.empty(distinct + 1, np.int64)
    for p in range(len(starts) - 1):
        members = types[starts[p] : starts[p + 1]]
        at[:] = 0
        for t in members:
            at[values[t] + 1] += 1
        at[0] = starts[p]
        for v in range(distinct):
            at[v + 1] += at[v]
        for t in members:
            sorted_types[at[values[t]]] = t
            at[values[t]] += 1
    return sorted_types


@inner
def sum_highest_prices(
    members: Int32s, prices: Ints, values: Int32s, highest: Ints
) -> int:
    """Return the sum of the l highest :math:`m_v`; list them in ascending order.

    ``members`` are the types of a pattern, in order of their values; ``prices`` and
    ``values`` are by type. The prices are written to ``highest``, of length l; where
    there are fewer values the sum is ``NO_PRICE``.
    """
    highest[:] = NO_PRICE
    current, top = -1, 0
    for t in members:
        price = prices[t]
        if values[t] != current:
            if current >= 0:
                insert(highest, top)
            current, top = values[t], price
        elif price > top:
            top = price
    insert(highest, top)
    return NO_PRICE if highest[0] == NO_PRICE else int(highest.sum())


@inner
def insert(highest: Ints, price: int) -> None:
    """Replace the least of the highest prices by this one, if it is higher."""
    if price <= highest[0]:
        return
    i = 0
    while i + 1 < len(highest) and highest[i + 1] < price:
        highest[i] = highest[i + 1]
        i += 1
    highest[i] = price


@compiled
def solve_pricing_l(
    data: PricingData,
    prices: Ints,
    risen: int,
    memory: Memory,
    workspace: Workspace,
    supergradient: Ints,
    chosen: Ints,
) -> tuple[int, int, float]:
    """Return the sum of ``min(0, f_p)`` over all patterns, for l-diversity and k.

    Most patterns are seen to have no negative value by the highest price of each
    sensitive value, and few members of the others can be in a best choice
    (``starmin.models.lagrangian_relaxation.pricing_l``).

    Arguments and result are those of ``solve_pricing_k``, but in the data the members
    of each pattern are in order of their values. To ``chosen``, unless it is empty, the
    copies of each member in the best choices of negative value are added.
    """
    low, high, about = 0, 0, 0.0
    starts, types, cost, counts = data.starts, data.members, data.cost, data.counts
    values, k, l, highest = data.values, data.k, data.l, workspace.highest
    problem = data, workspace
    for p in range(len(cost)):
        if memory.next_look[p] > risen:
            continue
        members = types[starts[p] : starts[p + 1]]
        missing = l * cost[p] - sum_highest_prices(members, prices, values, highest)
        if missing >= 0:
            memory.next_look[p] = risen + missing // l + 1
            continue
        gain, copies, _ = scan_members(members, cost[p], counts, prices)
        frequency = _highest_frequency(data, members, cost[p], prices, workspace.used)
        if copies >= k and l * frequency <= copies:
            _take_gainful(data, p, prices, supergradient, chosen)
            low, high = add(low, high, gain)
            about += gain
            continue
        above = -gain
        if k <= l:
            above = np.maximum(highest[1:] - cost[p], 0).sum()
        keys, items = workspace.keys, workspace.items
        size = list_candidates(
            members, cost[p], prices, -INFEASIBLE, above, keys, items
        )
        heapify(keys, items, size)
        workspace.sizes[0], workspace.sizes[1] = size, 0
        most = max(frequency, -(-k // l))
        # No h above both k / l and the most copies of a value with a negative reduced
        # cost is better than that. Of a choice for such an h drop, of each value, the
        # most expensive copies above the smaller bound H: none has a negative reduced
        # cost, and at least H / h of the copies stay, so l H or more.
        h = best_cap_by(_choose, problem, 1, most, k, l, memory.caps[p])
        memory.caps[p] = h
        value, taken = _choose(problem, h, max(k, l * h))
        if value < 0:
            if len(chosen):
                for i in range(len(members)):
                    workspace.place[members[i]] = starts[p] + i
            _take(data, workspace, h, taken, supergradient, chosen)
            low, high = add(low, high, value)
            about += value
    return low, high, about


@inner
def _highest_frequency(
    data: PricingData, members: Int32s, cost: int, prices: Ints, used: Ints
) -> int:
    """Return the most copies of one value among those of negative reduced cost."""
    counts, values, highest = data.counts, data.values, 0
    for t in members:
        if prices[t] > cost:
            used[values[t]] += counts[t]
            highest = max(highest, used[values[t]])
    for t in members:
        used[values[t]] = 0
    return highest


@inner
def _take_gainful(
    data: PricingData, p: int, prices: Ints, supergradient: Ints, chosen: Ints
) -> None:
    """Take all copies of negative reduced cost."""
    members, counts, cost = data.members, data.counts, data.cost[p]
    for i in range(data.starts[p], data.starts[p + 1]):
        t = members[i]
        if prices[t] > cost:
            supergradient[t] -= counts[t]
            if len(chosen):
                chosen[i] += counts[t]


@inner
def _choose(
    problem: tuple[PricingData, Workspace], h: int, need: int
) -> tuple[int, int]:
    """Return value and copies of the best choice for this h; or INFEASIBLE.

    At most h copies of a value are taken, and at least ``need`` in all. Members move
    from the heap to the queue, cheapest first, as far as they are needed.
    """
    data, workspace = problem
    counts, values, used = data.counts, data.values, workspace.used
    queue_keys, queue_items = workspace.queue_keys, workspace.queue_items
    sizes = workspace.sizes
    total, value, i = 0, 0, 0
    while True:
        if i == sizes[1]:
            if sizes[0] == 0:
                break
            _move(workspace)
        reduced, t = queue_keys[i], queue_items[i]
        take = min(counts[t], h - used[values[t]])
        if reduced >= 0:
            if total >= need:
                break
            take = min(take, need - total)
        used[values[t]] += take
        total += take
        value += take * reduced
        i += 1
    for j in range(i):
        used[values[queue_items[j]]] = 0
    return (value if total >= need else INFEASIBLE), total


@inner
def _move(workspace: Workspace) -> None:
    """Move the cheapest member of the heap to the end of the queue."""
    keys, items, sizes = workspace.keys, workspace.items, workspace.sizes
    last = sizes[1]
    workspace.queue_keys[last], workspace.queue_items[last] = keys[0], items[0]
    sizes[0] -= 1
    sizes[1] += 1
    keys[0], items[0] = keys[sizes[0]], items[sizes[0]]
    sift_down(keys, items, 0, sizes[0])


@inner
def _take(
    data: PricingData,
    workspace: Workspace,
    h: int,
    copies: int,
    supergradient: Ints,
    chosen: Ints,
) -> None:
    """Take the cheapest ``copies`` of the queue, at most h of a value."""
    counts, values, used = data.counts, data.values, workspace.used
    i = 0
    while copies > 0:
        t = workspace.queue_items[i]
        take = min(counts[t], h - used[values[t]], copies)
        used[values[t]] += take
        copies -= take
        supergradient[t] -= take
        if len(chosen):
            chosen[workspace.place[t]] += take
        i += 1
    for j in range(i):
        used[values[workspace.queue_items[j]]] = 0
