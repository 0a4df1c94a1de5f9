"""Single-dimensional recodings of Adult: the best ones, beside greedy and level ones.

    python benchmarks/papers/optimum/single_dimensional.py DATA [--write FILE.csv]

prints for two sets of columns and k = 5: loss, discernibility, classification errors
(of the salary class), groups, sets of splits that were looked at, processor seconds.
DATA holds ``adult.csv`` and ``hierarchies``.
"""

import argparse
import time
from pathlib import Path

from kept import write_rows

from starmin.heuristics.recoding.levels import incognito
from starmin.heuristics.recoding.set_enumeration import classification, discernibility
from starmin.heuristics.recoding.single_dimensional import (
    least_classification_error,
    least_discernibility,
    single_dimensional,
)
from starmin.heuristics.recoding.top_down_specialization import top_down_specialization
from starmin.instances import KAnonymity, Objective, Scales, Taxonomy, read_table

FIVE = ["sex", "race", "marital-status", "education", "workclass"]
SEVEN = [*FIVE, "native-country", "occupation"]
METHODS = (
    incognito,
    top_down_specialization,
    single_dimensional,
    least_discernibility,
    least_classification_error,
)


def main() -> None:
    """Print a table in Markdown, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", type=Path, help="a CSV file of the table")
    asked = parser.parse_args()
    data = asked.data
    titles = "loss | discernibility | errors | groups | sets | s"
    lines = [f"| columns | method | {titles} |", "|---" * 8 + "|"]
    for qi in (FIVE, SEVEN):
        table = read_table(data / "adult.csv", qi, ["salary-class"])
        trees = {
            column: Taxonomy.read(data / f"hierarchies/adult_hierarchy_{column}.csv")
            for column in qi
        }
        objective = Objective("gcp", scales=Scales.of(table, (), trees))
        error = classification(table.column("salary-class"))
        for method in METHODS:
            started = time.process_time()
            found = method(table, KAnonymity(5), objective=objective, time_limit=60)
            took = time.process_time() - started
            assert found.best is not None and found.value is not None
            groups = found.best.groups
            loss = 100 * found.value / objective.whole(table)
            sets = found.stats.get("nodes", "-")
            lines.append(
                f"| {len(qi)} | {method.__name__} | {loss:.2f} % "
                f"| {discernibility(5).value(groups):,} | {error.value(groups):,} "
                f"| {found.best.size} | {sets} | {took:.2f} |"
            )
    print("\n".join(lines))
    write_rows(asked.write, lines)


if __name__ == "__main__":
    main()
