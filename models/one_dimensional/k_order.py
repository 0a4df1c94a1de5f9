"""The best consecutive groups of k rows along an order, for any loss or least ratio."""

from collections.abc import Callable
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.one_dimensional.k_total import (
    Values,
    as_sorted,
    expect_enough,
    extents,
    read_starts,
    widest_gaps,
)

# Dinkelbach's iteration: groups with the least ratio of a sum to their number.


def least_ratio(
    ratio_of: Callable[[Ints], Fraction | float],
    cheapest: Callable[[Fraction | float], Ints],
) -> tuple[Fraction | float, Ints]:
    r"""Improve groups until no others have a smaller ratio.

    ``ratio_of`` returns the ratio of some groups. ``cheapest`` returns the groups that
    minimise the sum less :math:`\lambda` for each of them, for 0 or a ratio
    :math:`\lambda` that some groups attain: they have a smaller ratio unless it is the
    least one. A few iterations.

    References
    ----------
    W. Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967.
    """
    ratio = ratio_of(groups := cheapest(Fraction(0)))
    while True:
        others = cheapest(ratio)
        if (found := ratio_of(others)) >= ratio:
            return ratio, groups
        groups, ratio = others, found


def mean_of(widths: Values) -> Fraction | float:
    """Return the mean, a fraction for whole numbers."""
    if widths.dtype == np.int64:
        return Fraction(int(widths.sum()), len(widths))
    return float(widths.mean())


def scaled(ratio: Fraction | float) -> tuple[int | float, int]:
    """Return a ratio as one of a number to a whole one, that is 1 for no fraction."""
    return ratio.as_integer_ratio() if isinstance(ratio, Fraction) else (ratio, 1)


# k-anonymity in one dimension with the least largest extent, in linear time.


def k_largest(values: npt.ArrayLike, k: int) -> Ints:
    r"""Solve 1-D k-anonymity exactly for the largest extent of a group, in O(n).

    ``values`` are n numbers in ascending order; returns where the groups begin. Raises
    ValueError for fewer than k values, or such as are not in order. Consecutive groups
    of k to 2k - 1 values suffice, as for the sum of extents:

    .. math::

        Opt(i) = \min_{i - 2k < j \le i - k} \max(Opt(j),\, x_i - x_{j+1})

    A beginning j is of no use beside a later one with an Opt no larger. Those that are
    of use stand in a queue with Opt ascending, their extents descending; the best is
    where the two cross, and as i grows that place only moves to later ones.

    References
    ----------
    Ghinita, Karras, Kalnis, Mamoulis (2009), section 3, where it takes O(kn).

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
    begins = np.zeros(n + 1, np.int32)  # where the last group of each prefix begins
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
        begins[i] = begin
        recent[at] = max(best, last - values[begin])
        at += 1
        if at == k:
            at = 0
    starts: Ints = read_starts(begins)
    return starts


# k-anonymity in one dimension with the least mean extent.


def k_mean(values: npt.ArrayLike, k: int) -> Ints:
    r"""Solve 1-D k-anonymity exactly for the mean extent of the groups (IL_1).

    ``values`` are n numbers in ascending order; returns where the groups begin. Raises
    ValueError for fewer than k values, or such as are not in order, and OverflowError
    for whole numbers whose range times 2n / k is beyond 2^62.

    The mean is a ratio, the total extent by the number of groups, and more groups of a
    somewhat larger total can have the smaller mean, so the program for the total is not
    exact. Dinkelbach's iteration is: for a ratio :math:`\lambda` that some partition
    attains, a partition that minimises total - :math:`\lambda` groups has a smaller
    ratio unless :math:`\lambda` is the least one. For a fixed :math:`\lambda` every cut
    earns its gap and :math:`\lambda`, and ``k_total``'s recursion is exact: exchanges
    make groups consecutive and keep their number, and to split a group raises it.

    Notes
    -----
    O(n) for each of a few iterations. Exact for whole numbers, of which the ratios
    are compared as fractions.

    References
    ----------
    W. Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967.

    Examples
    --------
    >>> k_mean(np.array([0, 1, 5, 6, 7]), 2).tolist()
    [0, 2]
    """
    given = as_sorted(values)
    expect_enough(len(given), k)
    if given.dtype == np.int64:
        given, many = given - given[0], len(given) // k
        if int(given[-1]) * many >= 2**61:
            raise OverflowError(f"Expected a range below 2^61 / {many}.")

    def cheapest(ratio: Fraction | float) -> Ints:
        p, q = scaled(ratio)
        starts: Ints = widest_gaps(given * q, k, np.array([p], given.dtype))
        return starts

    return least_ratio(lambda starts: mean_of(extents(given, starts)), cheapest)[1]


GroupLoss: TypeAlias = Callable[[Ints, Ints], npt.ArrayLike]

_CELLS = 4_000_000  # losses that are asked for at once


def k_order(
    loss: GroupLoss, n: int, k: int, combine: Literal["sum", "max"] = "sum"
) -> Ints:
    r"""Find the best groups of k to 2k - 1 consecutive rows, for any loss.

    .. math::

        Opt(i) = \min_{i - 2k < j \le i - k} F(Opt(j),\, loss(j+1, .., i))

    with F the sum or the maximum. Exact among all partitions into consecutive groups
    if the loss is super-additive: to split a group does not cost. Whether some
    partition into consecutive groups is the best of *all* is another question. It is
    for the extent in one dimension, summed or the largest, as groups that overlap
    can exchange rows. It is *not* for losses weighted by size: on 0, 49, 50, 51, 100
    with k = 2 the groups {0, 100}, {49, 50, 51} cost 206, consecutive ones 248 at
    least (``starmin.models.boxes.box_program`` has no order to keep).

    Parameters
    ----------
    loss, combine
        What rows ``begin .. end - 1`` cost as a group, for arrays of both; losses of
        groups add up, or the largest counts.
    n, k
        Of so many rows a group has k at least; ValueError where they are fewer.

    Returns
    -------
    array
        Where the groups begin.

    See Also
    --------
    k_ncp : the same for size times NCP, compiled.

    Notes
    -----
    O(kn) and n k losses, asked for in blocks.

    References
    ----------
    Ghinita, Karras, Kalnis, Mamoulis (2009), section 3.

    Examples
    --------
    >>> x = np.array([0, 49, 50, 51, 100])
    >>> def weighted(begin, end):
    ...     return (end - begin) * (x[end - 1] - x[begin])
    >>> k_order(weighted, 5, 2).tolist()
    [0, 3]
    """
    expect_enough(n, k)
    opt, begin = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    opt[0] = 0
    block = max(1, _CELLS // k)
    lengths = np.arange(k, 2 * k)
    for low in range(k, n + 1, block):
        ends = np.arange(low, min(low + block, n + 1))
        begins = ends[:, np.newaxis] - lengths
        inside = begins >= 0
        losses = np.full(begins.shape, np.inf)
        grown = np.broadcast_to(ends[:, np.newaxis], begins.shape)
        losses[inside] = loss(begins[inside], grown[inside])
        _advance(losses, low, k, combine == "max", opt, begin)
    starts: Ints = read_starts(begin)
    return starts


@compiled
def _advance(
    losses: Floats, low: int, k: int, largest: bool, opt: Floats, begin: Ints
) -> None:
    for row in range(len(losses)):
        i = low + row
        for length in range(k, min(2 * k, i + 1)):
            before, own = opt[i - length], losses[row, length - k]
            value = max(before, own) if largest else before + own
            if value < opt[i]:
                opt[i], begin[i] = value, i - length
