"""Dual values of a pool of sets, repaired where sets outside the pool are cheaper.

Dual values pay many rows for joining a class of which a pool has few: each of these
rows would be cheaper outside the pool, by little, and all together by much. An item
needs k rows only. So a row that is not in the pool with it may be paid less, until its
cheapest set is one of the pool, and what that adds to the fill of the item is no more
than what k rows lose.
"""

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.rules.choices import Choices
from starmin.models.rules.minima import code_at, least_place
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.relaxation.set_pool import SetPool

_MOST_SETS = 64  # of a type, whose items are paid less, one after the other


def repaired(function: PriceFunction, pool: SetPool, prices: Ints) -> Ints:
    """Return prices by which fewer types have a set that is cheaper than all of a pool.

    Of what the cheapest set of the pool does not show, prices below 0 are raised;
    ``prices`` stays as it is.
    """
    program = function.program
    least, codes = pool.cheapest(function, prices)
    found = prices.copy()
    given = program.choices, program.costs * function.unit.per_cost
    once = program.once * function.unit.per_cost
    work = np.zeros((2, int(program.sets.max(initial=1))), np.int64)
    _repair(*given, once, program.axes.offsets, least, codes, work, found)
    return found


@compiled
def _repair(
    choices: Choices,
    costs: Ints,
    once: int,
    offsets: Ints,
    least: Ints,
    codes: Ints,
    work: Ints,
    prices: Ints,
) -> None:
    for t in range(len(least)):
        for _ in range(_MOST_SETS):
            place = least_place(choices, costs, once, prices, t, work)
            gap = least[t] - work[0, place]
            if gap <= 0:
                break
            code, paid = code_at(choices, t, place, offsets), 0
            for e in range(choices.starts[t], choices.starts[t + 1]):
                care, want = choices.care[e], choices.want[e]
                if code & care == want and codes[t] & care != want:
                    paid -= min(prices[e], 0)
            if paid == 0:
                break
            share = min(1.0, gap / paid)
            for e in range(choices.starts[t], choices.starts[t + 1]):
                care, want = choices.care[e], choices.want[e]
                if code & care == want and codes[t] & care != want and prices[e] < 0:
                    prices[e] = min(0, prices[e] + int(np.ceil(-prices[e] * share)))
