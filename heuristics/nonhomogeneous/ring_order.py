"""The order of the rows in each ring: the nearest of those left comes next."""

import numba
import numpy as np
import numpy.typing as npt

from heuristics.matchings.auction import Ints

_LOOKED_AT = 64  # rows of large groups


@numba.njit(cache=True)
def nearest_order(
    cells: Ints, weights: npt.NDArray[np.int64], order: Ints, starts: Ints
) -> None:
    """Reorder the rows of each stretch, from its first row to the nearest in turn."""
    for g in range(len(starts) - 1):
        for p in range(starts[g], starts[g + 1] - 1):
            best, nearest = np.int64(1) << 60, p + 1
            for q in range(p + 1, min(starts[g + 1], p + 1 + _LOOKED_AT)):
                far = np.int64(0)
                for c in range(cells.shape[1]):
                    if cells[order[p], c] != cells[order[q], c]:
                        far += weights[c]
                if far < best:
                    best, nearest = far, q
            order[p + 1], order[nearest] = order[nearest], order[p + 1]
