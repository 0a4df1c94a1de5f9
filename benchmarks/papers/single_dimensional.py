"""Single-dimensional recodings of Adult: the best ones, beside greedy and level ones.

    python benchmarks/papers/single_dimensional.py DATA

prints for two sets of columns and k = 5: loss, discernibility, classification errors
(of the salary class), groups, sets of splits that were looked at, processor seconds.
DATA holds ``adult.csv`` and ``hierarchies``.
"""

import argparse
import time
from pathlib import Path

from starmin.heuristics.recoding.incognito import incognito
from starmin.heuristics.recoding.top_down_specialization import (
    top_down_specialization,
)
from starmin.heuristics.single_dimensional.least_classification_error import (
    least_classification_error,
)
from starmin.heuristics.single_dimensional.least_discernibility import (
    least_discernibility,
)
from starmin.heuristics.single_dimensional.recoding_metrics import (
    classification,
    discernibility,
)
from starmin.heuristics.single_dimensional.single_dimensional import (
    single_dimensional,
)
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
    """Print a table in Markdown for each set of columns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    for qi in (FIVE, SEVEN):
        table = read_table(data / "adult.csv", qi, ["salary-class"])
        trees = {
            column: Taxonomy.read(data / f"hierarchies/adult_hierarchy_{column}.csv")
            for column in qi
        }
        objective = Objective("gcp", scales=Scales.of(table, (), trees))
        error = classification(table.column("salary-class"))
        titles = "loss | discernibility | errors | groups | sets | s"
        print(f"\n| {len(qi)} columns | {titles} |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for method in METHODS:
            started = time.process_time()
            found = method(table, KAnonymity(5), objective=objective, time_limit=60)
            took = time.process_time() - started
            assert found.best is not None and found.value is not None
            groups = found.best.groups
            loss = 100 * found.value / objective.whole(table)
            sets = found.stats.get("nodes", "-")
            print(
                f"| `{method.__name__}` | {loss:.2f} % "
                f"| {discernibility(5).value(groups):,} | {error.value(groups):,} "
                f"| {found.best.size} | {sets} | {took:.2f} |"
            )


if __name__ == "__main__":
    main()
