"""Compiled sort of integer keys into groups, for tables of many rows.

Imported when first called for: numba takes half a second to load.
"""

import numba
import numpy as np
import numpy.typing as npt

_DIGIT = 11  # bits; 2048 buckets stay in the first-level cache


@numba.njit(cache=True)
def group_sorted(
    key: npt.NDArray[np.int64], bits: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """First row, count and inverse of the groups of equal keys, in key order.

    Least significant digit first, so the sort is stable; digits that all keys share
    are skipped. O(n) for each of ``bits`` / 11 digits. Overwrites ``key``.
    """
    n = len(key)
    order = np.arange(n).astype(np.int32)
    other = np.empty(n, np.int32)
    other_key = np.empty(n, np.int64)
    mask = (1 << _DIGIT) - 1
    for shift in range(0, bits, _DIGIT):
        starts = np.zeros(mask + 2, np.int64)
        for i in range(n):
            starts[((key[i] >> shift) & mask) + 1] += 1
        if starts.max() == n:
            continue
        starts = np.cumsum(starts)
        for i in range(n):
            digit = (key[i] >> shift) & mask
            at = starts[digit]
            starts[digit] = at + 1
            other_key[at] = key[i]
            other[at] = order[i]
        order, other = other, order
        key, other_key = other_key, key
    return _gather(key, order)


@numba.njit(cache=True)
def _gather(
    key: npt.NDArray[np.int64], order: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    n = len(key)
    size = 0
    for i in range(n):
        if i == 0 or key[i] != key[i - 1]:
            size += 1
    first = np.empty(size, np.int64)
    counts = np.zeros(size, np.int64)
    inverse = np.empty(n, np.int32)
    group = -1
    for i in range(n):
        if i == 0 or key[i] != key[i - 1]:
            group += 1
            first[group] = order[i]
        counts[group] += 1
        inverse[order[i]] = group
    return first, counts, inverse
