"""Compile loops over rows of large tables, and the loop that deals copies of rows.

Imported when first called for: numba takes half a second to load.
"""

import numpy as np

from starmin.instances.arrays import Bools, Int32s, IntArray, Ints, Words
from starmin.instances.loops.compiled import compiled, inner

# The compiled loop that deals copies of rows to groups.


@compiled
def deal(
    rows: Ints,
    starts: Ints,
    following: Ints,
    left: Ints,
    groups: Int32s,
    draws: Words,
    dealt: Int32s,
) -> int:
    """Write the group of each row; return the place of a row without a copy, or -1.

    ``rows`` has the number of each row, and the pieces of row r are ``starts[r]`` to
    ``starts[r + 1]``. ``following``, for each row its first piece that has copies left,
    and ``left``, of each piece the copies left, are updated; ``groups`` has the group
    of each piece. ``draws`` has a random number a row; if it is empty, pieces are used
    up in their order. The groups are written to ``dealt``.
    """
    for i in range(len(rows)):
        row = rows[i]
        if row < 0:
            return i
        piece, end = following[row], starts[row + 1]
        while piece < end and left[piece] == 0:
            piece += 1
        following[row] = piece
        if piece == end:
            return i
        if len(draws) > 0:
            many = np.uint64(0)
            for other in range(piece, end):
                many += np.uint64(left[other])
            place = np.int64(draws[i] % many)
            while place >= left[piece]:
                place -= left[piece]
                piece += 1
        left[piece] -= 1
        dealt[i] = groups[piece]
    return -1


_DIGIT = 12  # bits at most; 4096 buckets stay in the first-level cache


@compiled
def append_column(key: Ints, column: IntArray, step: int) -> None:
    """Compute ``key = key * step + column``, in one pass."""
    for i in range(len(key)):
        key[i] = key[i] * step + column[i]


@compiled
def group_counted(key: Ints, width: int) -> tuple[Ints, Ints, Int32s]:
    """Group as ``group_sorted`` does, for keys below ``width``: O(n + width)."""
    present = np.zeros(width, np.int64)
    for i in range(len(key)):
        present[key[i]] += 1
    number = np.cumsum(present > 0) - 1
    first = np.full(number[-1] + 1, -1, np.int64)
    inverse = np.empty(len(key), np.int32)
    for i in range(len(key)):
        group = number[key[i]]
        inverse[i] = group
        if first[group] == -1:
            first[group] = i
    return first, present[present > 0], inverse


@compiled
def group_sorted(key: IntArray, bits: int) -> tuple[Ints, Ints, Int32s]:
    """First row, count and inverse of the groups of equal keys, in key order.

    Least significant digit first, so the sort is stable; digits that all keys share
    are skipped. O(n) for each of ``bits`` / 12 digits. Overwrites ``key``.
    """
    n = len(key)
    width = -(-bits // -(-bits // _DIGIT))
    order = np.arange(n).astype(np.int32)
    other = np.empty(n, np.int32)
    other_key = np.empty_like(key)
    mask = (1 << width) - 1
    for shift in range(0, bits, width):
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
    first, counts, inverse = _number(key, order)
    return first, counts, inverse


@inner
def _number(key: IntArray, order: Int32s) -> tuple[Ints, Ints, Int32s]:
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


@compiled
def by_key(key: IntArray, count: int) -> tuple[Ints, Ints]:
    """Return where the places of each of so many keys begin, and all places by key.

    Examples
    --------
    >>> first, places = by_key(np.array([1, 0, 1]), 2)
    >>> first.tolist(), places.tolist()
    ([0, 1, 3], [1, 0, 2])
    """
    first = np.zeros(count + 1, np.int64)
    for k in key:
        first[k + 1] += 1
    first = np.cumsum(first)
    at, places = first[:-1].copy(), np.empty(len(key), np.int64)
    for i in range(len(key)):
        places[at[key[i]]] = i
        at[key[i]] += 1
    return first, places


@compiled
def gather(codes: Int32s, columns: Ints, rows: Ints) -> Int32s:
    """Gather cells, ``len(rows)`` x ``len(columns)``, of a table stored by columns."""
    cells = np.empty((len(rows), len(columns)), np.int32)
    for j in range(len(columns)):  # one column after the other stays in the cache
        column = codes[columns[j]]
        for i in range(len(rows)):
            cells[i, j] = column[rows[i]]
    return cells


@compiled
def differing(
    codes: Int32s, columns: Ints, rows: Int32s, groups: Int32s, size: int
) -> Bools:
    """Find where rows of a group differ from its first row: groups x columns.

    ``codes`` is that of the table, columns x rows, and ``columns`` are those to look
    at. ``rows`` and ``groups`` are each row that is in a group, and the group; ``size``
    is how many groups there are.
    """
    d = len(columns)
    seen = np.full((size, d), -1, np.int32)
    starred = np.zeros((size, d), np.bool_)
    for i in range(len(groups)):
        group = groups[i]
        for j in range(d):
            code = codes[columns[j], rows[i]]
            if seen[group, j] == -1:
                seen[group, j] = code
            elif seen[group, j] != code:
                starred[group, j] = True
    return starred
