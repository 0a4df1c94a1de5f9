"""Proven optima and gaps on Adult, from CSV to written release and certificate.

    python benchmarks/gaps/exact.py DATA --write docs/data/exact.csv

runs ``starmin solve`` and ``starmin verify`` as a user would, one case after the
other, and writes one line each: stars, bound, what the certificate re-proves, gap,
seconds and peak memory of the whole command.
"""

import argparse
from pathlib import Path
from typing import Any

from gaps import ADULT, FIVE
from kept import write_rows
from solve_cases import Case, rows_of

FOUR = "age,sex,race,education"

CASES = (
    Case(ADULT, FIVE, "--k 2", 30),
    Case(ADULT, FIVE, "--k 5", 120),
    Case(ADULT, FIVE, "--k 25", 120),
    Case(ADULT, FOUR, "--k 5", 30),
    Case(ADULT, FIVE, "--l 2", 120, "occupation"),
    Case(ADULT, FIVE, "--l 4", 300, "occupation"),
)
LONG = (Case(ADULT, FIVE, "--k 5", 600),)
HEAD = (
    "| columns | requirement | limit | stars | bound | certified | gap | seconds | MiB "
    "| verified |\n" + "|---" * 10 + "|"
)


def main() -> None:
    """Run the cases; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with adult.csv")
    parser.add_argument("--store", type=Path, help="finished cases, one JSON a line")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    parser.add_argument("--long", action="store_true", help="also ten minutes of k = 5")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    arguments = parser.parse_args()
    cases = CASES + (LONG if arguments.long else ())
    cases = tuple(case for case in cases if arguments.only in case.name)
    lines = [HEAD]
    print(HEAD)
    rows = rows_of(cases, arguments.data, arguments.store)
    for case, row in zip(cases, rows, strict=True):
        lines.append(line(case, row))
        print(lines[-1], flush=True)
    write_rows(arguments.write, lines)


def line(case: Case, row: dict[str, Any]) -> str:
    """Return the line of a case in the report."""
    gap = "-" if row["gap"] is None else f"{row['gap']:.2%}"
    return (
        f"| {case.columns} | {case.asked} | {case.seconds} s | {row['value']:,} "
        f"| {row['lower_bound']:,} | {row['certified_bound']:,} | {gap} "
        f"| {row['seconds']:.1f} | {row['memory']:.0f} "
        f"| {'yes' if row['verified'] else 'NO'} |"
    )


if __name__ == "__main__":
    main()
