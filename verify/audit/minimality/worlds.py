"""All ways to deal the values of a class to its rows, as far as they are possible."""

from typing import Any

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled, inner


@inner
def _splits_hold(
    choice: Ints, counts: Ints, splits: Ints, within: Ints, k: int, l: int
) -> Any:
    """Return whether some split of the rows leaves two classes that hold."""
    s = len(choice)
    for mask in splits:
        within[:] = 0
        size = 0
        for row in range(s):
            if mask >> row & 1:
                within[choice[row]] += 1
                size += 1
        if size < k or s - size < k:
            continue
        holds = True
        for v in range(len(counts)):
            if within[v] * l > size or (counts[v] - within[v]) * l > s - size:
                holds = False
                break
        if holds:
            return True
    return False


@compiled
def count_worlds(
    types: Ints,
    counts: Ints,
    single: Bools,
    double: Bools,
    splits: Ints,
    k: int,
    l: int,
    most: int,
) -> tuple[int, Ints]:
    """Count the worlds of a class, and those in which each row has each value.

    By row of the class, ``types`` are numbered from 0; ``counts`` says how often it has
    each of its values, and ``single`` and ``double`` what is ruled out: see
    ``ruled_out``. The ``splits`` are sets of rows, as bits, that with the others would
    cost less as two classes: a world in which both hold, by ``k`` and ``l``, is ruled
    out.

    The number of worlds is -1 where there are too many, as counting ends after ``most``
    steps; the other numbers are by row and value.
    """
    s, n = len(types), len(counts)
    hits = np.zeros((s, n), np.int64)
    left = counts.copy()
    choice = np.full(s, -1, np.int64)
    within = np.zeros(n, np.int64)
    worlds, steps, i = 0, 0, 0
    while i >= 0:
        steps += 1
        if steps > most:
            return -1, hits
        if i == s:
            if not _splits_hold(choice, counts, splits, within, k, l):
                worlds += 1
                for row in range(s):
                    hits[row, choice[row]] += 1
            i -= 1
            continue
        if choice[i] >= 0:
            left[choice[i]] += 1
        v = choice[i] + 1
        while v < n:
            if left[v] > 0 and not single[types[i], v]:
                fits = True
                for before in range(i):
                    if double[types[i] * n + v, types[before] * n + choice[before]]:
                        fits = False
                        break
                if fits:
                    break
            v += 1
        if v == n:
            choice[i] = -1
            i -= 1
        else:
            choice[i] = v
            left[v] -= 1
            i += 1
    return worlds, hits
