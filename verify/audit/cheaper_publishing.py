"""Which sensitive values would have let rows be published for less; compiled."""

from typing import Any

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled, inner

WORD = 64  # classes in one number


@inner
def _takes(counts: Ints, size: int, top: int, k: int, l: int, v: int, w: int) -> Any:
    """Return whether a class holds with one value more, or two; w is -1: one.

    ``top`` is the number of its most frequent value.
    """
    after = size + (1 if w < 0 else 2)
    if after < k or top * l > after:
        return False
    if w < 0:
        return (counts[v] + 1) * l <= after
    if v == w:
        return (counts[v] + 2) * l <= after
    return (counts[v] + 1) * l <= after and (counts[w] + 1) * l <= after


@inner
def _spares(counts: Ints, size: int, k: int, l: int, v: int, w: int) -> Any:
    """Return whether a class holds with one value less, or two; w is -1: one."""
    after = size - (1 if w < 0 else 2)
    if after == 0:
        return True
    if after < k:
        return False
    for x in range(len(counts)):
        if (counts[x] - (x == v) - (x == w)) * l > after:
            return False
    return True


@compiled
def ruled_out(
    own: Ints,
    values: Ints,
    start: Ints,
    near: Ints,
    counts: Ints,
    tops: Ints,
    sizes: Ints,
    k: int,
    l: int,
    most: int,
) -> tuple[Bools, Bools]:
    """Return which values rows of a class cannot have, alone and two at a time.

    A row of a type cannot have a value if with it the row could go to a cheaper class,
    both classes still holding. Two rows cannot have two values if with these both could
    go, each to a cheaper class.

    The class has each of its ``values`` as often as ``own`` says. By type of its rows
    ``start`` has the first place of its cheaper classes, which are sorted in ``near``.
    For all classes ``counts`` says how often each has each value, ``tops`` the number
    of its most frequent value, and ``sizes`` that of its rows. A class has ``k`` rows
    or more, its values at most the share 1/``l``; two rows are looked at together in
    classes of up to ``most`` rows.

    Returned are flags by type and value, and by two pairs of a type and a value; the
    latter are empty where two are not looked at.

    O(n^2 g (1 + m^2 / 64)) for m types, n values, and g cheaper classes, as bits.
    """
    m, n = len(start) - 1, len(values)
    size = own.sum()
    single = np.zeros((m, n), np.bool_)
    for x in range(n):
        if not _spares(own, size, k, l, x, -1):
            continue
        for t in range(m):
            for place in range(start[t], start[t + 1]):
                d = near[place]
                if _takes(counts[d], sizes[d], tops[d], k, l, values[x], -1):
                    single[t, x] = True
                    break
    if size < 2 or size > most:
        return single, np.zeros((0, 0), np.bool_)
    double = np.zeros((m * n, m * n), np.bool_)
    number = np.zeros((m, n), np.int64)
    some = np.full((m, n), -1, np.int64)
    every = np.unique(near)
    words = (len(every) + WORD - 1) // WORD
    fits = np.zeros((m, words), np.uint64)
    one = np.uint64(1)
    for t in range(m):
        for place in range(start[t], start[t + 1]):
            d = near[place]
            bit = np.searchsorted(every, d)
            fits[t, bit // WORD] |= one << np.uint64(bit % WORD)
            for x in range(n):
                if _takes(counts[d], sizes[d], tops[d], k, l, values[x], -1):
                    number[t, x] += 1
                    some[t, x] = d
    taking, common = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    for x in range(n):
        for y in range(x, n):
            if x == y and own[x] < 2:
                continue
            if not _spares(own, size, k, l, x, y):
                continue
            taking[:] = 0
            for bit in range(len(every)):
                d = every[bit]
                v, w = values[x], values[y]
                if _takes(counts[d], sizes[d], tops[d], k, l, v, w):
                    taking[bit // WORD] |= one << np.uint64(bit % WORD)
            for t in range(m):
                if single[t, x]:
                    continue
                for word in range(words):
                    common[word] = taking[word] & fits[t, word]
                for u in range(m):
                    if single[u, y]:
                        continue
                    both = number[t, x] > 0 and number[u, y] > 0
                    if number[t, x] == 1 and some[t, x] == some[u, y]:
                        both = number[u, y] > 1
                    for word in range(words):
                        if both:
                            break
                        both = (common[word] & fits[u, word]) != 0
                    if both:
                        double[t * n + x, u * n + y] = True
                        double[u * n + y, t * n + x] = True
    return single, double
