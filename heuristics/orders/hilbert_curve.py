"""Places on the Hilbert curve: points of a grid in an order that keeps neighbours."""

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Int32s, Ints, Words
from starmin.instances.loops.compiled import compiled, inner

_WORD = 64  # Bits of a word of a key.
# Keys are looked up in a table of d 4^d entries up to so many columns and bits.
_TABLE_COLUMNS = 9
_TABLE_BITS = 16
_SIDE_BY_SIDE = 64  # Rows are looked up in turn, as each look-up waits for memory.


def hilbert_order(points: npt.NDArray[np.integer], bits: int) -> Ints:
    """Return the points' indices in the order of the curve; equal ones stay in order.

    Examples
    --------
    >>> hilbert_order(np.array([[1, 0], [0, 1], [1, 1], [0, 0]]), bits=1).tolist()
    [3, 1, 2, 0]
    """
    return key_order(hilbert_keys(points, bits))


def key_order(keys: Words) -> Ints:
    """Return the order of keys of several words; equal ones stay in order."""
    if keys.shape[1] == 1:
        return np.argsort(keys[:, 0], kind="stable").astype(np.int64)
    return np.lexsort(keys.T[::-1]).astype(np.int64)


def hilbert_keys(points: npt.NDArray[np.integer], bits: int) -> Words:
    """Compute the places on the Hilbert curve of points of a grid, ``2^bits`` per axis.

    Consecutive cells of the curve differ by one in one coordinate. ``points`` are n x d
    coordinates, ``0 <= coordinate < 2^bits``, and ``bits`` is from 1 to 62. Returns n x
    w: the d * bits bits of the place in w words of 64 bits, the most significant first
    (the last word holds the bits that are left over). Raises ValueError where a
    coordinate is out of range.

    O(n d bits). For d <= 9 a table takes d bits at a time: 10 million points of 7
    coordinates of 7 bits take 0.3 s, otherwise about 5 s.

    C. Hamilton, A. Rau-Chaplin, Compact Hilbert indices, Information Processing
    Letters 105, 2007 (with tables); J. Skilling, Programming the Hilbert curve, AIP
    Conference Proceedings 707, 2004 (without).

    Examples
    --------
    >>> grid = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> hilbert_keys(grid, bits=1).ravel().tolist()
    [0, 1, 2, 3]
    """
    if not 1 <= bits <= 62:
        raise ValueError(f"Expected 1 <= bits <= 62, got {bits}.")
    d = points.shape[1]
    words = max(1, -(-d * bits // _WORD))
    keys: Words
    if words == 1 and d <= _TABLE_COLUMNS and bits <= _TABLE_BITS:
        keys, seen = _keys_by_table(points, bits)
    else:
        keys, seen = _keys(points, bits, words)
    if not 0 <= seen < 1 << bits:
        raise ValueError(f"Expected coordinates from 0 to {(1 << bits) - 1}.")
    return keys


@compiled
def _keys(points: npt.NDArray[np.integer], bits: int, words: int) -> tuple[Words, int]:
    n, d = points.shape
    seen = np.int64(0)
    keys = np.zeros((n, words), np.uint64)
    x = np.empty(d, np.int64)
    for row in range(n):
        for i in range(d):
            x[i] = points[row, i]
            seen |= x[i]
        _transpose(x, bits)
        filled = 0
        word = np.uint64(0)
        at = 0
        for bit in range(bits - 1, -1, -1):
            for i in range(d):
                word = (word << np.uint64(1)) | np.uint64((x[i] >> bit) & 1)
                filled += 1
                if filled == _WORD:
                    keys[row, at] = word
                    at, filled, word = at + 1, 0, np.uint64(0)
        if filled:
            keys[row, at] = word
    return keys, int(seen)


@inner
def _transpose(x: Ints, bits: int) -> None:
    """Turn coordinates into the place, its bits dealt to axes (AxesToTranspose)."""
    d = len(x)
    for shift in range(bits - 1, 0, -1):
        low = (1 << shift) - 1
        for i in range(d):
            if (x[i] >> shift) & 1:
                x[0] ^= low  # reflect
            else:
                swap = (x[0] ^ x[i]) & low
                x[0] ^= swap
                x[i] ^= swap
    for i in range(1, d):
        x[i] ^= x[i - 1]
    flip = 0
    for shift in range(bits - 1, 0, -1):
        if (x[d - 1] >> shift) & 1:
            flip ^= (1 << shift) - 1
    for i in range(d):
        x[i] ^= flip


@compiled
def _keys_by_table(points: npt.NDArray[np.integer], bits: int) -> tuple[Words, int]:
    """Compute keys by one look-up for each d bits, coarse scales before fine ones.

    Rows go through the scales side by side, as a look-up has to wait for the one
    before. Also returned: the bits that coordinates have, to see those out of range.
    """
    n, d = points.shape
    steps = _steps(d).ravel()
    mask, top = (1 << d) - 1, (1 << bits) - 1
    spread = np.zeros(1 << bits, np.int64)  # bit b of a coordinate at b * d
    for value in range(1 << bits):
        for bit in range(bits):
            spread[value] |= ((value >> bit) & 1) << (bit * d)
    keys = np.empty((n, 1), np.uint64)
    cell = np.zeros(_SIDE_BY_SIDE, np.int64)
    state = np.empty(_SIDE_BY_SIDE, np.int32)
    key = np.empty(_SIDE_BY_SIDE, np.int64)
    seen = np.int64(0)
    for low in range(0, n, _SIDE_BY_SIDE):
        many = min(_SIDE_BY_SIDE, n - low)
        cell[:], state[:], key[:] = 0, 0, 0
        for i in range(d):
            for r in range(many):
                coordinate = points[low + r, i]
                seen |= coordinate
                cell[r] |= spread[coordinate & top] << i
        for shift in range((bits - 1) * d, -1, -d):
            for r in range(_SIDE_BY_SIDE):
                step = steps[(state[r] << d) | ((cell[r] >> shift) & mask)]
                key[r] = (key[r] << d) | (step & mask)
                state[r] = step >> d
        for r in range(many):
            keys[low + r, 0] = key[r]
    return keys, int(seen)


@inner
def _steps(d: int) -> Int32s:
    """Tabulate Hamilton's algorithm: state and subcube to next state and place.

    A state is a turn of the axes and the corner where the curve enters. In the Gray
    code the places 2i - 1 and 2i enter their subcubes at one corner.
    """
    size = 1 << d
    steps = np.empty((d * size, size), np.int32)
    for place in range(size):
        code = place ^ (place >> 1)
        even = max(0, (place - 1) // 2 * 2)
        corner = even ^ (even >> 1)
        ones = 0
        while place > 0 and ((place - 1 + place % 2) >> ones) & 1:
            ones += 1
        for state in range(d * size):
            axis, entry = state // size, state % size
            turn = (axis + 1) % d
            cube = (((code << turn) | (code >> (d - turn))) & (size - 1)) ^ entry
            entry ^= ((corner << turn) | (corner >> (d - turn))) & (size - 1)
            after = (axis + ones + 1) % d * size + entry
            steps[state, cube] = (after << d) | place
    return steps
