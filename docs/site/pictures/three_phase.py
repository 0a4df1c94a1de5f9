"""Draws stars by l of TP, TP+ and Hilbert, from ``docs/data/three_phase.csv``.

python docs/site/pictures/three_phase.py
"""

from curves import curves
from keeping import read_rows, remake

NAME = "three_phase"
Kept = dict[str, list[tuple[float, float]]]


def kept() -> Kept:
    """For each method the stars by l: Figure 2 of the paper, SAL."""
    found: Kept = {}
    for row in read_rows(f"data/{NAME}.csv"):
        if (row["figure"], row["table"]) == ("2", "SAL"):
            point = float(row["x"]), float(row["value"])
            found.setdefault(row["method"], []).append(point)
    return found


def caption(_: Kept) -> str:
    """What the order is."""
    return (
        "Stars by l, four quasi-identifiers, SAL: TP+ needs the fewest, Hilbert the "
        "most."
    )


def drawn(found: Kept) -> str:
    """The curves."""
    ys = range(0, 700_001, 100_000)
    up = (ys, lambda y: f"{y / 1000:.0f}", "thousand stars, mean of projections")
    return curves(caption(found), found, up, ((2, 3, 4, 6, 8, 10), "l"))


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
