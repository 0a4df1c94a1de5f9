"""Exact comparisons of counts with ratios that were given as decimals."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

_MOST = 2**62


def exact(ratio: float) -> Fraction:
    """The decimal that ``ratio`` was written as.

    Examples
    --------
    >>> exact(0.1)
    Fraction(1, 10)
    """
    return Fraction(str(ratio))


def floor_times(
    ratio: Fraction, counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """``floor(ratio * count)`` for each count, without rounding errors.

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
