"""Draws how `auto` stands at made tables of all shapes, from docs/data/shapes.csv.

python docs/site/pictures/shapes.py
"""

from collections import Counter

from canvas import LINE, WIDTH, Canvas
from keeping import read_rows, remake

NAME = "shapes"
LEFT, TOP, CELL, GAP = 62, 3 * LINE + 4, 30, 2
WAYS = {  # how a run went: the colour of its dot, and what the picture calls it
    "proven": ("bound", "proven"),
    "best": ("band_3", "no other method better by 1 %"),
    "slightly": ("mark", "1 to 5 % behind"),
    "behind": ("value", "more behind"),
}

Rows = list[dict[str, str]]


def kept() -> Rows:
    """The shapes that have a release."""
    return [row for row in read_rows(f"data/{NAME}.csv") if row["how"] in WAYS]


def caption(rows: Rows) -> str:
    """What is shown."""
    ways = Counter(row["how"] for row in rows)
    return (
        f"How auto stands at made tables: {ways['proven']} are proven; at "
        f"{ways['best']} no single method is better by 1 % in the same time, at "
        f"{ways['slightly']} one is by up to 5 %, at {ways['behind']} by more."
    )


def drawn(rows: Rows) -> str:
    """A cell for so many rows and columns, and in it a dot for each shape."""
    tall = sorted({int(row["rows"]) for row in rows})
    wide = sorted({int(row["columns"]) for row in rows})
    across = min(CELL, (WIDTH - LEFT - 4) / len(wide))
    bottom = TOP + CELL * len(tall)
    canvas = Canvas(bottom + 2 * LINE, caption(rows))
    x, y = 0.0, 15.0
    for role, told in WAYS.values():
        length = 22 + 7.4 * len(told)
        if x + length > WIDTH:
            x, y = 0.0, y + LINE
        canvas.dot((x + 6, y - 5), 5, role)
        canvas.text((x + 16, y), told)
        x += length
    for place, number in enumerate(tall):
        down = TOP + CELL * place
        canvas.text((LEFT - 6, down + 20), f"{number:,}", "faint", anchor="end")
        for beside, columns in enumerate(wide):
            at = (LEFT + across * beside, down)
            canvas.box(at, (across - GAP, CELL - GAP), "paper")
            own = [
                row
                for row in rows
                if (int(row["rows"]), int(row["columns"])) == (number, columns)
            ]
            own.sort(key=lambda row: [*WAYS].index(row["how"]), reverse=True)
            for spot, row in enumerate(own[:9]):
                dot = (at[0] + 5 + 9 * (spot % 3), at[1] + 5 + 9 * (spot // 3))
                canvas.dot(dot, 3.5, WAYS[row["how"]][0])
    for beside, columns in enumerate(wide):
        middle = LEFT + across * beside + across / 2
        canvas.text((middle, bottom + LINE - 4), f"{columns}", "faint", anchor="middle")
    canvas.text((LEFT - 6, bottom + LINE - 4), "rows", "faint", anchor="end")
    canvas.text((WIDTH, bottom + 2 * LINE - 4), "columns", "faint", anchor="end")
    return canvas.svg()


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
