"""The files of a sweep: gaps.csv, gaps.json and what is kept between sweeps."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starmin.gaps.standings import Row, Standing
from starmin.instances import write_atomically

COLUMNS = (
    "table",
    "asked",
    "method",
    "kind",
    "seed",
    "time_limit",
    "outcome",
    "status",
    "limit",
    "value",
    "lower_bound",
    "certified_bound",
    "certificate_checked",
    "gap",
    "stars",
    "groups",
    "gcp",
    "n",
    "d",
    "seconds",
    "mebibytes",
    "why",
)


def with_gaps(rows: Sequence[Row], found: Sequence[Standing]) -> list[Row]:
    """Add to each row its gap against the best bound of its problem."""
    of = {each.problem: each for each in found}
    return [row | {"gap": of[row["problem"]].gap(row.get("value"))} for row in rows]


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write one line for each run."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", restval="")
    writer.writeheader()
    writer.writerows(rows)
    _write(path, text.getvalue())


def write_json(path: Path, rows: Sequence[Row], found: Sequence[Standing]) -> None:
    """Write runs and problems; every run with the command that repeats it."""
    problems = [
        vars(each) | {"best": each.best, "contradiction": each.contradiction}
        for each in found
    ]
    runs = [row | {"command": f"starmin {row['key']}"} for row in rows]
    _write(path, json.dumps({"problems": problems, "runs": runs}, indent=1) + "\n")


def write_kept(path: Path, kept: dict[str, Any]) -> None:
    """Write the least value of each problem, for later sweeps to compare with."""
    _write(path, json.dumps(kept, indent=1, sort_keys=True) + "\n")


def _write(path: Path, text: str) -> None:
    with write_atomically(path) as file:
        file.write(text.encode())
