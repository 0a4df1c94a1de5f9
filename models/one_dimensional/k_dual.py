"""The largest k that groups of bounded extent allow, in one dimension."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.one_dimensional.sorted_values import Values, as_sorted, read_starts


class LargestK(NamedTuple):
    """The least size of the groups, and where they begin."""

    k: int
    starts: Ints


def k_dual(values: npt.ArrayLike, bound: float) -> LargestK:
    r"""Solve the accuracy-constrained problem exactly for k, in O(n log n).

    Of all partitions into groups of extent ``bound`` at most it finds one whose
    smallest group is largest. Consecutive groups suffice: overlapping ones exchange
    rows, sizes kept, and neither extent grows beyond the larger one.

    The idea: for a given k let ``reach(i)`` say whether the first i values have a
    partition. With :math:`low(i)` the first value within the bound of value i,

    .. math::

        reach(i) \iff \exists j:\ low(i) \le j \le i - k,\ reach(j)

    and the last such j is kept while i grows. What holds for k holds for k - 1, so k
    is found by binary search.

    Parameters
    ----------
    values
        n > 0 numbers in ascending order.
    bound
        The largest extent that is allowed, E >= 0.

    Raises
    ------
    ValueError
        A negative bound, no values, or not in order.

    See Also
    --------
    k_largest : the direct problem under the same loss.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    section 5, where it takes O(n^2).

    Examples
    --------
    >>> k_dual(np.array([0, 1, 5, 6, 7]), 2)
    LargestK(k=2, starts=array([0, 2]))
    """
    given = as_sorted(values)
    if len(given) == 0 or not bound >= 0:
        raise ValueError(f"Expected values and a bound >= 0, got bound = {bound}.")
    if given.dtype == np.int64:
        bound = min(math.floor(bound), 2**63 - 1) if bound < math.inf else 2**63 - 1
    return largest_k(_first_within(given, bound))


def largest_k(low: Ints) -> LargestK:
    """Find the largest k along any order, given the first row each may be with.

    Examples
    --------
    >>> largest_k(np.array([0, 0, 1, 2]))
    LargestK(k=2, starts=array([0, 2]))
    """
    least, most = 1, len(low)
    starts = np.arange(len(low))
    while least < most:
        k = (least + most + 1) // 2
        found = _cover(low, k)
        if len(found):
            # It may do better than it was asked for.
            starts = found
            least = int(np.diff(np.append(found, len(low))).min())
        else:
            most = k - 1
    return LargestK(least, starts)


@compiled
def _first_within(values: Values, bound: float) -> Ints:
    low = np.empty(len(values), np.int64)
    at = 0
    for i in range(len(values)):
        while values[i] - values[at] > bound:
            at += 1
        low[i] = at
    return low


@compiled
def _cover(low: Ints, k: int) -> Ints:
    """Return where groups of k rows begin that keep the bound, if there are any."""
    n = len(low)
    last = np.full(n + 1, -1, np.int64)  # the last j <= i that can be reached
    last[0] = 0
    begin = np.full(n + 1, -1, np.int64)
    begin[0] = 0
    for i in range(1, n + 1):
        last[i] = last[i - 1]
        if i >= k and last[i - k] >= low[i - 1]:
            begin[i] = last[i - k]
            last[i] = i
    found: Ints = read_starts(begin if begin[n] >= 0 else begin[:1])
    return found
