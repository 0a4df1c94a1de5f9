"""Compiled loops that solve the pricing problems, for distinct l-diversity."""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.member_scan import add
from starmin.models.lagrangian_relaxation.pricing_data import PricingData
from starmin.models.price_unit import INFEASIBLE


@compiled
def solve_pricing_distinct(
    data: PricingData,
    prices: Ints,
    borrows: Bools,
    supergradient: Ints,
    least: Ints,
) -> tuple[int, int, float]:
    """Return the sum of the values of the best choices, where these are negative.

    A best choice has all copies of negative reduced cost. While it has fewer than l
    values it takes one row of that other value whose reduced cost is least, or borrows
    a row, where it can, for its whole cost. No choice of a pattern costs less. Two
    passes over all members, and for patterns that lack values one over all values for
    each of these.

    The sum is in two words and in floating point (``PriceUnit.total``). The ``l`` of
    the data is the number of different values asked for; ``prices`` are by type, in
    units of ``PriceUnit``, and ``borrows`` marks the patterns that can borrow rows of
    the values that are missing. The copies in the best choices are subtracted from
    ``supergradient``. Where ``least`` is not empty, the least reduced cost of a choice
    of its pattern that has a row of that type, beyond ``min(0, f_p)``, is written to it
    for each member.
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
