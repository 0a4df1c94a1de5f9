"""Measure how far AC is from the most privacy there is, on small tables of one column.

    python benchmarks/papers/one_dimensional/accuracy_constrained_gap.py --tables 2000

Numbers from 0 to 19, four sensitive values, half of the tables with values that go with
the numbers; 6 to 13 rows, four bounds. ``l_dual`` finds the optimum.
"""

import argparse
import json
from fractions import Fraction

import numpy as np

from starmin.heuristics.accuracy_constrained.presets import ac, l_dual
from starmin.instances import Objective, Scales, Table

BOUNDS = (0.1, 0.3, 0.55, 0.8)


def problem(seed: int) -> tuple[Table, Objective, float]:
    """A table, what it loses, and a bound."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 14))
    numbers, values = rng.integers(0, 20, n), rng.integers(0, 4, n)
    if seed % 2:
        values = (numbers + rng.integers(0, 6, n)) // 5
    rows = np.stack([numbers, values], axis=1).astype(str).tolist()
    table = Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    goal = Objective("gcp", scales=Scales.of(table, ["x"]))
    return table, goal, BOUNDS[seed // 2 % len(BOUNDS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=2000)
    tables = parser.parse_args().tables
    ratios: list[Fraction] = []
    for seed in range(tables):
        table, goal, bound = problem(seed)
        found = ac(table, bound, objective=goal).privacy
        ratios.append(found / l_dual(table, bound, objective=goal).privacy)
    below = sum(ratio < 1 for ratio in ratios)
    print(
        json.dumps(
            {
                "tables": tables,
                "below": below,
                "mean": round(float(sum(ratios) / tables), 3),
                "worst": round(float(min(ratios)), 3),
                "above": sum(ratio > 1 for ratio in ratios),
            }
        )
    )


if __name__ == "__main__":
    main()
