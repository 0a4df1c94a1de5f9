"""How often points of ``box_program`` break a rule of dominance: overlapping boxes.

    python benchmarks/corpus/box_overlaps.py --seconds 12 --write FILE

In an optimal release no two groups whose other columns are published alike overlap
properly in one column. A point breaks that where it has more than one group in two such
boxes. All points before a round of cuts count.
"""

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from kept import merge_rows
from public import public_frame

import starmin
from starmin.models.boxes.box_search import BoxSearch

# A table, the columns, those of them that are numbers, and k.
TABLES = (
    ("carData/Adler", "instruction expectation rating", "rating", 10),
    ("ordinal/wine", "response temp contact bottle judge", "response", 5),
    ("KMsurv/kidney", "time delta type", "time", 10),
    ("MASS/quine", "Eth Sex Age Lrn Days", "Days", 5),
    ("carData/OBrienKaiserLong", "treatment gender score id phase hour", "score id", 5),
    ("heplots/MockJury", "Attr Years Serious calm strong", "Years", 5),
    ("KMsurv/aids", "infect induct adult", "infect induct", 10),
    (
        "HSAUR/BtheB",
        "drug length treatment bdi.pre bdi.2m bdi.8m",
        "bdi.pre bdi.2m bdi.8m",
        2,
    ),
)
HEADER = "table", "rows", "value", "bound", "points", "pairs", "broken"
_ZERO = 1e-6


def overlapping(lows: Any, highs: Any) -> Iterator[tuple[int, int]]:
    """Visit pairs of boxes that overlap properly in one column, alike in all others."""
    for i in range(len(lows)):
        other = (lows[i + 1 :] != lows[i]) | (highs[i + 1 :] != highs[i])
        for j in i + 1 + np.flatnonzero(other.sum(axis=1) == 1):
            c = int(np.flatnonzero(other[j - i - 1])[0])
            (a, b), (x, z) = (lows[i, c], highs[i, c]), (lows[j, c], highs[j, c])
            nested = (a <= x and z <= b) or (x <= a and b <= z)
            if max(a, x) <= min(b, z) and not nested:
                yield i, int(j)


def measure(table: str, qi: str, numeric: str, k: int, seconds: float) -> list[Any]:
    """Return one line of the table."""
    counts = np.zeros(3, np.int64)
    before = BoxSearch._between

    def count(search: BoxSearch, root: Any, point: Any) -> None:
        pool = search.relaxation.pool
        y = search.relaxation.master.in_boxes(point.x, len(pool))
        used = np.flatnonzero(y > _ZERO)
        pairs = list(overlapping(pool.lows[used], pool.highs[used]))
        broken = sum(y[used[i]] + y[used[j]] > 1 + _ZERO for i, j in pairs)
        counts[:] += 1, len(pairs), broken
        before(search, root, point)

    frame = public_frame(table)
    with patch.object(BoxSearch, "_between", count):
        found = starmin.anonymize(
            frame,
            qi.split(),
            k=k,
            numeric=numeric.split(),
            recoding="generalization",
            method="box_program",
            time_limit=seconds,
            seed=0,
        )
    shown = f"{found.value:.6f}", f"{found.lower_bound:.6f}"
    return [table, len(frame), *shown, *counts.tolist()]


def main() -> None:
    """Measure one table after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--only", default="", help="tables with this in their names")
    parser.add_argument("--write", type=Path, help="keep the rows there")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for one in TABLES:
        if asked.only in one[0]:
            rows.append(measure(*one, asked.seconds))
            print(*rows[-1], flush=True)
    cells = (map(str, row) for row in rows)
    kept = (dict(zip(HEADER, row, strict=True)) for row in cells)
    merge_rows(asked.write, kept, ("table",))


if __name__ == "__main__":
    main()
