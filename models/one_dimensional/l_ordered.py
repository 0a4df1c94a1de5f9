"""l-diversity in one dimension: the best groups in an order."""

from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.models.one_dimensional.boundaries import (
    LARGEST,
    MOST_EXACT,
    TOTAL,
    WEIGHTED,
    Domains,
    Rules,
    best_groups,
    l_dual,
    least_privacy,
)
from starmin.models.one_dimensional.k_order import least_ratio, mean_of, scaled
from starmin.models.one_dimensional.k_total import Values, as_sorted

Loss = Literal["largest", "total", "weighted"]

_CODES = {"largest": LARGEST, "total": TOTAL, "weighted": WEIGHTED}


class OrderedGroups(NamedTuple):
    """What the groups lose, and the group of each row."""

    loss: float
    groups: Ints


def l_ordered(
    values: npt.ArrayLike,
    sensitive: npt.NDArray[np.integer],
    l: int,
    loss: Loss = "largest",
) -> OrderedGroups:
    r"""Solve 1-D l-diversity (frequency form) exactly for the largest extent.

    Some partition with the least largest extent (IL_inf) has these properties:

    - *Size and singularity*: groups have l to min(2l - 1, m) rows of different values
      (of m). An l-eligible group of g rows is dealt, sorted by value, round-robin to
      :math:`\lfloor g/l \rfloor` groups: each value occurs at most that often, so
      once in each, and all have g divided by that number of rows, rounded. No part
      is wider than the whole.
    - *Group order*: in the rows of each sensitive value groups follow each other in
      one and the same order; two rows of one value are exchanged where they do not.
    - *Border order*: groups begin and end in this order.
    - *Cover*: a row r of a group and an earlier row t of a later one exchange their
      places, unless one of the two groups has the other value, too.

    So boundaries, how many rows of each value are used up, tell all that matters of
    the groups so far (``boundaries``):

    .. math::

        IL(a) = \min_{b \prec a} \max(IL(b),\ \text{extent of the group from b to a})

    First only groups within a small bound are allowed; if there is no partition of
    such groups the bound is doubled.

    For other losses this holds only in part, and the result is the best *ordered*
    partition of groups of that kind, a heuristic: for the total extent larger groups
    with repeated values may be better (x = 0, 1, 10, 11 with values a, a, b, b and
    l = 2: one group loses 11, two pairs 20); weighted by size, groups in another
    order may be (``starmin.models.boxes.box_program`` finds them).

    Parameters
    ----------
    values, sensitive, l
        n numbers in ascending order, for each its sensitive value, a whole number; at
        least 1. ValueError where a value has more than n / l rows, so that no partition
        is l-diverse, and for more boundaries than 2^62.
    loss
        ``largest`` (exact) or ``total`` extent, or the total ``weighted`` by size.

    See Also
    --------
    l_by_dual : another exact method.

    Notes
    -----
    O(2^m n^m) in the worst case. Only boundaries near the diagonal are reached where
    groups are narrow.

    References
    ----------
    Ghinita, Karras, Kalnis, Mamoulis (2009), section 4. Their proof of the size bound
    splits off l rows of the most frequent values, which may leave a group that is not
    l-diverse, as of (2, 2, 2, 2), l = 3.

    Examples
    --------
    >>> x, sensitive = np.array([0, 1, 2, 10, 11, 12]), np.array([0, 0, 1, 1, 1, 0])
    >>> l_ordered(x, sensitive, 2)
    OrderedGroups(loss=9.0, groups=array([0, 1, 0, 1, 2, 2]))
    """
    given = as_sorted(values)
    expect_eligible(sensitive, l)
    data = Domains.of(given, sensitive)
    m = len(data.stride)
    widest = float(given[-1] - given[0])
    bound = (l * widest / len(given) if loss == "largest" else 0) or widest
    while True:
        rules = Rules(_CODES[loss], bound, l, min(2 * l - 1, m), 1, 1, 1)
        best, groups = best_groups(data, rules)
        if len(groups):
            return OrderedGroups(float(best), groups)
        bound = min(widest, 2 * bound)


def expect_eligible(sensitive: npt.NDArray[np.integer], l: Fraction | int) -> None:
    """Raise ValueError where no partition of the rows is l-diverse."""
    n = len(sensitive)
    most = int(np.unique(sensitive, return_counts=True)[1].max()) if n else 0
    if n == 0 or l < 1 or l * most > n:
        raise ValueError(
            f"Expected no value in more than 1/{l} of {n} rows, got one in {most}."
        )


# l-diversity in one dimension by binary search over the dual problem.


def l_by_dual(
    values: npt.ArrayLike, sensitive: npt.NDArray[np.integer], l: float | Fraction
) -> OrderedGroups:
    """Solve 1-D l-diversity exactly for the largest extent, for any l >= 1.

    ``values`` are n numbers in ascending order, each with a whole number as its
    ``sensitive`` value. ``l`` need not be whole: no value is in more than 1/l of a
    group; a float is read as by ``least_privacy``. ``l_ordered`` is faster where it is
    whole. Raises ValueError where no partition is l-diverse, there are more boundaries
    than 2^62, or whole numbers are more than 2^53 apart.

    The least largest extent is the least bound under which ``l_dual`` reaches l. The
    bound is halved between one that is too small and one that is not; a partition under
    some bound is taken at its own largest extent. It ends where no number lies between
    the two, so there is no tolerance to choose, as there is in the paper.

    Notes
    -----
    One dual for each bit of the answer. Narrow bounds are cheap, wide ones are not:
    it begins with narrow ones.

    References
    ----------
    Ghinita, Karras, Kalnis, Mamoulis (2009), section 5.2.

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


def _widths(values: Values, groups: Ints) -> Values:
    """Return the greatest minus the least value of each group."""
    low = np.full(groups.max() + 1, values[-1])
    high = np.full(groups.max() + 1, values[0])
    np.minimum.at(low, groups, values)
    np.maximum.at(high, groups, values)
    return np.asarray(high - low)


def largest_extent(values: Values, groups: Ints) -> float:
    """Return the greatest minus the least value of the widest group."""
    return float(_widths(values, groups).max())


# l-diversity in one dimension: ordered groups with the least mean extent.


def l_mean(
    values: npt.ArrayLike, sensitive: npt.NDArray[np.integer], l: int
) -> tuple[Fraction | float, Ints]:
    r"""Find the ordered groups with the least mean extent (IL_1).

    ``values`` are n numbers in ascending order, each with a whole number as its
    ``sensitive`` value; l is at least 1. Returns the mean, a fraction where the numbers
    are whole, and the group of each row. Raises ValueError where a value has more than
    n / l rows, so that no partition is l-diverse, and for more boundaries than 2^62, or
    whole numbers whose range times n is above 2^53.

    Groups are those of ``l_ordered``: l to 2l - 1 rows of different values, in one
    order in each value. Among all partitions others may have a smaller mean, so this is
    a heuristic (x = 0, 0, 0, 0, 1, 3, 4, 5 with values a, a, a, a, b, b, b, b and
    l = 2: 13/4, while 3 is possible); ``starmin.models.one_dimensional.k_order`` does
    the same for k-anonymity, exactly.

    The mean is a ratio: by Dinkelbach's iteration the total extent less :math:`\lambda`
    for each group is minimised until no partition has a smaller ratio than the last
    :math:`\lambda` (``starmin.models.one_dimensional.k_order``).

    Notes
    -----
    The time of ``l_ordered`` with ``loss="total"`` for each of a few iterations. Exact
    for whole numbers.

    References
    ----------
    W. Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967.

    Examples
    --------
    >>> x, sensitive = np.array([0, 1, 2, 10, 11, 12]), np.array([0, 0, 1, 1, 1, 0])
    >>> l_mean(x, sensitive, 2)
    (Fraction(4, 1), array([0, 1, 0, 1, 2, 2]))
    """
    given = as_sorted(values)
    expect_eligible(sensitive, l)
    if given.dtype == np.int64:
        given = given - given[0]
        if int(given[-1]) * len(given) > MOST_EXACT:
            raise ValueError(f"Expected a range below 2^53 / {len(given)}.")
    return least_ratio(
        lambda groups: mean_of(_widths(given, groups)),
        lambda ratio: _cheapest(given, sensitive, l, ratio),
    )


def _cheapest(
    given: Values, sensitive: npt.NDArray[np.integer], l: int, ratio: Fraction | float
) -> Ints:
    """Minimise the total extent less the ratio for each group, in whole numbers."""
    p, q = scaled(ratio)
    data = Domains.of(given * q, sensitive)
    most = min(2 * l - 1, len(data.stride))
    rules = Rules(TOTAL, np.inf, l, most, 1, 1, 1, float(p))
    groups: Ints = best_groups(data, rules)[1]
    return groups
