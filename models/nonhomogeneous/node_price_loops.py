"""The bound of prices of originals by a list of vectors of nodes: compiled loops."""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, exact_product


def node_price_bound(
    patterns: Patterns, k: int, prices: Ints
) -> tuple[int, Ints, Ints]:
    """Compute what prices prove if released rows may be published as these alone.

    ``patterns`` are vectors of nodes, each type in one of them at least, of k rows and
    more; k is at least 2. ``prices`` has one for each row type, in units of
    ``PriceUnit``.

    Returns the bound in the same unit; for each type k - 1 matches for each of its
    rows, less those that the released rows choose: a supergradient; and what is left to
    each type at least, cost less earnings.
    """
    counts = patterns.counts
    patterns.unit.expect(prices)
    least, choice, last = _least(
        patterns.starts,
        patterns.types,
        patterns.cost * patterns.unit.per_cost,
        counts,
        prices,
        k,
    )
    used = _count_matches(
        patterns.starts, patterns.types, counts, prices, choice, last, k
    )
    total = (k - 1) * int(prices @ counts) + exact_product(least, counts)
    return total, (k - 1) * counts - used, least


@inner
def _dearest(members: Int32s, counts: Ints, prices: Ints, k: int, best: Int32s) -> int:
    """Find the types of the k dearest rows, dearest first; how many types these are."""
    size, copies = 0, 0
    for t in members:
        if copies >= k and prices[t] <= prices[best[size - 1]]:
            continue
        at = size
        while at > 0 and prices[best[at - 1]] < prices[t]:
            best[at] = best[at - 1]
            at -= 1
        best[at] = t
        size += 1
        copies += counts[t]
        while copies - counts[best[size - 1]] >= k:
            size -= 1
            copies -= counts[best[size]]
    return size


@compiled
def _least(
    starts: Ints, types: Int32s, cost: Ints, counts: Ints, prices: Ints, k: int
) -> tuple[Ints, Int32s, Ints]:
    """Find for each type its least value, and the pattern that gives it."""
    m, number = len(counts), len(cost)
    least = np.full(m, INFEASIBLE)
    choice = np.zeros(m, np.int32)
    last = np.zeros(number, np.int64)
    best = np.empty(k + 2, np.int32)
    for p in range(number):
        members = types[starts[p] : starts[p + 1]]
        size, copies, earned = _dearest(members, counts, prices, k, best), 0, 0
        for i in range(size):
            take = min(counts[best[i]], k - copies)
            copies += take
            earned += take * prices[best[i]]
        last[p] = prices[best[size - 1]]
        for t in members:
            value = cost[p] - earned + max(prices[t], last[p])
            if value < least[t]:
                least[t] = value
                choice[t] = p
    return least, choice, last


@compiled
def _count_matches(
    starts: Ints,
    types: Int32s,
    counts: Ints,
    prices: Ints,
    choice: Int32s,
    last: Ints,
    k: int,
) -> Ints:
    """Count how often each type is matched to rows other than itself."""
    used = np.zeros(len(counts), np.int64)
    rows = np.zeros(len(last), np.int64)
    for t in range(len(counts)):
        rows[choice[t]] += counts[t]
    best = np.empty(k + 2, np.int32)
    for p in range(len(last)):
        if rows[p] == 0:
            continue
        members = types[starts[p] : starts[p + 1]]
        size, copies = _dearest(members, counts, prices, k, best), 0
        for i in range(size):
            take = min(counts[best[i]], k - copies)
            copies += take
            used[best[i]] += take * rows[p]
        for t in members:
            if choice[t] == p:
                # Of the k dearest rows it leaves out itself, or else the last one.
                among = False
                for i in range(size):
                    among = among or best[i] == t
                used[t if among else best[size - 1]] -= counts[t]
    return used
