"""The reflected Gray code as a mapping: sorting that turns back at the ends."""

from dataclasses import dataclass

import numpy as np

from starmin.heuristics.mappings.lexicographic import sorted_line
from starmin.heuristics.mappings.line import Line, Points


@dataclass(frozen=True)
class Gray:
    """Points in the order of the reflected Gray code with a digit for each axis.

    As ``Lexicographic``, but an axis is run through backwards where the number of
    the digits before is odd, so that consecutive cells differ by one in one axis: a
    snake through the grid.

    Examples
    --------
    >>> grid = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    >>> points = Points(grid, (2, 2), grid.astype(float), np.ones(4, np.int64))
    >>> Gray()(points, seed=0).order.tolist()
    [0, 1, 3, 2]
    """

    def __call__(self, points: Points, seed: int) -> Line:
        axes = np.argsort(points.sizes, kind="stable")
        digits = points.places[:, axes]
        odd = np.zeros(len(digits), bool)
        for j, axis in enumerate(axes):
            size = points.sizes[axis]
            digits[odd, j] = size - 1 - digits[odd, j]
            # The number goes on as number * size + digit.
            odd = (odd & (size % 2 == 1)) ^ (digits[:, j] % 2 == 1)
        return sorted_line(digits)
