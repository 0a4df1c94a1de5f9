"""l-diversity in one dimension: ordered groups with the least mean extent."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.models.one_dimensional.boundaries import (
    MOST_EXACT,
    TOTAL,
    Domains,
    Rules,
    best_groups,
)
from starmin.models.one_dimensional.l_ordered import expect_eligible
from starmin.models.one_dimensional.least_ratio import least_ratio
from starmin.models.one_dimensional.sorted_values import Values, as_sorted


def l_mean(
    values: npt.ArrayLike, sensitive: npt.NDArray[np.integer], l: int
) -> tuple[Fraction | float, Ints]:
    r"""Find the ordered groups with the least mean extent (IL_1).

    Groups are those of ``l_ordered``: l to 2l - 1 rows of different values, in one
    order in each value. Among all partitions others may have a smaller mean, so this
    is a heuristic (x = 0, 0, 0, 0, 1, 3, 4, 5 with values a, a, a, a, b, b, b, b and
    l = 2: 13/4, while 3 is possible).

    The mean is a ratio: by Dinkelbach's iteration the total extent less
    :math:`\lambda` for each group is minimised until no partition has a smaller ratio
    than the last :math:`\lambda` (``starmin.models.one_dimensional.least_ratio``).

    Parameters
    ----------
    values
        n numbers in ascending order.
    sensitive
        For each its sensitive value, a whole number.
    l
        At least 1.

    Returns
    -------
    tuple
        The mean, a fraction where the numbers are whole, and the group of each row.

    Raises
    ------
    ValueError
        A value has more than n / l rows: no partition is l-diverse. Or there are more
        boundaries than 2^62, or whole numbers whose range times n is above 2^53.

    Notes
    -----
    The time of ``l_ordered`` with ``loss="total"`` for each of a few iterations. Exact
    for whole numbers.

    See Also
    --------
    starmin.models.one_dimensional.k_mean : the same for k-anonymity, exact.

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
        _cheapest(given, sensitive, l, Fraction(0)),
        lambda groups: _mean(given, groups),
        lambda ratio: _cheapest(given, sensitive, l, ratio),
    )


def _cheapest(
    given: Values, sensitive: npt.NDArray[np.integer], l: int, ratio: Fraction | float
) -> Ints:
    """Minimise the total extent less the ratio for each group, in whole numbers."""
    p, q = ratio.as_integer_ratio() if isinstance(ratio, Fraction) else (ratio, 1)
    data = Domains.of(given * q, sensitive)
    most = min(2 * l - 1, len(data.stride))
    rules = Rules(TOTAL, np.inf, l, most, 1, 1, 1, float(p))
    groups: Ints = best_groups(data, rules)[1]
    return groups


def _mean(given: Values, groups: Ints) -> Fraction | float:
    count = int(groups.max()) + 1
    first, last = np.full(count, given[-1]), np.full(count, given[0])
    np.minimum.at(first, groups, given)
    np.maximum.at(last, groups, given)
    total = (last - first).sum()
    if given.dtype == np.int64:
        return Fraction(int(total), count)
    return float(total) / count
