"""Draws how many problems of the corpus are within a gap, from docs/data/corpus.csv.

python docs/site/pictures/corpus.py
"""

from typing import NamedTuple

from curves import curves
from keeping import read_rows, remake

NAME = "corpus"
ORDER = ("stars", "diverse", "ranges", "trees", "mixed")
LEAST, MOST, STEPS = 0.01, 100.0, 160  # per cent


class Kept(NamedTuple):
    """The runs of ``auto``.

    Attributes
    ----------
    gaps
        Of each kind of problem, in per cent; infinite without a bound.
    limit
        Seconds of each run.
    """

    gaps: dict[str, list[float]]
    limit: str


def kept() -> Kept:
    """The gaps of the first three kinds that there are, and those of all."""
    every = read_rows(f"data/{NAME}.csv")
    own = [row for row in every if row["method"] == "auto" and row["gap %"] != "-"]
    of = {row["kind"] for row in own}
    kinds = [kind for kind in ORDER if kind in of][:3]
    gaps = {kind: [gap(row) for row in own if row["kind"] == kind] for kind in kinds}
    return Kept(gaps | {"all": [gap(row) for row in own]}, own[0]["limit"])


def gap(row: dict[str, str]) -> float:
    """A gap in per cent."""
    return float("inf") if row["gap %"] == "none" else float(row["gap %"])


def caption(found: Kept) -> str:
    """What is shown."""
    every = found.gaps["all"]
    proven = every.count(0)
    return (
        f"Problems within a gap after {found.limit} seconds: {proven} of {len(every)} "
        f"are proven, {sum(each <= 1 for each in every)} are within 1 %."
    )


def drawn(found: Kept) -> str:
    """A curve for each kind."""
    xs = [LEAST * (MOST / LEAST) ** (i / STEPS) for i in range(STEPS + 1)]
    lines = {
        name: [(x, 100 * sum(each <= x for each in gaps) / len(gaps)) for x in xs]
        for name, gaps in found.gaps.items()
    }
    up = (range(0, 101, 20), lambda y: f"{y:g}", "% of the problems")
    return curves(
        caption(found), lines, up, ((0.01, 0.1, 1, 10, 100), "gap at most, %")
    )


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
