"""Stars of every heuristic of the registry on two real tables, with bound and gap.

    python benchmarks/quality/quality.py DATA --out FOLDER [--time-limit 10]
    python benchmarks/quality/quality.py DATA --out FOLDER --write docs/data

The first runs what is not yet in FOLDER/runs.csv, a line for each run; the second
renders that file as it is. Each method runs in a process of its own, with a limit of
memory and of time, after a warm-up on a part of the table that compiles its loops; its
release is checked from its cells by ``starmin.verify.releases.release_check``. Methods
that are registered later are run by themselves when the command is repeated.
"""

import argparse
import csv
import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from kept import write_rows
from quality_cases import CASES, Case
from quality_page import tables

from starmin.auto.dispatch import call
from starmin.cli.limited import limit_memory
from starmin.gaps.fork_server import run_process
from starmin.instances import STARS, Limit, NotSupportedError, Problem, Release
from starmin.registry import METHODS, supporting
from starmin.verify.releases.release_check import check_release

Row = dict[str, Any]

FIELDS = (
    "case",
    "requirement",
    "method",
    "kind",
    "limit",
    "stars",
    "bound",
    "seconds",
    "mebibytes",
    "stopped",
    "outcome",
)
BOUNDS = ("lagrangian", "own_pattern")  # the second where the first proves nothing
_SLACK = 3.0  # times its limit after which a method is stopped


def solve(case: Case, asked: str, name: str, limit: float, data: Path) -> Row:
    """What the process of one method prints: its part of the line."""
    method, table = METHODS[name], case.read(data)
    options = {"time_limit": limit, "seed": 0}
    try:
        small = table.take(np.arange(0, table.n, max(1, table.n // 400)))
        for _ in range(3):  # each may compile more
            short = options | {"time_limit": 1.0}
            call(method, Problem(small, case.requirement(asked)), short)
        started = time.perf_counter()
        result = call(method, Problem(table, case.requirement(asked)), options)
        seconds = time.perf_counter() - started
    except NotSupportedError as error:
        return {"outcome": f"refused: {error}"}
    row: Row = {
        "stars": result.value,
        "bound": result.lower_bound,
        "seconds": round(seconds, 2),
        "stopped": result.limit.value if isinstance(result.limit, Limit) else "",
        "outcome": "ok",
    }
    if result.best is not None:
        published = Release(table, result.best).published
        check = check_release(published, case.requirement(asked), table)
        if not (check.holds and check.consistent and check.stars == result.value):
            row["outcome"] = "NOT VALID"
    return row


def run_apart(
    case: Case, asked: str, name: str, limit: float, arguments: argparse.Namespace
) -> Row:
    """The line of one method, run in a process with limits."""
    command = [sys.executable, __file__, str(arguments.data), "--time-limit"]
    command += [str(limit), "--memory", str(arguments.memory)]
    command += ["--one", f"{case.name}|{asked}|{name}"]
    hard = arguments.hard or _SLACK * limit + 120
    row: Row = {
        "case": case.name,
        "requirement": asked,
        "method": name,
        "kind": METHODS[name].kind,
        "limit": limit,
    }
    ended = run_process(command, hard)
    if ended.code is None:
        return row | {"outcome": f"no answer in {hard:.0f} s"}
    if ended.code == 0:
        answer: Row = json.loads(ended.out.splitlines()[-1])
        return row | answer
    if ended.starved:
        return row | {"outcome": f"more than {arguments.memory} GiB"}
    return row | {"outcome": f"failed: {ended.last[:200]}"}


def wanted(case: Case, asked: str, arguments: argparse.Namespace) -> Iterator[str]:
    """The bounds, in the order in which they are tried, then the heuristics."""
    yield from BOUNDS
    for method in supporting(case.requirement(asked), STARS, "heuristic"):
        if not arguments.methods or method.name in arguments.methods.split(","):
            yield method.name


def key(row: Row) -> tuple[str, str, str, float]:
    """What tells one run from the others; of a bound there is one for all limits."""
    limit = 0.0 if row["kind"] == "bound" else float(row["limit"])
    return row["case"], row["requirement"], row["method"], limit


def run_all(arguments: argparse.Namespace, store: Path) -> None:
    """Run what is not yet in the store."""
    known = {key(row): row for row in read_rows(store)}
    for case, asked in CASES:
        if arguments.only not in f"{case.name} {asked}":
            continue
        proven = False
        for name in wanted(case, asked, arguments):
            kind = METHODS[name].kind
            if kind == "bound" and proven:
                continue
            limit = arguments.bound_limit if kind == "bound" else arguments.time_limit
            row = {"case": case.name, "requirement": asked, "method": name}
            row = known.get(key(row | {"kind": kind, "limit": limit}), {})
            if not row:
                row = run_apart(case, asked, name, limit, arguments)
                append(row, store)
            proven = proven or (kind == "bound" and bool(row.get("bound")))


def read_rows(store: Path) -> list[Row]:
    if not store.exists():
        return []
    with store.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def append(row: Row, store: Path) -> None:
    """Add a line at once: what was measured outlives a stop."""
    new = not store.exists()
    with store.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        writer.writerow(row)
    shown = (str(row.get(field, "")) for field in FIELDS if field != "kind")
    print("  ".join(shown), flush=True)


def main() -> None:
    """Run one method, or all that are missing, or render what there is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--out", type=Path, help="the folder of runs.csv")
    parser.add_argument("--write", type=Path, help="a folder for a CSV of each case")
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds a run")
    parser.add_argument("--bound-limit", type=float, default=60.0)
    parser.add_argument("--hard", type=float, help="seconds after which a run is ended")
    parser.add_argument("--memory", type=int, default=8, help="GiB of each process")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--methods", default="", help="these alone, with commas")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        limit_memory(arguments.memory << 30)
        name, asked, method = arguments.one.split("|")
        case = next(case for case, _ in CASES if case.name == name)
        row = solve(case, asked, method, arguments.time_limit, arguments.data)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps(row | {"mebibytes": peak}))
        return
    if arguments.out is None:
        parser.error("expected --out FOLDER")
    arguments.out.mkdir(parents=True, exist_ok=True)
    store = arguments.out / "runs.csv"
    if arguments.write:
        for name, lines in tables(read_rows(store)):
            write_rows(arguments.write / f"quality_{name}.csv", lines)
    else:
        run_all(arguments, store)


if __name__ == "__main__":
    main()
