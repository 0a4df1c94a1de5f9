"""Distinct whole numbers, numbered in order."""

import numpy as np

from starmin.instances.arrays import Ints

_COUNTED = 4  # so many times as many numbers as places, and marks pay


def dense(numbers: Ints) -> Ints:
    """Return for each of some whole numbers, 0 or more, its place among all of them.

    Examples
    --------
    >>> dense(np.array([7, 0, 7, 2])).tolist(), dense(np.array([10**15, 3])).tolist()
    ([2, 0, 2, 1], [1, 0])
    """
    size = int(numbers.max(initial=-1)) + 1
    if size > _COUNTED * len(numbers):
        return np.asarray(np.unique(numbers, return_inverse=True)[1])
    there = np.zeros(size, bool)
    there[numbers] = True
    return np.asarray((np.cumsum(there) - 1)[numbers])
