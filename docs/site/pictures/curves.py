"""Draws the curves of several methods over one number, each with its name."""

from collections.abc import Callable, Mapping, Sequence

from axes import Axes
from canvas import LINE, WIDTH, Canvas, Point

HEIGHT = 300
LOOKS = (("value", ""), ("bound", "6 4"), ("mark", "2 3"), ("faint", "9 3 2 3"))
Curves = Mapping[str, Sequence[Point]]


def curves(
    title: str,
    many: Curves,
    upwards: tuple[Sequence[float], Callable[[float], str], str],
    right: tuple[Sequence[float], str],
    *,
    left: float = 52,
) -> str:
    """The picture.

    Parameters
    ----------
    title
        What it shows.
    many
        For each name the points of its curve, at most four.
    upwards
        The numbers at the axis, how they are written, and what they are.
    right
        The same of the other axis, which is a logarithm.
    left
        Where the axes begin, in units.
    """
    (ys, told, what), (xs, by) = upwards, right
    names = LINE * (1 + (len(many) - 1) // 2)
    canvas = Canvas(HEIGHT + names, title)
    ends, heights = (min(xs), max(xs)), (min(ys), max(ys))
    axes = Axes(canvas, ends, heights, top=34, bottom=HEIGHT - 50, left=left)
    axes.ticks(xs, ys, told)
    canvas.text((0, 17), what, "faint")
    canvas.text((WIDTH - 4, HEIGHT - 8), by, "faint", anchor="end")
    looks = zip(many.items(), LOOKS, strict=False)
    for number, ((name, points), (role, dash)) in enumerate(looks):
        canvas.path([axes.at(*point) for point in points], role, width=2.5, dash=dash)
        x, y = number % 2 * WIDTH / 2, HEIGHT + LINE * (number // 2) + 8
        canvas.path([(x, y - 5), (x + 30, y - 5)], role, width=2.5, dash=dash)
        canvas.text((x + 36, y), name, role, bold=True)
    return canvas.svg()


def of_rows(
    rows: Sequence[Mapping[str, str]], x: str, names: Mapping[str, str]
) -> dict[str, list[Point]]:
    """Curves of columns, by the names they have in the picture."""
    return {
        name: [
            (float(row[x]), float(row[column])) for row in rows if row[column] != "-"
        ]
        for column, name in names.items()
    }
