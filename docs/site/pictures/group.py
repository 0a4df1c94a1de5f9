"""Draws a class of six rows with its k and its l: what is shown, how often each value.

    python docs/site/pictures/group.py

counts k and l from the rows that are kept, which are made up.
"""

from collections import Counter
from fractions import Fraction
from typing import Any

from canvas import LINE, WIDTH, Canvas
from keeping import read_json, remake

NAME = "group"
ROW = 26
WIDTHS = (66, 40, 56, 74)
BARS, UNIT = 318, 28  # where bars begin, and how long one row is


def kept() -> dict[str, Any]:
    """The rows that are drawn."""
    found: dict[str, Any] = read_json(NAME)
    return found


def counts(rows: dict[str, Any]) -> list[tuple[str, int]]:
    """How many rows have each sensitive value, the most frequent first."""
    return Counter(row[-1] for row in rows["rows"]).most_common()


def diversity(rows: dict[str, Any]) -> Fraction:
    """The l that holds: one in l rows have the most frequent value."""
    return Fraction(len(rows["rows"]), counts(rows)[0][1])


def caption(rows: dict[str, Any]) -> str:
    """What k and l are, and why."""
    ((value, most), *_), size = counts(rows), len(rows["rows"])
    shown = {tuple(row[:-1]) for row in rows["rows"]}
    if len(shown) != 1:
        raise ValueError(f"These rows are {len(shown)} classes, not one.")
    return (
        f"A class of {size} rows that look alike: k is {size}. {most} of them have "
        f"{value}, and no value is more frequent: l is {size} / {most} = "
        f"{diversity(rows)}."
    )


def drawn(rows: dict[str, Any]) -> str:
    """The rows to the left, what they look like and do not; bars to the right."""
    canvas = Canvas(ROW * (len(rows["rows"]) + 1) + 2 * LINE + 16, caption(rows))
    x, size = 0.0, len(rows["rows"])
    for j, (name, wide) in enumerate(zip(rows["columns"], WIDTHS, strict=True)):
        last = j == len(WIDTHS) - 1
        canvas.text((x + wide / 2, 17), name, anchor="middle", bold=True)
        for place, row in enumerate(rows["rows"]):
            top, star = ROW * (place + 1), row[j] == "*"
            band = "hidden" if star else "paper" if last else "band_1"
            canvas.box((x + 0.5, top + 0.5), (wide - 1, ROW - 1), band)
            ink = "on_hidden" if star else "ink"
            canvas.text((x + wide / 2, top + 18), row[j], ink, anchor="middle")
        x += wide
    bottom = ROW * (size + 1) + LINE + 2
    canvas.text((0, bottom), f"look alike: k = {size}", "bound", bold=True)
    canvas.text((BARS - 60, 17), "how often", bold=True)
    for place, (value, often) in enumerate(counts(rows)):
        top = ROW * (place + 1)
        canvas.text((BARS - 8, top + 18), value, anchor="end")
        role = "value" if place == 0 else "line"
        canvas.box((BARS, top + 4), (UNIT * often, ROW - 8), role)
        at = (BARS + UNIT * often + 6, top + 18)
        canvas.text(at, str(often))
    words = f"l = {size} / {counts(rows)[0][1]} = {diversity(rows)}"
    canvas.text((WIDTH, bottom), words, "value", anchor="end", bold=True)
    return canvas.svg()


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
