"""Dinkelbach's iteration: groups with the least ratio of a sum to their number."""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from starmin.instances.arrays import Ints

Ratio = TypeVar("Ratio", Fraction, float, Fraction | float)


def least_ratio(
    first: Ints, ratio_of: Callable[[Ints], Ratio], cheapest: Callable[[Ratio], Ints]
) -> tuple[Ratio, Ints]:
    r"""Improve groups until no others have a smaller ratio.

    Parameters
    ----------
    first
        Any groups.
    ratio_of
        Returns the ratio of some groups.
    cheapest
        Returns the groups that minimise the sum less :math:`\lambda` for each of them,
        for a ratio :math:`\lambda` that some groups attain. They have a smaller ratio
        unless :math:`\lambda` is the least one.

    Notes
    -----
    A few iterations.

    References
    ----------
    W. Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967.
    """
    groups, ratio = first, ratio_of(first)
    while True:
        others = cheapest(ratio)
        if (found := ratio_of(others)) >= ratio:
            return ratio, groups
        groups, ratio = others, found
