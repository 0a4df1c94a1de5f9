"""Draws value and bound of one run, as they come together.

    python docs/site/pictures/value_and_bound.py

draws ``docs/value_and_bound.csv``, which ``benchmarks/gaps/picture.py`` measures.
"""

from axes import Axes
from canvas import LINE, WIDTH, Canvas, Point
from keeping import read_csv, remake

NAME = "value_and_bound"
Kept = list[tuple[float, int, int | None]]
EARLIEST = 0.1  # seconds: a logarithm has no zero
HEIGHT = 290


def kept() -> Kept:
    """Seconds, value and bound, each time that one of them improved."""
    rows = read_csv(f"{NAME}.csv")
    return [(float(t), int(v), int(b) if b else None) for t, v, b in rows]


def caption(points: Kept) -> str:
    """How far value and bound came."""
    _, value, bound = points[-1]
    return (
        "Stars published, and the bound below which no release gets, by seconds: "
        f"{value:,} stars in the end, and no release has fewer than {bound:,}."
    )


def steps(points: list[tuple[float, int]], end: float) -> list[tuple[float, int]]:
    """Each number until the next one comes."""
    corners = list[tuple[float, int]]()
    for seconds, number in points:
        if corners:
            corners.append((seconds, corners[-1][1]))
        corners.append((seconds, number))
    return [*corners, (end, corners[-1][1])]


def drawn(points: Kept) -> str:
    """Two steps that approach each other, what lies between them shaded."""
    canvas = Canvas(HEIGHT, caption(points))
    end = 100.0
    values = [(max(t, EARLIEST), v) for t, v, _ in points]
    bounds = [(max(t, EARLIEST), b) for t, _, b in points if b is not None]
    span = (1500, 2600)
    axes = Axes(canvas, (EARLIEST, end), span, top=34, bottom=HEIGHT - 50, left=52)
    axes.ticks((0.1, 1, 10, 100), range(1600, 2601, 200), lambda y: f"{y:,.0f}")
    above = [axes.at(*point) for point in steps(values, end)]
    below = [axes.at(*point) for point in steps(bounds, end)]
    first = below[0][0]
    shaded = [(max(x, first), y) for x, y in above]
    canvas.area([*shaded, *reversed(below)], "between")
    canvas.path(above, "value", width=2.5)
    canvas.path(below, "bound", width=2.5)
    canvas.text((0, 17), "stars", "faint")
    at: Point = (WIDTH - 4, HEIGHT - 8)
    canvas.text(at, "seconds", "faint", anchor="end")
    x, y = axes.at(0.22, values[0][1])
    canvas.text((x, y + LINE), "the best release so far", "value", bold=True)
    x, y = axes.at(0.22, bounds[0][1])
    canvas.text((x, y + LINE), "no release has fewer", "bound", bold=True)
    for (_, number), role, down in (
        (values[-1], "value", -10),
        (bounds[-1], "bound", 20),
    ):
        x, y = axes.at(end, number)
        canvas.text((x, y + down), f"{number:,}", role, anchor="end", bold=True)
    return canvas.svg()


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
