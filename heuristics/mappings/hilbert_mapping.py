"""The Hilbert curve as a mapping."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.heuristics.mappings.line import Line, Points

_WORD = 64  # Bits of a word of a key.
_KEPT = 62  # Bits of a key that are kept as its number, which is signed.


@dataclass(frozen=True)
class Hilbert:
    """The place on a Hilbert curve through a grid that all axes fill.

    The grid has 2^bits cells on each axis, ``bits`` from 1 to 62; None: enough for the
    axis with the most places, up to 62.

    Notes
    -----
    Keys may be as long as they need be. Where they have more than 62 bits the points
    are in the order of the whole keys, and their numbers are the first 62 bits.

    Examples
    --------
    >>> corners = np.array([[0, 0], [1, 1], [0, 1]], np.int32)
    >>> points = Points(corners, (2, 2), corners.astype(float), np.ones(3, np.int64))
    >>> Hilbert()(points, seed=0)
    Line(order=array([0, 2, 1]), values=array([0, 1, 2]))
    """

    bits: int | None = None

    def __call__(self, points: Points, seed: int) -> Line:
        # Methods without compiled loops load this package; they need no numba.
        from starmin.heuristics.mappings.hilbert_curve import hilbert_keys

        m, d = points.places.shape
        if d == 0:
            return Line(np.arange(m), np.zeros(m, np.int64))
        widest = max(points.sizes)
        bits = self.bits or min(_KEPT, max(1, (widest - 1).bit_length()))
        keys = hilbert_keys(_cells(points, bits), bits)
        if keys.shape[1] == 1:
            order = np.argsort(keys[:, 0], kind="stable").astype(np.int64)
        else:
            order = np.lexsort(keys.T[::-1]).astype(np.int64)
        spare = max(0, min(d * bits, _WORD) - _KEPT)
        return Line(order, (keys[order, 0] >> np.uint64(spare)).astype(np.int64))


def _cells(points: Points, bits: int) -> npt.NDArray[np.integer]:
    """Return coordinates on the grid: numbers in proportion, other places evenly."""
    top = (1 << bits) - 1
    cells = np.minimum(points.units * float(1 << bits), float(top)).astype(np.int64)
    return np.asarray(np.minimum(cells, top))
