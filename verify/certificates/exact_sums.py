"""Sums of machine integers that are exact whatever they come to."""

from starmin.instances.arrays import Ints

# Bits of the lower part of a number.
_HALF = 32


def exact_sum(numbers: Ints) -> int:
    """Return the sum of fewer than 2^31 integers of 64 bits, as a Python integer.

    Each number is ``high * 2^32 + low`` with ``-2^31 <= high < 2^31`` and
    ``0 <= low < 2^32``, so that either part adds up to less than 2^63 in size.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sum(np.array([2**62, 2**62, 2**62])) == 3 * 2**62
    True
    >>> exact_sum(np.array([-(2**63)] * 2 + [1])) == 1 - 2**64
    True
    """
    high = int((numbers >> _HALF).sum())
    low = int((numbers & (2**_HALF - 1)).sum())
    return (high << _HALF) + low
