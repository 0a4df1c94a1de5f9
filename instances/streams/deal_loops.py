"""The compiled loop that deals copies of rows to groups."""

import numpy as np

from starmin.instances.arrays import Int32s, Ints, Words
from starmin.instances.loops.compiled import compiled


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
