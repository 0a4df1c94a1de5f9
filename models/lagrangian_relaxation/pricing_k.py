"""Compiled loops that solve the pricing problems of all patterns, for k-anonymity.

They compute what ``starmin.models.lagrangian_relaxation.price_bound`` defines, in the
same integers, without sorting every pattern: only negative values count in a price
bound, and most patterns are seen to have none by one look at their members, or without
it.

Let g < 0 be the reduced cost of all copies for which it is negative. A choice with a
negative value has no member whose reduced cost is -g or more, since the rest of it
costs g at least. So only the members below -g are *candidates*, and where those with a
negative reduced cost make a group by themselves they are the best choice.

The best choice of a pattern with fewer than k such copies has k copies, and so have the
best ones after prices rise by no more than the reduced cost of the dearest of these.
Where it is worth v >= 0, it is so until prices have risen by v / k: the pattern is not
looked at before.
"""

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.member_scan import (
    add,
    heapify,
    list_candidates,
    scan_members,
    sift_down,
)
from starmin.models.lagrangian_relaxation.pricing_data import (
    Memory,
    PricingData,
    Workspace,
)
from starmin.models.price_unit import INFEASIBLE


@compiled
def solve_pricing_k(
    data: PricingData,
    prices: Ints,
    risen: int,
    memory: Memory,
    workspace: Workspace,
    supergradient: Ints,
) -> tuple[int, int, float]:
    """Return the sum of ``min(0, f_p)`` over all patterns, for k-anonymity.

    The sum is in two words and in floating point (``PriceUnit.total``). ``prices`` are
    by type, in units of ``PriceUnit``; ``risen`` is by how much they rose at most since
    the first call, one call after the other, and ``memory``, from the calls before, is
    updated. The copies in the best choices of negative value are subtracted from
    ``supergradient``.

    Takes O(incidences looked at), and a heap of the candidates of the patterns that
    fewer than k copies with a negative reduced cost fit.
    """
    low, high, about = 0, 0, 0.0
    starts, types, cost, counts, k = (
        data.starts,
        data.members,
        data.cost,
        data.counts,
        data.k,
    )
    keys, items, next_look = workspace.keys, workspace.items, memory.next_look
    for p in range(len(cost)):
        if next_look[p] > risen:
            continue
        members = types[starts[p] : starts[p + 1]]
        gain, copies, least = scan_members(members, cost[p], counts, prices)
        if copies == 0:
            next_look[p] = risen + least
            continue
        if copies < k:
            other, need = data.outside[p], k - copies
            nearest = min(least, other)
            if nearest == INFEASIBLE:
                next_look[p] = INFEASIBLE
                continue
            value = gain + need * nearest
            if value >= 0:
                next_look[p] = risen + min(least, value // k)
                continue
            most = min(-gain, other)
            size = list_candidates(members, cost[p], prices, 0, most, keys, items)
            paid, dearest = _pad(
                *(keys, items, size, counts, need, gain, other, most), supergradient
            )
            gain += paid
            if gain >= 0:
                next_look[p] = risen + min(dearest, gain // k)
                continue
        for t in members:
            if prices[t] > cost[p]:
                supergradient[t] -= counts[t]
        about += gain
        low, high = add(low, high, gain)
    return low, high, about


@inner
def _pad(
    keys: Ints,
    items: Int32s,
    size: int,
    counts: Ints,
    need: int,
    gain: int,
    other: int,
    most: int,
    supergradient: Ints,
) -> tuple[int, int]:
    """Return the cost of the ``need`` cheapest copies, and that of the dearest of them.

    Where that is no less than ``-gain``, it is what they cost at least. All that cost
    less than ``most`` are in the heap; copies of other types cost ``other``.
    """
    heapify(keys, items, size)
    paid, left, dearest = 0, size, most
    while need > 0 and left > 0 and gain + paid < 0:
        dearest, t = keys[0], items[0]
        take = min(need, counts[t])
        paid += take * dearest
        need -= take
        left -= 1
        keys[0], items[0] = keys[left], items[left]
        sift_down(keys, items, 0, left)
        keys[left], items[left] = take, t
    if need > 0 and left == 0:
        dearest = most  # what members left out of the heap cost at least
        if other < INFEASIBLE and gain + paid + need * other < 0:
            paid, need = paid + need * other, 0
    if need == 0 and gain + paid < 0:
        for i in range(left, size):
            supergradient[items[i]] -= keys[i]
    return paid + need * dearest, dearest
