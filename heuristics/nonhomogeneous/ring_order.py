"""The order of the rows in each ring: the nearest of those left comes next."""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled


@compiled
def nearest_order(
    cells: Int32s,
    weights: Ints,
    order: Int32s,
    starts: Int32s,
    looked_at: int,
) -> None:
    """Reorder the rows of each stretch, from its first row to the nearest in turn.

    Parameters
    ----------
    cells
        n x d.
    weights
        What a difference counts in each column.
    order
        The rows. Changed in place.
    starts
        Where the stretches begin, and n.
    looked_at
        Rows at most among which the nearest is looked for.

    Examples
    --------
    >>> cells = np.array([[0, 0], [1, 1], [0, 1]], np.int32)
    >>> order = np.arange(3, dtype=np.int32)
    >>> starts = np.array([0, 3], np.int32)
    >>> nearest_order(cells, np.ones(2, np.int64), order, starts, 64)
    >>> order.tolist()
    [0, 2, 1]
    """
    for g in range(len(starts) - 1):
        for p in range(starts[g], starts[g + 1] - 1):
            best, nearest = np.int64(1) << 60, p + 1
            for q in range(p + 1, min(starts[g + 1], p + 1 + looked_at)):
                far = np.int64(0)
                for c in range(cells.shape[1]):
                    if cells[order[p], c] != cells[order[q], c]:
                        far += weights[c]
                if far < best:
                    best, nearest = far, q
            order[p + 1], order[nearest] = order[nearest], order[p + 1]
