"""Compute exactly, or say that a checker cannot in its arithmetic or its time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from starmin.instances.arrays import IntArray, Ints

# What a checker does not know, or cannot do in its arithmetic or its time.


class BeyondError(ValueError):
    """Why a claim can be neither accepted nor refused here."""


Over = Callable[[], bool]  # whether the time for a check is over
Told = Callable[[int, int], None]  # leaves of a tree that are checked, and all leaves
_over: ContextVar[Over | None] = ContextVar("over", default=None)


@contextmanager
def until(over: Over | None) -> Iterator[None]:
    """Have the checks inside, and in threads that they start, end when this says so.

    >>> with until(lambda: True):
    ...     expect_time()
    Traceback (most recent call last):
    ...
    starmin.verify.exact.BeyondError: the time for its check is over
    """
    token = _over.set(over)
    try:
        yield
    finally:
        _over.reset(token)


def expect_time() -> None:
    """Raise BeyondError where the time for the check is over."""
    over = _over.get()
    if over is not None and over():
        raise BeyondError("the time for its check is over")


# Sums of machine integers that are exact whatever they come to.

# Bits of the lower part of a number.
_HALF = 32


def exact_sum(numbers: Ints) -> int:
    """Return the sum of fewer than 2^31 integers of 64 bits, as a Python integer.

    Each number is ``high * 2^32 + low`` with ``-2^31 <= high < 2^31`` and
    ``0 <= low < 2^32``, so that either part adds up to less than 2^63 in size.

    >>> exact_sum(np.array([2**62, 2**62, 2**62])) == 3 * 2**62
    True
    >>> exact_sum(np.array([-(2**63)] * 2 + [1])) == 1 - 2**64
    True
    """
    high = int((numbers >> _HALF).sum())
    low = int((numbers & (2**_HALF - 1)).sum())
    return (high << _HALF) + low


def summed(numbers: Ints, index: IntArray, size: int) -> Ints:
    """Add up numbers by index; ``bincount`` would do so in floats."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, index, numbers)
    return sums
