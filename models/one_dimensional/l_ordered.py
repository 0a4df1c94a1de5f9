"""l-diversity in one dimension: the best groups in an order."""

from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.models.one_dimensional.boundaries import (
    LARGEST,
    TOTAL,
    WEIGHTED,
    Domains,
    Rules,
    best_groups,
)
from starmin.models.one_dimensional.sorted_values import as_sorted

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
    order may be (``starmin.models.ranges.range_ilp`` finds them).

    Parameters
    ----------
    values
        n numbers in ascending order.
    sensitive
        For each its sensitive value, a whole number.
    l
        At least 1.
    loss
        ``largest`` (exact) or ``total`` extent, or the total ``weighted`` by size.

    Raises
    ------
    ValueError
        A value has more than n / l rows: no partition is l-diverse. Or there are
        more boundaries than 2^62.

    See Also
    --------
    l_by_dual : another exact method.

    Notes
    -----
    O(2^m n^m) in the worst case. Only boundaries near the diagonal are reached where
    groups are narrow.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    section 4. Their proof of the size bound splits off l rows of the most frequent
    values, which may leave a group that is not l-diverse, as of (2, 2, 2, 2), l = 3.

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
