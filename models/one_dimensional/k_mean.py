"""k-anonymity in one dimension with the least mean extent."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.models.one_dimensional.k_total import widest_gaps
from starmin.models.one_dimensional.least_ratio import least_ratio
from starmin.models.one_dimensional.sorted_values import (
    Values,
    as_sorted,
    expect_enough,
    extents,
)


def k_mean(values: npt.ArrayLike, k: int) -> Ints:
    r"""Solve 1-D k-anonymity exactly for the mean extent of the groups (IL_1).

    The mean is a ratio, the total extent by the number of groups, and more groups of
    a somewhat larger total can have the smaller mean, so the program for the total is
    not exact. Dinkelbach's iteration is: for a ratio :math:`\lambda` that some
    partition attains, a partition that minimises total - :math:`\lambda` groups has
    a smaller ratio unless :math:`\lambda` is the least one. For a fixed
    :math:`\lambda` every cut earns its gap and :math:`\lambda`, and ``k_total``'s
    recursion is exact: exchanges make groups consecutive and keep their number, and
    to split a group raises it.

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
    OverflowError
        Whole numbers whose range times 2n / k is beyond 2^62.

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
    if given.dtype == np.float64:
        return _iterate_rounded(given, k)
    many = len(given) // k
    given = given - given[0]
    if int(given[-1]) * many >= 2**61:
        raise OverflowError(f"Expected a range below 2^61 / {many}.")
    return least_ratio(
        widest_gaps(given, k, given[:1] * 0),
        lambda starts: Fraction(int(extents(given, starts).sum()), len(starts)),
        lambda ratio: widest_gaps(
            given * ratio.denominator, k, np.array([ratio.numerator])
        ),
    )[1]


def _iterate_rounded(given: Values, k: int) -> Ints:
    return least_ratio(
        widest_gaps(given, k, np.zeros(1)),
        lambda starts: float(extents(given, starts).mean()),
        lambda ratio: widest_gaps(given, k, np.array([ratio])),
    )[1]
