r"""Time, memory and gap of tables that are read in batches, by their rows.

    python benchmarks/speed/scale.py --out FOLDER --rows 1,3,10 \
        --write docs/data/scale.csv

For each number of millions of rows it writes ``census`` with eight columns as a folder
of Parquet files, counts it, solves it for k = 5, and verifies the release with its
original and the certificate. All sizes have the same limit for each million of row
types (``--seconds``), with what it takes to read and to write beside it. A command is a
process of its own; its seconds and its peak memory are noted.

Steps that ended well are lines of FOLDER/steps.jsonl and are not repeated: what was
stopped goes on where it was. ``--write`` puts the table of all sizes in the store on a
page.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kept import write_rows

HEAD = (
    "| rows | row types | count | search | read, write | verify | peak memory | stars "
    "| proven bound | gap |\n" + "|---" * 10 + "|"
)
_READING = 1.3e-6  # seconds a row for counting and publishing, beside the search
Said = dict[str, Any]


def main() -> None:
    """Measure what the store does not have; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--rows", default="1,3,10", help="in millions")
    parser.add_argument(
        "--seconds", type=float, default=100, help="of search, per million row types"
    )
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    parser.add_argument("--count", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.count is not None:
        print(json.dumps(counted(asked.count)))
        return
    asked.out.mkdir(parents=True, exist_ok=True)
    sizes = [int(float(millions) * 1e6) for millions in asked.rows.split(",")]
    lines = [HEAD]
    for rows in sizes:
        store = Store(asked.out / "steps.jsonl", rows)
        measure(rows, asked.seconds, asked.out / f"{rows / 1e6:g}", store)
        lines.append(line(rows, store))
        print("\n".join(lines[-2:] if len(lines) == 2 else lines[-1:]), flush=True)
    write_rows(asked.write, lines)


class Store:
    """What the steps of one size took and said, kept in a file for all sizes."""

    def __init__(self, path: Path, rows: int) -> None:
        self.path, self.rows = path, rows
        kept = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        lines = [json.loads(each) for each in kept]
        self.steps = {each["step"]: each for each in lines if each["rows"] == rows}

    def once(self, step: str, run: Callable[[], Said]) -> Said:
        """Take a step unless it is in the store; return what it took and said."""
        if step not in self.steps:
            self.steps[step] = {"rows": self.rows, "step": step, **run()}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(self.steps[step]) + "\n")
            took = self.steps[step]
            what = f"{self.rows:,} rows: {step}"
            say = f"{what} {took['took']:.0f} s, {took['peak']:.1f} GB"
            print(say, file=sys.stderr, flush=True)
        found: Said = self.steps[step]
        return found


def measure(rows: int, seconds: float, folder: Path, store: Store) -> None:
    """Write, count, solve and verify one table."""
    folder.mkdir(exist_ok=True)
    table, release, proof = folder / "table", folder / "release", folder / "proof.json"
    name = f"census:n={rows},sensitive=none"

    def write() -> Said:
        shutil.rmtree(table, ignore_errors=True)
        return run("starmin", f"instances write {name} --out {table} --json")

    def solve() -> Said:
        shutil.rmtree(release, ignore_errors=True)
        limit = seconds * counting["types"] / 1e6 + _READING * rows
        return run(
            "starmin",
            f"solve {table} --k 5 --time-limit {limit:.0f} --out {release} "
            f"--certificate {proof} --json --quiet",
        )

    def verify() -> Said:
        return run(
            "starmin",
            f"verify {release} --k 5 --original {table} --certificate {proof} "
            "--json --quiet",
        )

    store.once("write", write)
    counting = store.once("count", lambda: run(__file__, f"--out . --count {table}"))
    store.once("solve", solve)
    store.once("verify", verify)


def run(program: str, line: str) -> Said:
    """Run a command; return what it says, its seconds and its memory in GB."""
    words = [program] if program.endswith(".py") else ["-m", program]
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *words, *line.split()], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed ({process.returncode}): {program} {line}")
    took = time.perf_counter() - started
    processor, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e9
    return {**json.loads(said), "took": took, "processor": processor, "peak": peak}


def counted(table: Path) -> Said:
    """Count a table; return how many row types it has, and the seconds."""
    from starmin.instances.streams.count import count_rows
    from starmin.instances.streams.source import Source

    source, started = Source.of(table), time.perf_counter()
    few = count_rows(source, source.names)
    return {"types": few.codes.shape[1], "counting": time.perf_counter() - started}


def line(rows: int, store: Store) -> str:
    """Return the line of a size; times in seconds."""
    counting, solve, verify = (store.steps[s] for s in ("count", "solve", "verify"))
    held = verify["holds"] and verify["consistent"]
    if not (held and verify["certificate"]["accepted"]):
        sys.exit(f"refused: {verify}")
    search = solve["runtime"]
    return (
        f"| {rows:,} | {counting['types']:,} | {counting['counting']:.0f} s "
        f"| {search:.0f} s | {solve['took'] - search:.0f} s | {verify['took']:.0f} s "
        f"| {max(solve['peak'], verify['peak']):.1f} GB | {solve['value']:,} "
        f"| {solve['lower_bound']:,} | {solve['gap']:.2%} |"
    )


if __name__ == "__main__":
    main()
