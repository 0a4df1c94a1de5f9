"""The files of a sweep: gaps.csv, gaps.json and what is kept between sweeps."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starmin.gaps.aggregates import Aggregate, gap_integral, primal_integral
from starmin.gaps.paired_tests import Paired
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
    "primal_integral",
    "gap_integral",
    "stars",
    "groups",
    "gcp",
    "n",
    "d",
    "seconds",
    "process_seconds",
    "mebibytes",
    "why",
)


def with_gaps(rows: Sequence[Row], found: Sequence[Standing]) -> list[Row]:
    """Add to each row its gap against the best bound of its problem, and integrals.

    The gap over time is that to its own bound; a method without bounds has none.
    """
    of = {each.problem: each for each in found}
    return [row | _gaps(row, of[row["problem"]]) for row in rows]


def _gaps(row: Row, standing: Standing) -> Row:
    gaps: Row = {"gap": standing.gap(row.get("value"))}
    points = row.get("trajectory")
    if row["outcome"] != "ok" or not points:
        return gaps
    limit = row["time_limit"]
    if any(value is not None for _, value, _ in points):
        gaps["primal_integral"] = primal_integral(points, standing.best, limit)
    if any(bound is not None for _, _, bound in points):
        gaps["gap_integral"] = gap_integral(points, limit)
    return gaps


def write_summary(path: Path, found: Sequence[Aggregate]) -> None:
    """Write one line for each problem and method: quartiles over its seeds."""
    lines = [each.as_row() for each in found]
    _write_lines(path, list(lines[0]) if lines else [], lines)


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write one line for each run."""
    _write_lines(path, COLUMNS, rows)


def write_json(
    path: Path,
    rows: Sequence[Row],
    found: Sequence[Standing],
    tests: Sequence[Paired],
) -> None:
    """Write runs, problems and tests; every run with the command that repeats it."""
    problems = [
        vars(each) | {"best": each.best, "contradiction": each.contradiction}
        for each in found
    ]
    runs = [row | {"command": f"starmin {row['key']}"} for row in rows]
    compared = [vars(each) | {"verdict": each.verdict} for each in tests]
    content = {"problems": problems, "runs": runs, "comparisons": compared}
    _write(path, json.dumps(content, indent=1) + "\n")


def write_kept(path: Path, kept: dict[str, Any]) -> None:
    """Write the least value of each problem, for later sweeps to compare with."""
    _write(path, json.dumps(kept, indent=1, sort_keys=True) + "\n")


def _write_lines(path: Path, columns: Sequence[str], lines: Sequence[Row]) -> None:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, extrasaction="ignore", restval="")
    writer.writeheader()
    writer.writerows(lines)
    _write(path, text.getvalue())


def _write(path: Path, text: str) -> None:
    with write_atomically(path) as file:
        file.write(text.encode())
