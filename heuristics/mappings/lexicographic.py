"""Sorting as a mapping: one column after the other."""

from dataclasses import dataclass

import numpy as np

from starmin.heuristics.mappings.line import Line, Points


@dataclass(frozen=True)
class Lexicographic:
    """Points sorted by axes, those with the fewest places first.

    Their numbers are their places in this order.

    Examples
    --------
    >>> corners = np.array([[1, 0], [0, 2], [0, 1]], np.int32)
    >>> points = Points(corners, (2, 3), corners / [1, 2], np.ones(3, np.int64))
    >>> Lexicographic()(points, seed=0)
    Line(order=array([2, 1, 0]), values=array([0, 1, 2]))
    """

    def __call__(self, points: Points, seed: int) -> Line:
        axes = np.argsort(points.sizes, kind="stable")
        return sorted_line(points.places[:, axes])


def sorted_line(digits: np.ndarray) -> Line:
    """Sort points by their digits, the first column being the highest.

    Equal points keep their order.
    """
    m, d = digits.shape
    order = np.lexsort(digits.T[::-1]) if d else np.arange(m)
    return Line(order.astype(np.int64), np.arange(m, dtype=np.int64))
