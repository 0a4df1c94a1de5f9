"""Which row types fit vectors of nodes: compiled loops."""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled


def all_fitting(positions: Int32s, low: Int32s, high: Int32s) -> tuple[Ints, Int32s]:
    """Return the types within each box of positions, one box after the other.

    ``positions`` is m x d, of the types; ``low`` and ``high`` are g x d, the ends of
    the boxes. Before the types come g + 1 numbers: where those of each box begin. Of
    each box only the types are looked at that are within its narrowest side.

    Examples
    --------
    >>> positions = np.array([[0, 0], [1, 0], [1, 1]], np.int32)
    >>> low, high = np.array([[1, 0]], np.int32), np.array([[1, 1]], np.int32)
    >>> [array.tolist() for array in all_fitting(positions, low, high)]
    [[0, 2], [1, 2]]
    """
    m, d = positions.shape
    order = np.empty((d, m), np.int32)
    begins, ends = np.empty(low.shape, np.int64), np.empty(low.shape, np.int64)
    for j in range(d):
        order[j] = np.argsort(positions[:, j], kind="stable")
        ranked = positions[order[j], j]
        begins[:, j] = np.searchsorted(ranked, low[:, j], "left")
        ends[:, j] = np.searchsorted(ranked, high[:, j], "right")
    narrowest = (ends - begins).argmin(axis=1)
    at = np.arange(len(low)), narrowest
    looked_at = order, narrowest, begins[at], ends[at]
    starts = np.zeros(len(low) + 1, np.int64)
    _fit(positions, low, high, *looked_at, starts, np.empty(0, np.int32))
    types = np.empty(starts[-1], np.int32)
    _fit(positions, low, high, *looked_at, starts, types)
    return starts, types


@compiled
def _fit(
    positions: Int32s,
    low: Int32s,
    high: Int32s,
    order: Int32s,
    side: Ints,
    begins: Ints,
    ends: Ints,
    starts: Ints,
    types: Int32s,
) -> None:
    """Count the types of each box; note them where there is room."""
    found = 0
    for g in range(len(low)):
        starts[g] = found
        for i in range(begins[g], ends[g]):
            t = order[side[g], i]
            inside = True
            for j in range(positions.shape[1]):
                code = positions[t, j]
                if code < low[g, j] or code > high[g, j]:
                    inside = False
                    break
            if inside:
                if len(types):
                    types[found] = t
                found += 1
    starts[len(low)] = found
