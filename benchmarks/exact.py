"""Proven optima and gaps on Adult, from CSV to written release and certificate.

    python benchmarks/exact.py adult.csv --write docs/exact.md

runs ``starmin solve`` and ``starmin verify`` as a user would, one case after the
other, and writes one line each: stars, bound, what the certificate re-proves, gap,
seconds and peak memory of the whole command.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

FIVE = "sex,race,marital-status,education,workclass"
FOUR = "age,sex,race,education"


@dataclass(frozen=True)
class Case:
    qi: str
    requirement: tuple[str, ...]
    seconds: int
    sensitive: str | None = None


CASES = (
    Case(FIVE, ("--k", "2"), 30),
    Case(FIVE, ("--k", "5"), 120),
    Case(FIVE, ("--k", "25"), 120),
    Case(FOUR, ("--k", "5"), 30),
    Case(FIVE, ("--l", "2"), 120, "occupation"),
    Case(FIVE, ("--l", "4"), 300, "occupation"),
)
LONG = (Case(FIVE, ("--k", "5"), 600),)
HEAD = (
    "| columns | requirement | limit | stars | bound | certified | gap | seconds "
    "| MiB | verified |\n" + "|---" * 10 + "|"
)


def run(arguments: list[str]) -> tuple[dict[str, object], float, float]:
    """A command's JSON, its wall-clock seconds and its peak memory in MiB."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "starmin", *arguments, "--json", "--quiet"],
            stdout=output,
        )
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        seconds = time.perf_counter() - started
        output.seek(0)
        return json.loads(output.read()), seconds, usage.ru_maxrss / 1024


def measure(table: Path, case: Case, folder: Path) -> str:
    """One line of the report."""
    release, proof = folder / "release.csv", folder / "certificate.json"
    header = table.open(encoding="utf-8").readline().strip().split(",")
    kept = [*case.qi.split(","), *([case.sensitive] if case.sensitive else [])]
    roles = ["--qi", case.qi, "--drop", ",".join(c for c in header if c not in kept)]
    roles += ["--sensitive", case.sensitive] if case.sensitive else []
    limit = ["--time-limit", str(case.seconds - 2)]
    written = ["--out", str(release), "--certificate", str(proof)]
    found, seconds, memory = run(
        ["solve", str(table), *roles, *case.requirement, *limit, *written]
    )
    original = ["--original", str(table), "--certificate", str(proof)]
    check, _, _ = run(["verify", str(release), *roles, *case.requirement, *original])
    verified = check["holds"] and check["consistent"]
    verified = verified and check["certificate"]["accepted"]
    return (
        f"| {case.qi.replace(',', ', ')} | {' '.join(case.requirement).strip('-')} "
        f"| {case.seconds} s | {found['value']} | {found['lower_bound']} "
        f"| {found['certified_bound']} | {found['gap']:.2%} | {seconds:.1f} "
        f"| {memory:.0f} | {'yes' if verified else 'NO'} |"
    )


def main() -> None:
    """Run the cases; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path, help="the Adult table, 30,162 rows")
    parser.add_argument("--write", type=Path, help="a Markdown file for the table")
    parser.add_argument("--long", action="store_true", help="also ten minutes of k = 5")
    arguments = parser.parse_args()
    lines = [HEAD]
    print(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES + (LONG if arguments.long else ()):
            lines.append(measure(arguments.table, case, Path(folder)))
            print(lines[-1], flush=True)
    if arguments.write:
        when = datetime.now(UTC).strftime("%B %Y")
        what = (
            f"# Adult, exactly\n\nMeasured in {when} on {os.cpu_count()} shared cores, "
            f"Python {platform.python_version()}, seed 0, by\n\n"
            "    python benchmarks/exact.py adult.csv --write docs/exact.md\n\n"
            "30,162 rows (UCI Adult, complete cases); occupation is the sensitive "
            "column where l is asked for. `certified` is the bound that "
            "`starmin verify --certificate` proves again without a solver; a bound "
            "beyond it is the word of branch and bound.\n\n"
        )
        arguments.write.write_text(what + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
