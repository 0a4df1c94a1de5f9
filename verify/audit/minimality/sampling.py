"""Worlds of a class with many rows, drawn by exchanges of two values; compiled."""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled


@compiled
def draw_worlds(
    types: Ints,
    values: Ints,
    width: int,
    single: Bools,
    double: Bools,
    draws: Ints,
) -> tuple[int, Ints]:
    """Count how often each row has each value in worlds that are drawn.

    From a world the values of two rows are exchanged if that is possible; all worlds
    that can be reached so are equally likely.

    Parameters
    ----------
    types
        For each row its type.
    values
        A world: for each row its value.
    width
        How many values there are.
    single, double
        What is ruled out: see ``ruled_out``.
    draws
        Two rows for each exchange that is tried.
    """
    s = len(types)
    now = values.copy()
    hits = np.zeros((s, width), np.int64)
    count = 0
    for step in range(len(draws)):
        a, b = draws[step]
        v, w = now[a], now[b]
        if v != w and types[a] != types[b]:
            x, y = types[a] * width + w, types[b] * width + v
            fits = not (single[types[a], w] or single[types[b], v] or double[x, y])
            for c in range(s):
                if not fits:
                    break
                if c != a and c != b:
                    z = types[c] * width + now[c]
                    fits = not (double[x, z] or double[y, z])
            if fits:
                now[a], now[b] = w, v
        elif v != w:
            now[a], now[b] = w, v
        if step % s == s - 1:
            count += 1
            for c in range(s):
                hits[c, now[c]] += 1
    return count, hits
