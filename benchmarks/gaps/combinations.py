"""Rules over combinations on Adult: an office's greedy way, the search, and the bound.

    python benchmarks/gaps/combinations.py DATA [--seconds 60] [--only shown]
        [--write docs/data/combinations.csv]

Pairs and triples of the eight columns but salary-class, as they are shown and by
classes: stars of ``office_greedy`` and of ``rule_search``, its bound,
whether a certificate proves it, and the seconds of the command and of the processor.
DATA holds ``adult.csv``.
"""

import argparse
import resource
from pathlib import Path
from typing import Any

from kept import merge_rows
from solve_cases import command

NAMES = {2: "pairs", 3: "triples"}
CASES = (
    *(("shown", 2, k) for k in (3, 5, 10)),
    *(("shown", 3, k) for k in (3, 5, 10)),
    *(("classes", 2, k) for k in (3, 5, 10)),
)


def main() -> None:
    """Print a line for each case, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each search")
    parser.add_argument("--only", default="", help="shown or classes")
    parser.add_argument("--write", type=Path, help="a CSV file of the table")
    asked = parser.parse_args()
    table = f"{asked.data}/adult.csv --drop salary-class"
    for semantics, columns, k in CASES:
        if asked.only not in semantics:
            continue
        rules = f"{table} --combinations {columns}:{k} --semantics {semantics}"
        greedy = "-"
        if semantics == "shown":
            greedy = f"{solve(f'{rules} --method office_greedy')['value']:,}"
        before = used()
        found = solve(f"{rules} --time-limit {asked.seconds}")
        row = {
            "semantics": semantics,
            "rule": f"{NAMES[columns]}, k = {k}",
            "office_greedy": greedy,
            "rule_search": f"{found['value']:,}",
            "bound": f"{found['lower_bound']:,}",
            "gap": gap_of(found),
            "certified": "yes" if found["certificate_checked"] else "no",
            "seconds": f"{found['runtime']:.0f}",
            "processor seconds": f"{used() - before:.0f}",
        }
        print(" | ".join(row.values()), flush=True)
        merge_rows(asked.write, [row], ("semantics", "rule"))


def solve(words: str) -> dict[str, Any]:
    """Solve a problem by the command; what it says of it."""
    said, _, _ = command(["solve", *words.split()])
    return said


def gap_of(found: dict[str, Any]) -> str:
    """Return how far the bound is from the stars, in per cent."""
    gap = found["value"] / found["lower_bound"] - 1
    return f"{100 * gap:.2f} %" if gap else "proven"


def used() -> float:
    """Return the processor time of the commands so far, in seconds."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    main()
