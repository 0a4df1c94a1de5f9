"""The experiments of Ghinita et al. (Figures 22 to 36), on Adult and census tables.

    python benchmarks/papers/one_dimensional/hilbert_framework.py DATA --out FOLDER
    python benchmarks/papers/one_dimensional/hilbert_framework.py DATA --out FOLDER
        --write FILE.csv
    python benchmarks/papers/one_dimensional/hilbert_framework.py DATA --out FOLDER
        --only "k by n"

DATA is a folder with adult.csv and hierarchies/adult_hierarchy_COLUMN.csv; without
adult.csv only generated tables are measured. Writes

runs.csv
    A line for each run. A run that is there already is not repeated, so that an
    interrupted benchmark goes on where it was.
figure22 .. figure36, figure22_adult, .., as CSV, PNG and SVG
    The figures of the paper.

``--write`` keeps the points of all figures, one a line, beside those that are in the
file (docs/data/hilbert_framework.csv, of which the page is made). About ten minutes; by
n up to 400,000 rows, as in the paper, with slow methods on smaller tables.
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import hilbert_framework_page as page
from group_losses import mean_ncp, weighted_max_ncp, weighted_mean_volume
from hilbert_framework_cases import (
    ACCURACY_CONSTRAINED,
    PERMUTED,
    QUERIED,
    Case,
    cases,
    direct,
    problem,
)

from starmin.heuristics.accuracy_constrained.accuracy_constrained import (
    accuracy_constrained,
)
from starmin.heuristics.accuracy_constrained.presets import iterative_direct
from starmin.instances import (
    GeneralizedRelease,
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Table,
)
from starmin.verify.utility import Truth, cube_errors, spread_of

Row = dict[str, Any]

MEASURED = (
    "gcp",
    "max_ncp",
    "mean_ncp",
    "volume",
    "groups",
    "privacy",
    "kl",
    "relative_error",
    "seconds",
)
KEY = tuple(field.name for field in fields(Case))
TIME_LIMIT = 60.0
SETS = 21  # of columns by which queries group: all of level 2


@lru_cache(maxsize=1)
def solved(
    name: str, n: int, d: int, correlation: int, k: int, l: int, method: str, data: Path
) -> tuple[Partition | None, float]:
    """The groups of a method, and the seconds that it took."""
    table, objective = problem(name, n, d, correlation, 0, data)
    table = replace(table)  # without cached row types
    requirement = KAnonymity(k) if k > 1 else LDiversity(l)
    started = time.perf_counter()
    best = direct(method)(table, requirement, objective=objective).best
    return best, time.perf_counter() - started


def measure(case: Case, data: Path) -> Row:
    """What is found in one case."""
    table, objective = problem(
        case.table, case.n, case.d, case.correlation, case.projection, data
    )
    if case.method in ACCURACY_CONSTRAINED:
        return measure_privacy(case, table, objective)
    method = PERMUTED.get(case.method, case.method)
    best, seconds = solved(
        case.table, case.n, case.d, case.correlation, case.k, case.l, method, data
    )
    row: Row = {"seconds": round(seconds, 4)}
    if best is None:
        return row
    if case.method == method != "anatomy":
        row |= losses(table, objective, best)
    if case.level and case.method in QUERIED:
        scales = objective.scales_of(table)
        released, groups = table, None
        if case.method == method != "anatomy":
            released = GeneralizedRelease(table, best, scales).published
        else:
            groups = best.groups
        spread = spread_of(released, table, scales, groups=groups)
        truth = Truth.of(table, scales)
        errors = cube_errors(spread, truth, case.level, most=SETS)
        row |= {"kl": errors.kl, "relative_error": errors.relative_error}
    return row


def losses(table: Table, objective: Objective, best: Partition) -> Row:
    """Groups by all the measures of the paper."""
    scales = objective.scales_of(table)
    ncp = scales.ncp(*scales.ranges(table, best.groups, best.size))
    distinct = [scale.size for scale in scales.scales]
    return {
        "gcp": best.value(table, objective) / objective.whole(table),
        "max_ncp": weighted_max_ncp(best.sizes, ncp),
        "mean_ncp": mean_ncp(ncp),
        "volume": weighted_mean_volume(best.sizes, ncp, distinct),
        "groups": best.size,
    }


def measure_privacy(case: Case, table: Table, objective: Objective) -> Row:
    """The most privacy that a method of the accuracy-constrained problem finds."""
    started = time.perf_counter()
    if case.method == "accuracy_constrained":
        found = accuracy_constrained(
            table, case.max_loss, objective=objective, time_limit=TIME_LIMIT
        )
    else:
        by: Callable[..., Any] = direct(
            "mondrian" if case.method == "ipcsd_mondrian" else "hilbert_fast"
        )
        found = iterative_direct(
            table,
            case.max_loss,
            lambda t, r, o: by(t, r, objective=o),
            objective=objective,
            whole=case.method == "ipcsd_1d",
            time_limit=TIME_LIMIT,
        )
    seconds = round(time.perf_counter() - started, 4)
    return {"privacy": float(found.privacy), "seconds": seconds}


def missing(wanted: Iterator[Case], rows: list[Row]) -> list[Case]:
    """The cases that no line is about."""
    known = {tuple(row[name] for name in KEY) for row in rows}
    return [c for c in wanted if tuple(str(v) for v in asdict(c).values()) not in known]


def run(wanted: list[Case], data: Path, store: Path) -> None:
    """Measure cases and append a line for each."""
    warm: set[str] = set()
    for number, case in enumerate(wanted, start=1):
        if case.method not in warm:  # loops are compiled, or loaded, before
            small = {"table": "census", "n": 1000, "d": 3, "projection": 0}
            measure(Case(**(asdict(case) | small | {"l": min(case.l, 4)})), data)
            warm.add(case.method)
        row = asdict(case) | dict.fromkeys(MEASURED, "") | measure(case, data)
        new = not store.exists()
        with store.open("a", newline="") as file:
            writer = csv.DictWriter(file, [*KEY, *MEASURED])
            if new:
                writer.writeheader()
            writer.writerow(row)
        if number % 50 == 0:
            print(f"{number} of {len(wanted)}", flush=True)


def read(store: Path) -> list[Row]:
    """The lines that are there."""
    if not store.exists():
        return []
    with store.open(newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Run what is missing, draw, and write the page if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder of adult.csv")
    parser.add_argument("--out", type=Path, required=True, help="folder")
    parser.add_argument("--rows", type=int, default=50_000, help="of census tables")
    parser.add_argument("--most", type=int, default=400_000, help="rows, by n")
    parser.add_argument("--write", type=Path, help="a CSV of all points")
    parser.add_argument("--only", nargs="+", help="experiments: what varies")
    parser.add_argument("--table", help="one of the tables alone")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    store = asked.out / "runs.csv"
    wanted = cases(asked.rows, asked.most)
    if not (asked.data / "adult.csv").exists():
        print("no adult.csv: generated tables only")
        wanted = (case for case in wanted if case.table != "adult")
    if asked.only:
        wanted = (case for case in wanted if case.experiment in asked.only)
    if asked.table:
        wanted = (case for case in wanted if case.table == asked.table)
    run(missing(wanted, read(store)), asked.data, store)
    rows = read(store)
    page.draw_all(rows, asked.out)
    if asked.write:
        page.keep(asked.write, rows)


if __name__ == "__main__":
    main()
