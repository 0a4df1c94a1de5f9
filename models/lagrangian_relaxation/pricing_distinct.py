"""The pricing problems as arrays, and loops that solve them for distinct values."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inlined, inner
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, WORD

# The pricing problems of all patterns as arrays, for compiled loops.

BLOCK = 1 << 18  # incidences that are priced in about a millisecond


class PricingData(NamedTuple):
    """The pricing problems of all patterns, whatever the prices.

    The pricing problem of a pattern is to choose copies of its members that make a
    valid group, at the least reduced cost
    (``starmin.models.lagrangian_relaxation.price_bound``).
    """

    # starts, members: the members of pattern p, which are row types, stand in
    # ``members[starts[p] : starts[p + 1]]``
    starts: Ints
    members: Int32s
    cost: Ints  # what a row costs in each pattern, in units of ``PriceUnit``
    # counts, values: of each row type the number of copies and the sensitive value; all
    # values are 0 where no diversity is asked for
    counts: Ints
    values: Int32s
    k: int  # k, l: 1 where the requirement asks for none
    l: int
    # for k-anonymity: the least reduced cost in each pattern of a copy that is of no
    # member, however many there are; INFEASIBLE where there are none
    outside: Ints

    def block(self, at: slice) -> "PricingData":
        """Return the pricing problems of some consecutive patterns; no copies."""
        starts = self.starts[at.start : at.stop + 1]
        return self._replace(
            starts=starts, cost=self.cost[at], outside=self.outside[at]
        )


def blocks_of(starts: Ints) -> list[slice]:
    """Cut patterns into blocks of some incidences each, wherever they are priced.

    >>> blocks_of(np.array([0, 200_000, 300_000, 300_003, 300_004]))
    [slice(0, 2, None), slice(2, 4, None)]
    """
    count, total = len(starts) - 1, int(starts[-1])
    marks = np.arange(BLOCK, max(total, BLOCK), BLOCK)
    ends = np.unique(np.append(np.searchsorted(starts, marks), count))
    ends = ends[ends > 0]
    return [slice(*pair) for pair in pairwise([0, *ends.tolist()])]


def pricing_data(
    patterns: Patterns, k: int, l: int, outside: Ints | None = None
) -> PricingData:
    """Return the pricing problems of the patterns, members in the patterns' order.

    ``l`` applies to the first sensitive column. ``outside`` is by default that of
    patterns of which all types that fit are members.
    """
    if outside is None:
        outside = np.full(len(patterns), INFEASIBLE)
    types = patterns.row_types
    values = types.sensitive[:, 0] if l > 1 else np.zeros(len(types), np.int32)
    return PricingData(
        patterns.starts,
        patterns.types,
        patterns.cost.astype(np.int64) * patterns.unit.per_cost,
        patterns.counts,
        np.ascontiguousarray(values, np.int32),
        k,
        l,
        outside,
    )


class Memory(NamedTuple):
    """What the solutions at earlier prices say of each pattern."""

    # a pattern is not looked at before the prices have risen by so much in all since
    # the first call: until then its pricing problem has no negative value
    next_look: Ints
    # the h of the last best choice, where the search for the next one begins
    caps: Ints

    def block(self, at: slice) -> "Memory":
        """Return those of some consecutive patterns; no copies."""
        return Memory(self.next_look[at], self.caps[at])


class Workspace(NamedTuple):
    """Arrays that the loops write to, as long as the largest pattern has members."""

    keys: Ints  # keys, items: a heap of reduced costs and their types
    items: Int32s
    # queue_keys, queue_items: the cheapest members in order, those that have left the
    # heap
    queue_keys: Ints
    queue_items: Int32s
    sizes: Ints  # number of members in the heap, and in the queue
    used: Ints  # a count of each sensitive value; all zero before and after a call
    highest: Ints  # the l highest prices
    place: Ints  # a number of each row type


def workspace(data: PricingData) -> Workspace:
    """Return arrays of the lengths that these pricing problems need."""
    widest = int(np.diff(data.starts).max())
    return Workspace(
        np.empty(widest, np.int64),
        np.empty(widest, np.int32),
        np.empty(widest, np.int64),
        np.empty(widest, np.int32),
        np.zeros(2, np.int64),
        np.zeros(int(data.values.max()) + 1, np.int64),
        np.empty(data.l, np.int64),
        np.zeros(len(data.counts), np.int64),
    )


# The members of a pattern that a choice of negative value can have: compiled loops.


@inlined
def add(low: int, high: int, value: int) -> tuple[int, int]:
    """Add a number that is not positive to a sum in two words (``PriceUnit.total``)."""
    low += value
    if low < -WORD:
        low, high = low + WORD, high + 1
    return low, high


@inner
def scan_members(
    members: Int32s, cost: int, counts: Ints, prices: Ints
) -> tuple[int, int, int]:
    """Sum up the members of negative reduced cost, and find the least other one.

    ``members`` are the types of a pattern, in which a row costs ``cost``; ``counts``
    and ``prices``, in the unit of ``cost``, are by type. Returns the reduced cost of
    all copies for which it is negative, their number, and the least reduced cost that
    is not negative, INFEASIBLE if there is none.
    """
    gain, copies, least = 0, 0, INFEASIBLE
    for t in members:
        reduced = cost - prices[t]
        if reduced < 0:
            gain += reduced * counts[t]
            copies += counts[t]
        elif reduced < least:
            least = reduced
    return gain, copies, least


@inner
def list_candidates(
    members: Int32s,
    cost: int,
    prices: Ints,
    low: int,
    high: int,
    keys: Ints,
    items: Int32s,
) -> int:
    """List the members with ``low`` <= reduced cost < ``high``; return their number.

    ``members`` are the types of a pattern, in which a row costs ``cost``; ``prices``,
    by type, and the range are in the same unit. Reduced costs are written to ``keys``
    and types to ``items``, from the front.
    """
    size = 0
    for t in members:
        reduced = cost - prices[t]
        if low <= reduced < high:
            keys[size], items[size] = reduced, t
            size += 1
    return size


@inner
def heapify(keys: Ints, items: Int32s, size: int) -> None:
    """Order the first ``size`` keys as a heap, the least on top, items with them."""
    for root in range(size // 2 - 1, -1, -1):
        sift_down(keys, items, root, size)


@inner
def sift_down(keys: Ints, items: Int32s, root: int, size: int) -> None:
    """Move the key at ``root`` down to its place, the rest below being a heap."""
    if root >= size:
        return
    key, item = keys[root], items[root]
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[root], items[root] = keys[child], items[child]
        root = child
    keys[root], items[root] = key, item


# Compiled loops that solve the pricing problems of all patterns, for k-anonymity.
#
# They compute what ``starmin.models.lagrangian_relaxation.price_bound`` defines, in
# the same integers, without sorting every pattern: only negative values count in a
# price bound, and most patterns are seen to have none by one look at their members,
# or without it.
#
# Let g < 0 be the reduced cost of all copies for which it is negative. A choice with
# a negative value has no member whose reduced cost is -g or more, since the rest of
# it costs g at least. So only the members below -g are *candidates*, and where those
# with a negative reduced cost make a group by themselves they are the best choice.
#
# The best choice of a pattern with fewer than k such copies has k copies, and so have
# the best ones after prices rise by no more than the reduced cost of the dearest of
# these. Where it is worth v >= 0, it is so until prices have risen by v / k: the
# pattern is not looked at before.


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

    The sum is as ``PriceUnit.total`` takes it. ``prices`` are by type, in units of
    ``PriceUnit``; ``risen`` is by how much they rose at most since the first call, one
    call after the other, and ``memory``, from the calls before, is updated. The copies
    in the best choices of negative value are subtracted from ``supergradient``.

    Takes O(incidences looked at), and a heap of the candidates of the patterns that
    fewer than k copies with a negative reduced cost fit.
    """
    low, high, about = 0, 0, 0.0
    starts, types, cost = data.starts, data.members, data.cost
    counts, k = data.counts, data.k
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


@compiled
def solve_pricing_distinct(
    data: PricingData, prices: Ints, borrows: Bools, supergradient: Ints, least: Ints
) -> tuple[int, int, float]:
    """Return the sum of the values of the best choices, where these are negative.

    A best choice has all copies of negative reduced cost. While it has fewer than l
    values it takes one row of that other value whose reduced cost is least, or borrows
    a row, where it can, for its whole cost. No choice of a pattern costs less. Two
    passes over all members, and for patterns that lack values one over all values for
    each of these.

    Arguments and result are those of ``solve_pricing_k``, but the ``l`` of the data is
    the number of different values asked for, and ``borrows`` marks the patterns that
    can borrow rows of the values that are missing. Where ``least`` is not empty, the
    least reduced cost of a choice of its pattern that has a row of that type, beyond
    ``min(0, f_p)``, is written to it for each member.
    """
    low_word, high_word, about = np.int64(0), np.int64(0), 0.0
    starts, members, value = data.starts, data.members, data.values
    cost, counts = data.cost, data.counts
    values = value.max() + 1
    has = np.full(values, -1, np.int64)  # The last pattern whose choice has this value.
    best = np.full(values, -1, np.int64)  # The type of highest price of each other one.
    for p in range(len(cost)):
        c, gain, missing = cost[p], np.int64(0), data.l
        low, high = starts[p], starts[p + 1]
        for i in range(low, high):
            t = members[i]
            if prices[t] > c:
                gain += (prices[t] - c) * counts[t]
                if has[value[t]] != p:
                    has[value[t]] = p
                    missing -= 1
        if gain == 0 and len(least) == 0:
            continue
        added, worst = np.int64(0), np.int64(0)
        if missing > 0:
            for i in range(low, high):
                t, v = members[i], value[members[i]]
                if has[v] != p and (best[v] < 0 or prices[t] > prices[best[v]]):
                    best[v] = t
            added, worst = _add_values(p, missing, c, prices, borrows[p], has, best)
        negative = min(np.int64(0), added - gain)
        about += negative
        low_word, high_word = add(low_word, high_word, negative)
        if len(least) > 0:
            for i in range(low, high):
                more = max(np.int64(0), c - prices[members[i]] - worst)
                least[i] = min(INFEASIBLE, added - gain - negative + more)
        for i in range(low, high):
            t = members[i]
            v = value[t]
            if negative < 0 and prices[t] > c:
                supergradient[t] -= counts[t]
            elif negative < 0 and best[v] == t and has[v] == p:
                supergradient[t] -= 1
        for i in range(low, high):
            best[value[members[i]]] = -1
    return int(low_word), int(high_word), about


@inner
def _add_values(
    p: int, missing: int, cost: int, prices: Ints, borrows: bool, has: Ints, best: Ints
) -> tuple[int, int]:
    """Add the missing values to a choice; return what all cost, and the last one."""
    added = worst = np.int64(0)
    for _ in range(missing):
        chosen = -1
        for v in range(len(best)):
            if best[v] < 0 or has[v] == p:
                continue
            if chosen < 0 or prices[best[v]] > prices[best[chosen]]:
                chosen = v
        if chosen >= 0 and (prices[best[chosen]] >= 0 or not borrows):
            has[chosen] = p
            worst = cost - prices[best[chosen]]
        elif borrows:
            worst = np.int64(cost)
        else:
            return INFEASIBLE, INFEASIBLE
        added += worst
    return int(added), int(worst)
