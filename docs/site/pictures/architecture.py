"""Draws the floors and what imports what, and the way of a table to its certificate.

    python docs/site/pictures/architecture.py

draws what ``docs/data/architecture.json`` says of both.
"""

from collections.abc import Sequence
from typing import Any

from canvas import LINE, WIDTH, Canvas, Point
from keeping import read_json, remake

NAME = "architecture"
TALL, APART = 54, 26  # a floor, and the arrow below it
SPLIT = 236, 268  # where heuristics and models end, and verify begins
STEP, WIDE, NEXT = 32, 136, 56  # a box of the way, and from one to the next
AT, RIGHT = 48, 276  # where such boxes begin, to the left and to the right


def kept() -> dict[str, Any]:
    """The floors with their words, and the steps of a table."""
    found: dict[str, Any] = read_json(NAME)
    return found


def caption(told: dict[str, Any]) -> str:
    """Name what is drawn."""
    floors, steps = [name for name, *_ in told["floors"]], told["steps"]
    return (
        f"The floors {', '.join(floors[:-1])} and {floors[-1]}, and what imports what; "
        f"below, the way of a table from {steps[0].lower()} to {told['proof'].lower()}."
    )


def drawn(told: dict[str, Any]) -> str:
    """Floors from top to bottom, then the steps of a table."""
    below = LINE + 4 * (TALL + APART) + LINE
    count = len(told["steps"])
    canvas = Canvas(below + LINE + NEXT * count + STEP + 4, caption(told))
    canvas.text((0, 15), "An arrow says: imports.", "faint")
    _floors(canvas, {name: words for name, *words in told["floors"]})
    canvas.text((0, below + 4), "The way of a table:", "faint")
    _way(canvas, told, below + LINE)
    return canvas.svg()


def _floors(canvas: Canvas, words: dict[str, list[str]]) -> None:
    tops = [LINE + 6 + floor * (TALL + APART) for floor in range(4)]
    left, right = SPLIT
    for name, top, wide in (
        ("starmin", tops[0], WIDTH),
        ("heuristics", tops[1], left),
        ("models", tops[2], left),
        ("instances", tops[3], WIDTH),
    ):
        _floor(canvas, (0, top), (wide, TALL), name, words[name])
    tall = tops[2] + TALL - tops[1]
    _floor(canvas, (right, tops[1]), (WIDTH - right, tall), "verify", words["verify"])
    for top in tops[:3]:
        canvas.arrow([(left / 2, top + TALL), (left / 2, top + TALL + APART)], "faint")
    middle = (right + WIDTH) / 2
    for top in (tops[0], tops[2]):
        canvas.arrow([(middle, top + TALL), (middle, top + TALL + APART)], "faint")


def _floor(
    canvas: Canvas, at: Point, size: Point, name: str, words: Sequence[str]
) -> None:
    """A box with a name and lines below it."""
    role = "band_3" if name == "verify" else "paper"
    x, y = at[0] + 1, at[1]
    canvas.box((x, y), (size[0] - 2, size[1]), role, edge="line", round_by=5)
    canvas.text((x + 10, y + 21), name, size=15.5, bold=True)
    for number, line in enumerate(words, 1):
        canvas.text((x + 10, y + 22 + LINE * number), line)


def _way(canvas: Canvas, told: dict[str, Any], top: float) -> None:
    """The steps to the left, the certificate to the right, and the check of both."""
    steps, files = told["steps"], told["files"]
    tops = [top + NEXT * place for place in range(len(steps) + 1)]
    for name, y in zip(steps, tops, strict=False):
        _box(canvas, (AT, y), WIDE, name)
        middle = AT + WIDE / 2
        canvas.arrow([(middle, y + STEP), (middle, y + NEXT)], "faint")
        if name in files:
            canvas.text((middle + 8, y + STEP + 17), files[name], "faint")
    method = tops[steps.index("method")]
    side = method + STEP / 2
    _box(canvas, (RIGHT, method), WIDE, told["proof"])
    canvas.arrow([(AT + WIDE, side), (RIGHT, side)], "faint")
    down = RIGHT + WIDE / 2
    canvas.arrow([(down, method + STEP), (down, tops[-1])], "faint")
    at = (down - 8, tops[-1] - 8)
    canvas.text(at, files[told["proof"]], "faint", anchor="end")
    from_file, to_check = tops[0] + STEP / 2, tops[-1] + STEP / 2
    canvas.arrow(
        [(AT, from_file), (20, from_file), (20, to_check), (AT, to_check)], "faint"
    )
    at, size = (AT, tops[-1]), (RIGHT + WIDE - AT, STEP)
    canvas.box(at, size, "band_3", edge="line", round_by=5)
    words = f"{told['check']}: release, original, certificate"
    canvas.text((AT + size[0] / 2, to_check + 5), words, anchor="middle", bold=True)


def _box(canvas: Canvas, at: Point, wide: float, name: str) -> None:
    canvas.box(at, (wide, STEP), "paper", edge="bound", round_by=5)
    middle = (at[0] + wide / 2, at[1] + STEP / 2 + 5)
    canvas.text(middle, name, anchor="middle")


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
