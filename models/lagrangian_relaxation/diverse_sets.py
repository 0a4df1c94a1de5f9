r"""Sets of l different sensitive values: what all l-diverse choices consist of.

A choice has at most h copies of each sensitive value and at least l h in all. Deal its
copies, sorted by value, in turn to h *sets*: no set gets a value twice, each gets l
copies at least, and any of the sets together are a valid choice again. So, with c the
cost of the pattern, :math:`m_v` the highest price among its members of value v, and
:math:`m_{(1)} \ge m_{(2)} \ge \dots` in order:

- **A choice can have a negative value only if**
  :math:`m_{(1)} + \dots + m_{(l)} > l c`. For if its value is negative, so is that of
  some set. While there are more than l copies in that set drop the one of highest
  reduced cost: what is left stays negative, whether that one has a negative reduced
  cost (then all have) or not.
- **Its members have a reduced cost below**
  :math:`\theta = \sum_{i < l} \max(0, m_{(i)} - c)`. Take a best choice with the
  fewest copies. Each of its sets has a negative value, else the set could be left out;
  and a set with a copy whose reduced cost is not negative has just l copies, else the
  copy could be left out. The other l - 1 have reduced costs of :math:`-\theta` or more
  together.

If k-anonymity is asked for too, there are fewer choices, and the first statement holds
all the more; the second holds where :math:`k \le l`, as a set need not be kept for its
size then.
"""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.price_unit import NO_PRICE


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
                _insert(highest, top)
            current, top = values[t], price
        elif price > top:
            top = price
    _insert(highest, top)
    return NO_PRICE if highest[0] == NO_PRICE else int(highest.sum())


@inner
def _insert(highest: Ints, price: int) -> None:
    """Replace the least of the highest prices by this one, if it is higher."""
    if price <= highest[0]:
        return
    i = 0
    while i + 1 < len(highest) and highest[i + 1] < price:
        highest[i] = highest[i + 1]
        i += 1
    highest[i] = price
