"""Which members of a set can be in a fill that is worth something: loops."""

from starmin.instances.loops.compiled import inner
from starmin.models.node_walk.node_walk_data import CHEAPEST, MATCHED, WITHIN, NodeWalk
from starmin.models.price_unit import ANY_COST


@inner
def members_left(w: NodeWalk, begin: int, end: int, cost: int) -> int:
    """How many members are left by the rules of fill and members; 0: none counts."""
    members, prices, counts = w.members, w.prices, w.counts
    gain, copies, i = 0, 0, begin
    if w.mode == MATCHED:
        return end - begin if _matched(w, begin, end, cost) else 0
    if w.mode == WITHIN:
        while i < end and prices[members[i]] >= cost:
            copies += counts[members[i]]
            i += 1
        return i - begin if copies >= w.k else 0
    if w.mode == CHEAPEST:
        while i < end and copies < w.k:
            copies += counts[members[i]]
            i += 1
        if copies < w.k:
            return 0
        i = begin
        while i < end and prices[members[i]] <= cost:
            i += 1
        return end - begin if i < end else 0
    while i < end and prices[members[i]] > cost:
        t = members[i]
        gain += (prices[t] - cost) * counts[t]
        copies += counts[t]
        i += 1
    limit = gain + w.threshold
    value = -gain
    while copies < w.k and i < end and cost - prices[members[i]] < limit:
        t = members[i]
        take = min(counts[t], w.k - copies)
        value += take * (cost - prices[t])
        copies += take
        i += 1
    if copies < w.k or value >= w.threshold:
        return 0
    low, high = i, end
    while low < high:
        middle = (low + high) // 2
        if cost - prices[members[middle]] < limit:
            low = middle + 1
        else:
            high = middle
    return low - begin


@inner
def most_loss(w: NodeWalk, begin: int, end: int, cost: int) -> int:
    """Return a loss beyond which no pattern below counts; below 0: none does.

    The mean of the cheapest copies is least where there are no more than k. So a fill
    is worth something if these are worth what they cost.
    """
    if w.mode == MATCHED:
        return ANY_COST
    copies, earned, last = dearest(w, begin, end)
    if copies < w.k:
        return -1
    if w.mode == WITHIN:
        return int(last - cost)
    if w.mode == CHEAPEST:
        highest = cost
        for i in range(begin, end):
            highest = max(highest, w.prices[w.members[i]])
        return int(highest - cost)
    return int((w.threshold + earned - 1) // w.k - cost)


@inner
def _matched(w: NodeWalk, begin: int, end: int, cost: int) -> bool:
    """Return whether some member may be left less than is known."""
    copies, earned, last = dearest(w, begin, end)
    if copies < w.k:
        return False
    for i in range(begin, end):
        t = w.members[i]
        if cost - earned + max(w.prices[t], last) < w.least[t]:
            return True
    return False


@inner
def dearest(w: NodeWalk, begin: int, end: int) -> tuple[int, int, int]:
    """Sum the k highest prices of copies: how many there are, the sum, the last."""
    copies, earned, last, i = 0, 0, 0, begin
    while i < end and copies < w.k:
        t = w.members[i]
        take = min(w.counts[t], w.k - copies)
        copies += take
        last = w.prices[t]
        earned += take * last
        i += 1
    return copies, earned, last
