"""Random integer codes that are the same for a seed everywhere, at a look-up each.

A *wheel* is an array of 2^16 slots that hold codes, as many slots as a code has
weight; a draw is 16 random bits that index it. The bits come from PCG64, whose stream
numpy guarantees for a seed (that of its ``Generator`` it does not), and weights are
whole numbers, so no rounding differs between machines.
"""

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.instances.errors import TableError

SLOTS = 1 << 16
MOST_ROWS = 10**8


class Bits:
    """A stream of random 16-bit numbers.

    Examples
    --------
    >>> whole, part = Bits(1), Bits(1)
    >>> part.skip(8)
    >>> whole.draw(12)[8:].tolist() == part.draw(4).tolist()
    True
    """

    def __init__(self, seed: int) -> None:
        expect("seed", seed, 0, 2**63)
        self._stream = np.random.PCG64(seed)

    def draw(self, n: int) -> npt.NDArray[np.uint16]:
        """Draw the next n numbers."""
        words = self._stream.random_raw(-(-n // 4)).astype("<u8", copy=False)
        return words.view("<u2")[:n]

    def skip(self, n: int) -> None:
        """Pass over numbers as ``draw`` would, without making them."""
        self._stream.advance(-(-n // 4))


def wheel(weights: Ints) -> npt.NDArray[np.uint16]:
    """Make slots for the codes 0, 1, .. in proportion to their weights, to within one.

    Examples
    --------
    >>> np.bincount(wheel(np.array([1, 2, 1]))).tolist()
    [16384, 32768, 16384]
    """
    ends = np.cumsum(weights) * SLOTS // int(weights.sum())
    codes = np.arange(len(weights), dtype=np.uint16)
    return np.repeat(codes, np.diff(ends, prepend=0))


def even_wheel(size: int) -> npt.NDArray[np.uint16]:
    """Make a wheel of equally likely codes."""
    return wheel(np.ones(size, np.int64))


def expect(name: str, value: int, low: int, high: int) -> None:
    """Raise TableError where a parameter of a generated table is out of range.

    ``low`` and ``high`` are the least and the greatest value that is allowed.
    """
    if not low <= value <= high:
        raise TableError(f"Expected {low} <= {name} <= {high}, got {name} = {value}.")
