"""The largest l that groups of bounded extent allow, in one dimension."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.models.one_dimensional.boundaries import (
    PRIVACY,
    Domains,
    Rules,
    best_groups,
)
from starmin.models.one_dimensional.k_total import as_sorted


class LargestL(NamedTuple):
    """The least privacy of a group, and the group of each row."""

    l: Fraction
    groups: Ints


def l_dual(
    values: npt.ArrayLike,
    sensitive: npt.NDArray[np.integer],
    bound: float,
    at_least: float | Fraction = 1,
) -> LargestL | None:
    r"""Solve the accuracy-constrained problem exactly for l.

    Of all partitions into groups of extent ``bound`` at most it finds one whose least
    *privacy* is largest: size by rows of the most frequent sensitive value, the l of
    l-diversity as a fraction.

    Some best partition has groups that are consecutive among the rows of each
    sensitive value (Lemma 7), in one and the same order, and that begin and end in
    it: rows of one value are exchanged where it is not so. So the program over
    boundaries (``boundaries``) is exact:

    .. math::

        PM(a) = \max_{b \prec a,\ \text{extent}(b, a) \le E}
            \min(PM(b),\ PM(\text{group from b to a}))

    Groups may have many rows of one value, as these numbers are no whole ones.

    Parameters
    ----------
    values
        n numbers in ascending order.
    sensitive
        For each its sensitive value, a whole number.
    bound
        The largest extent that is allowed, E >= 0.
    at_least
        Look only for more privacy than, or as much as, this; a float is read as by
        ``least_privacy``.

    Returns
    -------
    LargestL or None
        None if all partitions have less privacy than ``at_least``.

    Raises
    ------
    ValueError
        A negative bound, values not in order, or more than 2^62 boundaries.

    Notes
    -----
    O(n c^2m) for m sensitive values and c rows of each within the bound.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    section 5.1.

    Examples
    --------
    >>> x, sensitive = np.array([0, 1, 2, 10, 11, 12]), np.array([0, 0, 1, 1, 1, 0])
    >>> l_dual(x, sensitive, 2)
    LargestL(l=Fraction(3, 2), groups=array([0, 0, 0, 1, 1, 1]))
    """
    given = as_sorted(values)
    n = len(given)
    if n == 0 or not bound >= 0:
        raise ValueError(f"Expected values and a bound >= 0, got bound = {bound}.")
    floor = least_privacy(at_least, n)
    if floor > n:
        return None
    least = max(1, math.ceil(floor))
    rules = Rules(
        PRIVACY, float(bound), least, n, n, floor.numerator, floor.denominator
    )
    best, groups = best_groups(Domains.of(given, sensitive), rules)
    if len(groups) == 0:
        return None
    return LargestL(Fraction(best).limit_denominator(n), groups)


def least_privacy(l: float | Fraction, n: int) -> Fraction:
    """Return the least privacy that a group of up to n rows can have and l allows.

    A float stands for the fraction of up to n rows that it was rounded from, if it is
    one: 21 / 19 is not larger than 21 of 19.

    Examples
    --------
    >>> least_privacy(21 / 19, 21), least_privacy(2.24, 5)
    (Fraction(21, 19), Fraction(9, 4))
    """
    exact = Fraction(l)
    near = exact.limit_denominator(n)
    if near == exact or float(near) == l:
        return near
    return min(Fraction(math.ceil(exact * rows), rows) for rows in range(1, n + 1))
