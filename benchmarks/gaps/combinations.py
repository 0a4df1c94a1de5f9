"""Rules over combinations on Adult: an office's greedy way, the search, and the bound.

    python benchmarks/gaps/combinations.py DATA [--seconds 60] [--only shown]
        [--write docs/data/combinations.csv]

Pairs and triples of the eight columns but salary-class, as they are shown and by
classes: stars of ``office_greedy`` and of ``rule_search``, the bound of its prices, and
processor seconds. DATA holds ``adult.csv``.
"""

import argparse
import time
from pathlib import Path

from kept import merge_rows

from starmin.heuristics.rules.office_greedy import office_greedy
from starmin.heuristics.rules.rule_search import rule_search
from starmin.instances import Combinations, read_table

NAMES = {2: "pairs", 3: "triples"}
CASES = (
    *(("shown", 2, k) for k in (3, 5, 10)),
    ("shown", 3, 3),
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
    table = read_table(asked.data / "adult.csv")
    table = table.drop(["salary-class"])
    for semantics, columns, k in CASES:
        if asked.only not in semantics:
            continue
        rules = Combinations(columns, k, semantics=semantics)
        began = time.process_time()
        found = rule_search(table, rules, time_limit=asked.seconds)
        worked = time.process_time() - began
        assert found.value is not None and found.lower_bound
        gap = found.value / found.lower_bound - 1
        greedy = office_greedy(table, rules).value if semantics == "shown" else None
        row = {
            "semantics": semantics,
            "rule": f"{NAMES[columns]}, k = {k}",
            "office_greedy": "-" if greedy is None else f"{greedy:,}",
            "rule_search": f"{found.value:,}",
            "bound": f"{found.lower_bound:,}",
            "gap": f"{100 * gap:.2f} %" if gap else "proven",
            "processor seconds": f"{worked:.0f}",
        }
        print(" | ".join(row.values()), flush=True)
        merge_rows(asked.write, [row], ("semantics", "rule"))


if __name__ == "__main__":
    main()
