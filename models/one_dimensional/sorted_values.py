"""One number for each row, in ascending order, and consecutive groups of them."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Ints
from starmin.instances.loops.compiled import compiled

Values: TypeAlias = Ints | Floats


def as_sorted(values: npt.ArrayLike) -> Values:
    """Return the values as int64 or, where they have fractions, as float64.

    Whole numbers are computed with exactly; they must be below 2^62 in size, so that
    their differences fit. Raises ValueError where values are not finite, too large, not
    one-dimensional or not sorted.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"Expected one number for each row, got {array.ndim} axes.")
    integral = array.dtype.kind in "iub"
    given: Values
    if integral:
        given = array.astype(np.int64, copy=False)
    else:
        given = array.astype(np.float64, copy=False)
    if len(given) == 0:
        return given
    if not given[0] <= given[-1] or (given[1:] < given[:-1]).any():
        raise ValueError("Expected values in ascending order.")
    bound = 2**62 if integral else np.inf
    if not -bound < given[0] <= given[-1] < bound:
        raise ValueError("Expected finite values, below 2^62 in size.")
    return given


def extents(values: Values, starts: Ints) -> Values:
    """Return the extents of the groups that begin at ``starts``.

    Examples
    --------
    >>> extents(np.array([0, 1, 10, 12]), np.array([0, 2])).tolist()
    [1, 2]
    """
    ends = np.append(starts[1:], len(values))
    return np.asarray(values[ends - 1] - values[starts])


def expect_enough(n: int, k: int) -> None:
    """Raise ValueError where n rows cannot form a group of k."""
    if not 1 <= k <= n:
        raise ValueError(f"Expected 1 <= k <= {n}, the number of rows, got k = {k}.")


@compiled
def read_starts(begin: Ints) -> Ints:
    """Return where groups begin, from where the last group of each prefix begins.

    Examples
    --------
    >>> read_starts(np.array([0, 0, 0, 0, 2])).tolist()
    [0, 2]
    """
    size = 0
    at = len(begin) - 1
    while at > 0:
        at = begin[at]
        size += 1
    starts = np.empty(size, np.int64)
    at = len(begin) - 1
    while at > 0:
        at = begin[at]
        size -= 1
        starts[size] = at
    return starts
