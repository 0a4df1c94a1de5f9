"""Draws what rows by themselves lose by k, from ``docs/data/nonhomogeneous.csv``.

python docs/site/pictures/nonhomogeneous.py
"""

from curves import curves, of_rows
from keeping import read_rows, remake

NAME = "nonhomogeneous"
NAMES = {"ring": "rings", "two_phase": "two phases", "rematching": "re-matching"}
Kept = dict[str, list[tuple[float, float]]]


def kept() -> Kept:
    """For each method the share of cells lost by k: Table 8 of the paper."""
    every = read_rows(f"data/{NAME}.csv")
    some = [row for row in every if row["table"] == "census-100k"]
    return of_rows(some, "k", NAMES)


def caption(_: Kept) -> str:
    """What is shown."""
    return (
        "Share of the cells lost by k, census of 100,000 rows: rings, two phases, "
        "re-matching."
    )


def drawn(found: Kept) -> str:
    """The curves."""
    ys = (0.1, 0.2, 0.3, 0.4)
    up = (ys, lambda y: f"{100 * y:g} %", "share of the cells lost")
    return curves(caption(found), found, up, ((3, 4, 5, 6, 8, 10), "k"))


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
