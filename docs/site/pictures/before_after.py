"""Draws ten people before and after: what is hidden of them, group by group.

    python docs/site/pictures/before_after.py --measure

solves for the release that is drawn; of several with as few stars any may be found.
"""

from typing import Any

from canvas import BANDS, SMALLEST, WIDTH, Canvas
from keeping import DOCS, read_json, remake

NAME = "before_after"
PEOPLE = DOCS / "tutorials" / "people.csv"
WIDTHS = {"age": 36, "sex": 36, "city": 54, "disease": 66}
ROW, GAP = 24, 36


def measured() -> dict[str, Any]:
    """Solve, and keep rows before and after in the order of their groups."""
    import starmin

    table = starmin.read_table(PEOPLE, drop=["name"], sensitive=["disease"])
    found = starmin.solve(table, k=2, l=2)
    before, after = table.rows(), found.published.rows()
    groups = found.best.groups.tolist()
    order = sorted(range(table.n), key=lambda row: (groups[row], after[row]))
    return {
        "columns": list(table.names),
        "hidden": found.value,
        "at_least": found.lower_bound,
        "cells": table.n * len(table.qi),
        "groups": [groups[row] for row in order],
        "before": [list(before[row]) for row in order],
        "after": [list(after[row]) for row in order],
    }


def kept() -> dict[str, Any]:
    """The release that is drawn."""
    found: dict[str, Any] = read_json(NAME)
    return found


def caption(found: dict[str, Any]) -> str:
    """What is hidden, and what would not be enough."""
    value, least = found["hidden"], found["at_least"]
    said = f"Ten people before and after: {value} of {found['cells']} cells are hidden"
    if value == least:
        return f"{said}, and {value - 1} would not be enough."
    return f"{said}, and fewer than {least} would not be enough."


def drawn(found: dict[str, Any]) -> str:
    """Two tables side by side, groups as bands of colour."""
    columns, groups = found["columns"], found["groups"]
    canvas = Canvas(ROW * (len(groups) + 1) + 4, caption(found))
    whole = sum(WIDTHS[name] for name in columns)
    edge = (WIDTH - 2 * whole - GAP) / 2
    for left, rows in ((edge, found["before"]), (edge + whole + GAP, found["after"])):
        x = left
        for j, name in enumerate(columns):
            wide = WIDTHS[name]
            canvas.text((x + wide / 2, 17), name, anchor="middle", bold=True)
            for place, (group, row) in enumerate(zip(groups, rows, strict=True)):
                top, star = ROW * (place + 1), row[j] == "*"
                band = "hidden" if star else BANDS[group % len(BANDS)]
                canvas.box((x + 0.5, top + 0.5), (wide - 1, ROW - 1), band)
                ink = "on_hidden" if star else "ink"
                at = (x + wide / 2, top + 17)
                canvas.text(at, row[j], ink, anchor="middle")
            x += wide
    middle = ROW * (len(groups) + 1) / 2 + SMALLEST
    canvas.text((WIDTH / 2, middle), "\u2192", "faint", size=24, anchor="middle")
    return canvas.svg()


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption, measured)
