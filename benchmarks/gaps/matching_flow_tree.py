"""Compare star sets and flows with the programs of solvers, for k-regular matching.

    python benchmarks/gaps/matching_flow_tree.py --tables 200
        [--methods flow_tree mip] [--write docs/data/flow_tree.csv]

Tables of 6 to 12 rows by 2 to 5 columns, k = 3. On the first hundred the relaxation
by flows, before anything is split, is compared with the bound of ``degree_prices``.
"""

import argparse
import csv
import json
import time
from collections import Counter
from pathlib import Path

import numpy as np

from starmin.instances import KAnonymity, Objective, Result, Table
from starmin.models.nonhomogeneous.cell_prices import UNIT, CellPrices
from starmin.models.nonhomogeneous.degree_prices import degree_prices
from starmin.models.nonhomogeneous.matching_cp_sat import matching_cp_sat
from starmin.models.nonhomogeneous.matching_flow_tree import matching_flow_tree
from starmin.models.nonhomogeneous.matching_mip import matching_mip

K = KAnonymity(3)
METHODS = {
    "flow_tree": matching_flow_tree,
    "mip": matching_mip,
    "cp_sat": matching_cp_sat,
}


def table_of(seed: int) -> Table:
    """A random table; some values more frequent than others."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 13)), int(rng.integers(2, 6))
    values = rng.integers(2, 5)
    rows = np.minimum(rng.integers(0, values, (n, d)), rng.integers(0, values, (n, d)))
    names = "abcde"[:d]
    return Table.from_rows(names, rows.astype(str).tolist(), names)


def relaxation(table: Table, value: int) -> int:
    """What the relaxation by flows proves at the root, at most the value."""
    cells = CellPrices.of(table, Objective(), K.core.size)
    assert cells is not None
    nothing = np.zeros(table.n, np.int64)
    every = np.full(table.n, int(cells.sets[-1]))
    prices, _ = cells.climb(nothing, nothing, every, value, lambda: False)
    bound = cells.evaluate(prices, nothing, every).bound
    return min(value, max(0, -(-bound // UNIT)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--write", type=Path, help="a CSV file, a line for each table")
    asked = parser.parse_args()
    proven, spent, differ = Counter[str](), Counter[str](), 0
    bounds = {"flows": 0, "degree_prices": 0, "optimum": 0}
    compared = higher = lower = 0
    kept: list[dict[str, object]] = []
    for seed in range(asked.tables):
        table, values = table_of(seed), set()
        row: dict[str, object] = {"table": seed, "rows": table.n, "columns": table.d}
        kept.append(row)
        for name in asked.methods:
            method = METHODS[name]
            began = time.process_time()
            found: Result = method(table, K, time_limit=asked.seconds)
            spent[name] += time.process_time() - began
            if found.status.value == "optimal":
                proven[name] += 1
                values.add(found.value)
            row[name] = found.value if found.status.value == "optimal" else "-"
        differ += len(values) > 1
        if compared < 100 and len(values) == 1:
            (value,) = values
            flows, prices = (
                relaxation(table, value),
                degree_prices(table, K).lower_bound,
            )
            compared, higher = compared + 1, higher + (flows > prices)
            lower += flows < prices
            row |= {"relaxation": flows, "degree_prices": prices}
            for name, bound in zip(bounds, (flows, prices, value), strict=True):
                bounds[name] += bound
    if asked.write:
        with asked.write.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(kept[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept)
    seconds = {name: round(each, 1) for name, each in spent.items()}
    print(json.dumps({"tables": asked.tables, "proven": proven, "seconds": seconds}))
    print(json.dumps({"differ": differ, "compared": compared, "bounds": bounds}))
    print(json.dumps({"flows higher": higher, "flows lower": lower}))


if __name__ == "__main__":
    main()
