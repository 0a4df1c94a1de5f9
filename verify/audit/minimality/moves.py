"""Which sensitive values would have let rows be published for less; compiled."""

from typing import Any

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled, inner


@inner
def _eligible(counts: Ints, size: int, k: int, l: int, one: int, two: int) -> Any:
    """Return whether a class holds with two more values, or less ones; -1: none."""
    if size == 0:
        return True
    if size < k:
        return False
    sign = 1 if one >= 0 else -1
    first = one if one >= 0 else -one - 2
    second = two if two >= 0 else -two - 2
    for v in range(len(counts)):
        n = counts[v]
        if one != -1 and v == first:
            n += sign
        if two != -1 and v == second:
            n += sign
        if n * l > size:
            return False
    return True


@compiled
def ruled_out(
    own: Ints,
    size: int,
    values: Ints,
    start: Ints,
    near: Ints,
    counts: Ints,
    sizes: Ints,
    k: int,
    l: int,
    most: int,
) -> tuple[Bools, Bools]:
    """Return which values rows of a class cannot have, alone and two at a time.

    A row of a type cannot have a value if with it the row could go to a cheaper class,
    both classes still holding. Two rows cannot have two values if with these both could
    go, each to a cheaper class.

    Parameters
    ----------
    own, size
        How often the class has each value, and its rows.
    values
        Those that it has.
    start, near
        For each type of its rows the first place of its cheaper classes; these.
    counts, sizes
        As ``own`` and ``size``, of all classes.
    k, l
        Rows of a class, at least; its values have at most the share 1/l.
    most
        Rows of a class of which two are looked at together.

    Returns
    -------
    tuple
        For each type and value; for each two pairs of a type and a value.
    """
    m, n = len(start) - 1, len(values)
    single = np.zeros((m, n), np.bool_)
    for x in range(n):
        v = values[x]
        if not _eligible(own, size - 1, k, l, -v - 2, -1):
            continue
        for t in range(m):
            for place in range(start[t], start[t + 1]):
                d = near[place]
                if _eligible(counts[d], sizes[d] + 1, k, l, v, -1):
                    single[t, x] = True
                    break
    double = np.zeros((m * n, m * n), np.bool_)
    if size < 2 or size > most:
        return single, double
    number = np.zeros((m, n), np.int64)
    some = np.full((m, n), -1, np.int64)
    for t in range(m):
        for place in range(start[t], start[t + 1]):
            d = near[place]
            for x in range(n):
                if _eligible(counts[d], sizes[d] + 1, k, l, values[x], -1):
                    number[t, x] += 1
                    some[t, x] = d
    for x in range(n):
        for y in range(x, n):
            v, w = values[x], values[y]
            if x == y and own[v] < 2:
                continue
            if not _eligible(own, size - 2, k, l, -v - 2, -w - 2):
                continue
            for t in range(m):
                for u in range(m):
                    if single[t, x] or single[u, y]:
                        continue
                    both = number[t, x] > 0 and number[u, y] > 0
                    if number[t, x] == 1 and some[t, x] == some[u, y]:
                        both = number[u, y] > 1
                    if both or _together(start, near, counts, sizes, k, l, t, u, v, w):
                        double[t * n + x, u * n + y] = True
                        double[u * n + y, t * n + x] = True
    return single, double


@inner
def _together(
    start: Ints,
    near: Ints,
    counts: Ints,
    sizes: Ints,
    k: int,
    l: int,
    t: int,
    u: int,
    v: int,
    w: int,
) -> Any:
    """Return whether two rows could go to one cheaper class."""
    two = start[u]
    for one in range(start[t], start[t + 1]):
        d = near[one]
        while two < start[u + 1] and near[two] < d:
            two += 1
        if two == start[u + 1]:
            return False
        if near[two] == d and _eligible(counts[d], sizes[d] + 2, k, l, v, w):
            return True
    return False
