"""k-anonymity in one dimension with the least largest extent, in linear time."""

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.one_dimensional.sorted_values import (
    Values,
    as_sorted,
    expect_enough,
)


def k_largest(values: npt.ArrayLike, k: int) -> Ints:
    r"""Solve 1-D k-anonymity exactly for the largest extent of a group, in O(n).

    Consecutive groups of k to 2k - 1 values suffice, as for the sum of extents:

    .. math::

        Opt(i) = \min_{i - 2k < j \le i - k} \max(Opt(j),\, x_i - x_{j+1})

    A beginning j is of no use beside a later one with an Opt no larger. Those that
    are of use stand in a queue with Opt ascending, their extents descending; the best
    is where the two cross, and as i grows that place only moves to later ones.

    Parameters
    ----------
    values
        n numbers in ascending order.
    k
        The least size of a group.

    Returns
    -------
    array
        Where the groups begin.

    Raises
    ------
    ValueError
        Fewer than k values, or not in order.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    section 3, where it takes O(kn).

    Examples
    --------
    >>> k_largest(np.array([0, 4, 5, 6, 9]), 2).tolist()
    [0, 2]
    """
    given = as_sorted(values)
    expect_enough(len(given), k)
    starts: Ints = _narrowest(given, k)
    return starts


@compiled
def _narrowest(values: Values, k: int) -> Ints:
    n = len(values)
    length = np.empty(n + 1, np.int32)  # of the last group of each prefix
    recent = np.zeros(k, values.dtype)  # Opt of the last k prefixes, at i modulo k
    size = 1
    while size <= k:
        size *= 2
    mask = size - 1
    queue, opt = np.empty(size, np.int64), np.empty(size, values.dtype)
    head, tail, at = 0, 0, 0
    for i in range(k, n + 1):
        j, last = i - k, values[i - 1]
        if j == 0 or j >= k:
            value = recent[at]
            while tail > head and opt[(tail - 1) & mask] >= value:
                tail -= 1
            queue[tail & mask], opt[tail & mask] = j, value
            tail += 1
        if queue[head & mask] <= i - 2 * k:
            head += 1
        best, begin = opt[head & mask], queue[head & mask]
        while head + 1 < tail:
            value = opt[(head + 1) & mask]
            if value > last - values[begin]:
                break
            head += 1
            best, begin = value, queue[head & mask]
        length[i] = i - begin
        recent[at] = max(best, last - values[begin])
        at += 1
        if at == k:
            at = 0
    starts: Ints = _starts(length)
    return starts


@inner
def _starts(length: Int32s) -> Ints:
    size = 0
    at = len(length) - 1
    while at > 0:
        at -= length[at]
        size += 1
    starts = np.empty(size, np.int64)
    at = len(length) - 1
    while at > 0:
        at -= length[at]
        size -= 1
        starts[size] = at
    return starts
