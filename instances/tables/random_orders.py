"""Draw codes that a seed repeats everywhere, and orders that nobody draws again."""

import os

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.instances.errors import TableError

# Random integer codes that are the same for a seed everywhere, at a look-up each.
#
# A *wheel* is an array of 2^16 slots that hold codes, as many slots as a code has
# weight; a draw is 16 random bits that index it. The bits come from PCG64, whose
# stream numpy guarantees for a seed (that of its ``Generator`` it does not), and
# weights are whole numbers, so no rounding differs between machines.

SLOTS = 1 << 16
MOST_ROWS = 10**8


class Bits:
    """A stream of random 16-bit numbers.

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

    def below(self, size: int) -> int:
        """Draw a number below ``size``."""
        return int(self.draw(1)[0]) % size

    def skip(self, n: int) -> None:
        """Pass over numbers as ``draw`` would, without making them."""
        self._stream.advance(-(-n // 4))


def wheel(weights: Ints) -> npt.NDArray[np.uint16]:
    """Make slots for the codes 0, 1, .. in proportion to their weights, to within one.

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


# Orders that hide who is who: drawn from the system, so that nobody draws them again.
#
# A seed that is known, as a default is, tells the order: whoever has it permutes
# back. Even an unknown seed of a generator for simulations does not do: its state can
# be computed from what it drew, and people who find their own rows know some of that.


def secret_order(n: int, seed: int | None = None) -> Ints:
    """Return a random permutation of ``range(n)``.

    Rows are sorted by keys of 64 bits from the system's generator for secrets
    (``os.urandom``), which is what makes all orders equally likely and none of them
    predictable; two keys are equal with a probability below n^2 / 2^65.

    ``seed`` is for tests alone: the order is then known to all who know it. O(n log n):
    a second for 10 million rows.

    >>> sorted(secret_order(5).tolist())
    [0, 1, 2, 3, 4]
    >>> bool((secret_order(9, seed=1) == secret_order(9, seed=1)).all())
    True
    """
    if seed is not None:
        return np.random.default_rng(seed).permutation(n)
    keys = np.frombuffer(os.urandom(8 * n), np.uint64)
    return np.argsort(keys, kind="stable")
