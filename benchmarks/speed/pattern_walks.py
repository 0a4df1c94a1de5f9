"""The walk for stars beside the walk over nodes, at the same patterns.

    python benchmarks/speed/pattern_walks.py DATA/adult.csv [--write ROWS.csv]

A column that is kept or starred is a tree of one level, so the walk over nodes of
``starmin.models.patterns.node_walk`` finds what
``starmin.models.pricing.pricing_search`` finds. Prices are those of ``lagrangian``, and
somewhat more, at which more patterns count. The least processor time of several runs is
kept; patterns must be the same.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from kept import write_rows

import starmin
from starmin.instances import STARS
from starmin.models.patterns.node_patterns import priced_node_patterns
from starmin.models.patterns.patterns import Patterns, Sought
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.pricing import priced_patterns

SEVEN = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex")
EIGHT = (*SEVEN, "native-country")
CASES = ((SEVEN, 5), (EIGHT, 2), (EIGHT, 5), (EIGHT, 25))
SHARES = (1.0, 1.2)  # of the prices
HEAD = (
    "| columns | k | prices | patterns | stars, s | nodes, s | times |\n"
    + "|---" * 7
    + "|"
)


def least_seconds(walk: Callable[[], Patterns | None], runs: int) -> float:
    """Return the least processor time of some runs."""
    seconds = []
    for _ in range(runs):
        before = time.process_time()
        walk()
        seconds.append(time.process_time() - before)
    return min(seconds)


def found(patterns: Patterns | None) -> dict[tuple[int, ...], tuple[int, list[int]]]:
    """Return cost and members of each pattern, by its nodes."""
    assert patterns is not None
    starts, nodes = patterns.starts, np.maximum(patterns.nodes, -1)
    return {
        tuple(nodes[p].tolist()): (
            int(patterns.cost[p]),
            sorted(patterns.types[starts[p] : starts[p + 1]].tolist()),
        )
        for p in range(len(patterns.cost))
    }


def main() -> None:
    """Measure the cases and write a row of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    told = parser.parse_args()
    lines = [HEAD]
    for columns, k in CASES:
        table = starmin.read_table(told.table, qi=columns)
        bound = starmin.bound(table, k, method="lagrangian", time_limit=10)
        assert bound.certificate is not None
        data = bound.certificate.data
        types, unit = table.row_types, PriceUnit.of(table, STARS)
        good = np.array(data["prices"]) * unit.per_cost // data["denominator"]
        for share in SHARES:
            prices = (good * share).astype(np.int64)
            given = Sought(table, types, STARS, k), prices
            both = priced_patterns(*given), priced_node_patterns(*given)
            assert both[0] is not None and found(both[0]) == found(both[1])
            stars = least_seconds(partial(priced_patterns, *given), told.runs)
            nodes = least_seconds(partial(priced_node_patterns, *given), told.runs)
            lines.append(
                f"| {len(columns)} | {k} | {share} | {len(both[0]):,} | {stars:.3f} "
                f"| {nodes:.3f} | {nodes / stars:.2f} |"
            )
            print(lines[-1], flush=True)
    write_rows(told.write, lines)


if __name__ == "__main__":
    main()
