"""Draws what more privacy costs: the share of hidden cells for each k, and the bound.

    python docs/site/pictures/frontier.py

draws ``docs/data/frontier.csv``: of what ``starmin frontier --out`` writes the columns
``k``, ``value`` and ``lower_bound``.
"""

import math

from axes import Axes
from canvas import LINE, WIDTH, Canvas
from keeping import read_csv, remake

NAME = "frontier"
ROWS, COLUMNS = 30_162, 8  # of Adult
Kept = list[tuple[int, ...]]
HEIGHT = 290


def kept() -> Kept:
    """For each k the hidden cells, and how many no release can save."""
    header, *rows = read_csv(f"data/{NAME}.csv")
    places = [header.index(name) for name in ("k", "value", "lower_bound")]
    return [tuple(int(row[place]) for place in places) for row in rows]


def percent(cells: float) -> float:
    """Cells as a share of all quasi-identifier cells."""
    return 100 * cells / (ROWS * COLUMNS)


def caption(points: Kept) -> str:
    """What the least and the greatest k cost."""
    (k, value, _), *_, (last, most, bound) = points
    return (
        f"The share of hidden cells rises from {percent(value):.1f} % for k = {k} to "
        f"{percent(most):.1f} % for k = {last}, where no release hides less than "
        f"{math.floor(10 * percent(bound)) / 10:.1f} %."  # rounded up it is none
    )


def drawn(points: Kept) -> str:
    """The curve with its numbers, and the bound just below it."""
    canvas = Canvas(HEIGHT, caption(points))
    ends = (1.6, 30)
    axes = Axes(canvas, ends, (0, 25), top=34, bottom=HEIGHT - 50, left=46)
    axes.ticks([k for k, _, _ in points], (0, 5, 10, 15, 20, 25), lambda y: f"{y:g} %")
    values = [axes.at(k, percent(value)) for k, value, _ in points]
    bounds = [axes.at(k, percent(bound)) for k, _, bound in points]
    canvas.area([*values, *reversed(bounds)], "between")
    canvas.path(bounds, "bound", width=2, dash="6 4")
    canvas.path(values, "value", width=2.5)
    for (x, y), (_, value, _) in zip(values, points, strict=True):
        canvas.dot((x, y), 4, "value")
        told = f"{percent(value):.1f}"
        canvas.text((x - 6, y - 9), told, "value", anchor="middle", bold=True)
    canvas.text((0, 17), "share of the cells hidden", "faint")
    canvas.text((WIDTH - 4, HEIGHT - 8), "k", "faint", anchor="end")
    x, y = bounds[2]
    canvas.text((x + 10, y + 2 * LINE), "no release hides less", "bound", bold=True)
    return canvas.svg()


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
