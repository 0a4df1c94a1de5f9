"""l-diversity in one dimension by binary search over the dual problem."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.models.one_dimensional.l_dual import l_dual, least_privacy
from starmin.models.one_dimensional.l_ordered import OrderedGroups, expect_eligible
from starmin.models.one_dimensional.sorted_values import Values, as_sorted


def l_by_dual(
    values: npt.ArrayLike, sensitive: npt.NDArray[np.integer], l: float | Fraction
) -> OrderedGroups:
    """Solves 1-D l-diversity exactly for the largest extent, for any l >= 1.

    The least largest extent is the least bound under which ``l_dual`` reaches l. The
    bound is halved between one that is too small and one that is not; a partition
    under some bound is taken at its own largest extent. It ends where no number lies
    between the two, so there is no tolerance to choose, as there is in the paper.

    Parameters
    ----------
    values
        n numbers in ascending order.
    sensitive
        For each its sensitive value, a whole number.
    l
        Not a whole number, too: no value in more than 1/l of a group. A float is read
        as by ``least_privacy``.

    Raises
    ------
    ValueError
        No partition is l-diverse, there are more boundaries than 2^62, or whole
        numbers more than 2^53 apart.

    See Also
    --------
    l_ordered : faster where l is a whole number.

    Notes
    -----
    One dual for each bit of the answer. Narrow bounds are cheap, wide ones are not:
    it begins with narrow ones.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    section 5.2.

    Examples
    --------
    >>> x, sensitive = np.array([0, 1, 2, 10, 11, 12]), np.array([0, 0, 1, 1, 1, 0])
    >>> l_by_dual(x, sensitive, 1.5).loss
    2.0
    """
    given = as_sorted(values)
    floor = least_privacy(l, max(1, len(given)))
    expect_eligible(sensitive, floor)
    widest = float(given[-1] - given[0])
    too_small = bound = 0.0
    # It ends: the bound doubles up to the widest, under which all rows may be one
    # group, which is eligible by the same fraction that the dual compares with.
    while (found := l_dual(given, sensitive, bound, floor)) is None:
        too_small = bound
        bound = min(widest, max(2 * bound, widest / len(given)) or widest)
    groups, best = found.groups, largest_extent(given, found.groups)
    # It ends: floats are finitely many, and each round brings one of the two ends to
    # the middle, which lies strictly between them, or beyond it: a group that the dual
    # allows is no wider than the middle in the same floats.
    while too_small < (middle := _between(given, too_small, best)) < best:
        found = l_dual(given, sensitive, middle, floor)
        if found is None:
            too_small = middle
        else:
            groups, best = found.groups, largest_extent(given, found.groups)
    return OrderedGroups(best, groups)


def _between(values: Values, low: float, high: float) -> float:
    middle = low + (high - low) / 2
    return float(np.floor(middle)) if values.dtype == np.int64 else middle


def largest_extent(values: Values, groups: Ints) -> float:
    """Return the greatest minus the least value of the widest group."""
    low = np.full(groups.max() + 1, values[-1])
    high = np.full(groups.max() + 1, values[0])
    np.minimum.at(low, groups, values)
    np.maximum.at(high, groups, values)
    return float((high - low).max())
