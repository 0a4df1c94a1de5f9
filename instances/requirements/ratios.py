"""Exact comparisons of counts with ratios that were given as decimals."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Bools, Ints

_MOST = 2**62


def exact(ratio: float) -> Fraction:
    """Return the decimal that ``ratio`` was written as.

    Examples
    --------
    >>> exact(0.1)
    Fraction(1, 10)
    """
    return Fraction(str(ratio))


def floor_times(ratio: Fraction, counts: Ints) -> Ints:
    """Compute ``floor(ratio * count)`` for each count, without rounding errors.

    Beyond 2^62, more than any count, it is cut off.

    Examples
    --------
    >>> floor_times(exact(0.3), np.array([10, 11, 13])).tolist()
    [3, 3, 3]
    """
    different, inverse = np.unique(counts, return_inverse=True)
    products = [
        max(-_MOST, min(ratio.numerator * int(count) // ratio.denominator, _MOST))
        for count in different
    ]
    return np.array(products, np.int64)[inverse]


def within(
    numerators: npt.NDArray[Any], ratio: Fraction, denominators: npt.NDArray[Any]
) -> Bools:
    """Check for each whether ``numerator <= ratio * denominator``, whatever the size.

    Arrays are of int64 or of Python's integers.

    Examples
    --------
    >>> within(np.array([3, 4, 2**63 - 1]), exact(0.3), np.array([10, 10, 1])).tolist()
    [True, False, False]
    """
    different, inverse = np.unique(denominators, return_inverse=True)
    limits = np.empty(len(different), object)
    limits[:] = [ratio.numerator * int(each) // ratio.denominator for each in different]
    if numerators.dtype != object:
        # No numerator is beyond int64, so that a limit there is as good as any above.
        limits = np.minimum(limits, np.iinfo(np.int64).max).astype(np.int64)
    return np.asarray(numerators <= limits[inverse], bool)
