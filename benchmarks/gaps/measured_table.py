r"""Makes the rows of docs/data/measured.csv from the stores of two benchmarks.

    python benchmarks/gaps/measured_table.py exact.jsonl gaps.jsonl \
        --write docs/data/measured.csv

``exact.py DATA --long --store exact.jsonl`` and ``gaps.py DATA --store gaps.jsonl``
measure. Of cases with several seeds, stars are their median, the bound is the best one,
and seconds are the most.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import median_low
from typing import Any

from exact import FOUR
from gaps import ADULT, EIGHT, FIVE, SEVEN, with_seed
from kept import write_rows
from solve_cases import Case, stored

HEAD = "| columns | requirement | stars | proven bound | gap | seconds |"
LINES = (
    (FIVE.replace(",", ", "), Case(ADULT, FIVE, "--k 2", 30)),
    ("the same", Case(ADULT, FIVE, "--k 5", 120)),
    ("the same, ten minutes", Case(ADULT, FIVE, "--k 5", 600)),
    ("the same", Case(ADULT, FIVE, "--k 25", 120)),
    (FOUR.replace(",", ", "), Case(ADULT, FOUR, "--k 5", 30)),
    (
        "five columns, occupation sensitive",
        Case(ADULT, FIVE, "--l 2", 120, "occupation"),
    ),
    ("the same", Case(ADULT, FIVE, "--l 4", 300, "occupation")),
    ("all eight columns but salary-class", Case(ADULT, EIGHT, "--k 2", 600)),
    ("the same", Case(ADULT, EIGHT, "--k 5", 10)),
    ("the same, ten minutes", Case(ADULT, EIGHT, "--k 5", 600)),
    (
        "seven columns, occupation sensitive",
        Case(ADULT, SEVEN, "--l 2", 120, "occupation"),
    ),
    ("the same, ten minutes", Case(ADULT, SEVEN, "--l 4", 600, "occupation")),
    ("the same, ten minutes", Case(ADULT, SEVEN, "--l 6", 600, "occupation")),
)


def line(words: str, case: Case, runs: Sequence[dict[str, Any]]) -> str:
    """Return a line of the table: of one run, or of several seeds."""
    stars = median_low(row["value"] for row in runs)
    bound = max(row["lower_bound"] for row in runs)
    gap = "0" if stars == bound else f"{100 * (stars / bound - 1):.2f} %"
    seconds = max(row["seconds"] for row in runs)
    asked = case.asked.replace(" ", " = ")
    return f"| {words} | {asked} | {stars:,} | {bound:,} | {gap} | {seconds:.0f} |"


def main() -> None:
    """Print the table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exact", type=Path, help="the store of exact.py")
    parser.add_argument("gaps", type=Path, help="the store of gaps.py")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    asked = parser.parse_args()
    known = stored(asked.exact) | stored(asked.gaps)
    lines = [HEAD, "|---" * 6 + "|"]
    for words, case in LINES:
        seeds = [with_seed(case, seed) for seed in range(5)]
        named = [case] if case.name in known else seeds
        if rows := [known[each.name] for each in named if each.name in known]:
            lines.append(line(words, case, rows))
        else:
            print(f"not measured: {case.name}")
    print("\n".join(lines))
    write_rows(asked.write, lines)


if __name__ == "__main__":
    main()
