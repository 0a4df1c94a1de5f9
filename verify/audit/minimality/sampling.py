"""Worlds of a class with many rows, drawn by exchanges of two values; compiled."""

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled


@compiled
def draw_worlds(
    types: Ints, now: Ints, single: Bools, double: Bools, draws: Ints, hits: Ints
) -> None:
    """Count how often each row has each value in worlds that are drawn.

    From a world the values of two rows are exchanged if that is possible; all worlds
    that can be reached so are equally likely. A world is counted after as many draws as
    there are rows.

    The ``types`` are by row, and so are the values ``now``: a world at first, and the
    last one in the end. ``single`` and ``double`` are what is ruled out: see
    ``ruled_out``. Each of the ``draws`` has two rows, whose exchange is tried. To
    ``hits``, by row and value, is added how often each was counted.
    """
    s, width = hits.shape
    paired = s if len(double) > 0 else 0
    for step in range(len(draws)):
        a, b = draws[step]
        v, w = now[a], now[b]
        if v != w and types[a] != types[b]:
            fits = not (single[types[a], w] or single[types[b], v])
            if fits and paired:
                x, y = types[a] * width + w, types[b] * width + v
                fits = not double[x, y]
                for c in range(paired):
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
            for c in range(s):
                hits[c, now[c]] += 1
