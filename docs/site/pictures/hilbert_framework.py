"""Draws what is lost by l on Adult, from ``docs/data/hilbert_framework.csv``.

python docs/site/pictures/hilbert_framework.py
"""

from curves import curves
from keeping import read_rows, remake

NAME = "hilbert_framework"
NAMES = {
    "hilbert": "Hilb",
    "mondrian_by_places": "plain Mondrian",
    "idistance": "iDist",
    "top_down": "TopDown",
}
Kept = dict[str, list[tuple[float, float]]]


def kept() -> Kept:
    """For each method the loss by l: Figure 25 of the paper, Adult."""
    found: Kept = {name: [] for name in NAMES.values()}
    for row in read_rows(f"data/{NAME}.csv"):
        asked = row["figure"], row["table"], row["measure"]
        if asked == ("25", "adult", "GCP") and row["method"] in NAMES:
            point = float(row["x"]), float(row["value"])
            found[NAMES[row["method"]]].append(point)
    return found


def caption(_: Kept) -> str:
    """What the order is."""
    return (
        "Information lost by l on Adult: the curves of Hilb and iDist lie far below "
        "plain Mondrian."
    )


def drawn(found: Kept) -> str:
    """The curves."""
    ys = (0, 0.2, 0.4, 0.6, 0.8, 1)
    up = (ys, lambda y: f"{100 * y:g} %", "information lost")
    return curves(caption(found), found, up, ((2, 3, 4, 5, 6, 7), "l"))


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
