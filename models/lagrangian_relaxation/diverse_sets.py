r"""Sets of l different sensitive values: what all l-diverse fills consist of.

A fill has at most h copies of each sensitive value and at least l h in all. Deal its
copies, sorted by value, in turn to h *sets*: no set gets a value twice, each gets l
copies at least, and any of the sets together are a fill again. So, with c the cost of
the pattern, :math:`m_v` the highest price among its members of value v, and
:math:`m_{(1)} \ge m_{(2)} \ge \dots` in order:

- **A fill can be worth taking only if** :math:`m_{(1)} + \dots + m_{(l)} > l c`. For
  if its value is negative, so is that of some set. While there are more than l copies
  in that set drop its dearest: what is left stays negative, whether the dearest has a
  negative reduced cost (then all have) or not.
- **Its members cost less than** :math:`\theta = \sum_{i < l} \max(0, m_{(i)} - c)`.
  Take a best fill with the fewest copies. Each of its sets has a negative value, else
  the set could go; and a set with a copy whose reduced cost is not negative has just l
  copies, else the copy could go. The other l - 1 are worth :math:`-\theta` at best.

With k-anonymity beside it fills are fewer, and the first statement holds all the more;
the second holds where :math:`k \le l`, as a set need not be kept for its size then.
"""

import numba
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Members = npt.NDArray[np.int32]

_NONE = -(1 << 50)


@numba.njit(cache=True, nogil=True)
def sort_by_value(
    starts: Ints, types: Members, values: Members, distinct: int
) -> Members:
    """The members of each pattern in order of their sensitive values."""
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


@numba.njit(cache=True)
def dearest_values(members: Members, prices: Ints, values: Members, tops: Ints) -> int:
    """The sum of the l highest :math:`m_v`, which ``tops`` lists in ascending order.

    Parameters
    ----------
    members
        In order of their values.
    tops
        Of length l. Where there are fewer values the sum is far below any price.
    """
    tops[:] = _NONE
    current, highest = -1, 0
    for t in members:
        price = prices[t]
        if values[t] != current:
            if current >= 0:
                _insert(tops, highest)
            current, highest = values[t], price
        elif price > highest:
            highest = price
    _insert(tops, highest)
    return int(tops.sum())


@numba.njit(cache=True)
def _insert(tops: Ints, price: int) -> None:
    """Put a price in the place of the least one, if it is higher."""
    if price <= tops[0]:
        return
    i = 0
    while i + 1 < len(tops) and tops[i + 1] < price:
        tops[i] = tops[i + 1]
        i += 1
    tops[i] = price
