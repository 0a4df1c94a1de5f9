"""Axes of a picture: whole numbers or shares upwards, a logarithm to the right."""

import math
from collections.abc import Callable, Sequence

from canvas import LINE, WIDTH, Canvas, Point


class Axes:
    """A part of a picture in which points stand for two numbers.

    Parameters
    ----------
    canvas
        Where to draw.
    x, y
        The least and the greatest number in each direction.
    top, bottom, left
        Where the axes are, in units.
    """

    def __init__(
        self,
        canvas: Canvas,
        x: Point,
        y: Point,
        *,
        top: float,
        bottom: float,
        left: float,
    ) -> None:
        self.canvas, self.x, self.y = canvas, x, y
        self.top, self.bottom, self.left = top, bottom, left

    def at(self, x: float, y: float) -> Point:
        """Where two numbers are."""
        low, high = map(math.log, self.x)
        right = (math.log(x) - low) / (high - low)
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return (
            self.left + right * (WIDTH - 14 - self.left),
            self.bottom - up * (self.bottom - self.top),
        )

    def ticks(
        self, xs: Sequence[float], ys: Sequence[float], told: Callable[[float], str]
    ) -> None:
        """Write numbers at the axes, with lines across for those upwards."""
        for y in ys:
            _, down = self.at(self.x[0], y)
            self.canvas.path([(self.left, down), (WIDTH - 4, down)], "between")
            at = (self.left - 6, down + 5)
            self.canvas.text(at, told(y), "faint", anchor="end")
        ends = [(self.left, self.bottom), (WIDTH - 4, self.bottom)]
        self.canvas.path(ends, "line")
        for x in xs:
            to, _ = self.at(x, self.y[0])
            self.canvas.path([(to, self.bottom), (to, self.bottom + 5)], "line")
            below = (to, self.bottom + LINE + 1)
            self.canvas.text(below, f"{x:g}", "faint", anchor="middle")
