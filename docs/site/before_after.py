"""Draw ten people before and after: ``docs/before_after.svg``, and its caption.

    python docs/site/before_after.py docs/before_after.svg

prints the caption, which the README has word for word.
"""

import sys
from pathlib import Path

import starmin

PEOPLE = Path(__file__).parents[1] / "tutorials" / "people.csv"
BANDS = ("#dbe9f6", "#fde5cd", "#dcefd9", "#f6dcdc", "#e8e0f2")
WIDTH, HEIGHT, GAP = 66, 22, 50
CELL = '<rect x="{}" y="{}" width="{}" height="{}" fill="{}" stroke="#ffffff"/>'
TEXT = (
    '<text x="{}" y="{}" font-size="13" font-family="sans-serif" fill="{}" '
    'text-anchor="middle"{}>{}</text>'
)


def drawn() -> tuple[str, str]:
    """Return the picture and its caption, from a run."""
    table = starmin.read_table(PEOPLE, drop=["name"], sensitive=["disease"])
    found = starmin.solve(table, k=2, l=2)
    before, after = table.rows(), found.published.rows()
    groups = found.best.groups.tolist()
    order = sorted(range(table.n), key=lambda row: (groups[row], after[row]))
    height = HEIGHT * (table.n + 1)
    parts = []
    for side, rows in enumerate((before, after)):
        left = side * (WIDTH * len(table.names) + GAP)
        for j, name in enumerate(table.names):
            middle = left + WIDTH * (j + 0.5)
            parts.append(
                TEXT.format(middle, 16, "#333333", ' font-weight="bold"', name)
            )
            for place, row in enumerate(order):
                top = HEIGHT * (place + 1)
                hidden = rows[row][j] == "*"
                band = "#333333" if hidden else BANDS[groups[row] % len(BANDS)]
                parts.append(CELL.format(left + WIDTH * j, top, WIDTH, HEIGHT, band))
                ink = "#ffffff" if hidden else "#222222"
                parts.append(TEXT.format(middle, top + 16, ink, "", rows[row][j]))
    middle = WIDTH * len(table.names) + GAP / 2
    parts.append(TEXT.format(middle, height / 2 + 10, "#777777", "", "\u2192"))
    width = 2 * WIDTH * len(table.names) + GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">'
    )
    back = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    picture = "\n".join([head, back, *parts, "</svg>"]) + "\n"
    return picture, caption(table, found)


def caption(table: starmin.Table, found: starmin.Solution) -> str:
    """Return the caption: what is hidden, and what would not be enough."""
    cells = table.n * len(table.qi)
    said = f"Ten people before and after: {found.value} of {cells} cells are hidden"
    if found.value == found.lower_bound:
        return f"{said}, and {found.value - 1} would not be enough."
    return f"{said}, and fewer than {found.lower_bound} would not be enough."


if __name__ == "__main__":
    picture, told = drawn()
    Path(sys.argv[1]).write_text(picture, "utf-8")
    sys.stdout.write(f"{told}\n")
