"""The members of a pattern that can be in a fill worth taking: compiled loops."""

import numba
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Members = npt.NDArray[np.int32]

NEVER = 1 << 60


@numba.njit(cache=True)
def look(
    members: Members, cost: int, counts: Ints, prices: Ints
) -> tuple[int, int, int]:
    """Worth and copies of negative reduced cost; the least of the other ones."""
    gain, copies, least = 0, 0, NEVER
    for t in members:
        reduced = cost - prices[t]
        if reduced < 0:
            gain += reduced * counts[t]
            copies += counts[t]
        elif reduced < least:
            least = reduced
    return gain, copies, least


@numba.njit(cache=True)
def candidates(
    members: Members,
    cost: int,
    prices: Ints,
    low: int,
    high: int,
    keys: Ints,
    items: Members,
) -> int:
    """Note the members with ``low`` <= reduced cost < ``high``; how many they are."""
    size = 0
    for t in members:
        reduced = cost - prices[t]
        if low <= reduced < high:
            keys[size], items[size] = reduced, t
            size += 1
    return size


@numba.njit(cache=True)
def heap(keys: Ints, items: Members, size: int) -> None:
    for root in range(size // 2 - 1, -1, -1):
        sift(keys, items, root, size)


@numba.njit(cache=True)
def sift(keys: Ints, items: Members, root: int, size: int) -> None:
    if root >= size:
        return
    key, item = keys[root], items[root]
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[root], items[root] = keys[child], items[child]
        root = child
    keys[root], items[root] = key, item
