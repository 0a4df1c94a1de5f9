"""What it costs, under the global certainty penalty, to keep groups in an order.

    python benchmarks/papers/one_dimensional/one_dimensional_orders.py [--tables 30]
        [--rows 10]
        [--write FILE.csv]

Random tables of one numeric column and one sensitive column of four values, at random
or correlated with the number. For k-anonymity the best consecutive groups, for
l-diversity the best ordered groups and the greedy heuristic along the line are
compared with the optimum (``box_program``, proven).
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from kept import write_rows

from starmin.heuristics.orders.along_curves import hilbert_fast
from starmin.heuristics.orders.preset import RowOrder
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Scales,
    Table,
)
from starmin.models.boxes.box_program import box_program
from starmin.models.one_dimensional.k_order import k_order
from starmin.models.one_dimensional.l_ordered import l_ordered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=30)
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--write", type=Path, help="a CSV file of the table")
    options = parser.parse_args()
    excess = defaultdict(list)
    for seed in range(options.tables):
        for kind, values in draw(seed, options.rows).items():
            compare(*values, kind, excess)
    head = "groups | sensitive values | tables | worse | mean | most"
    lines = [f"| {head} |", "|---" * 6 + "|"]
    for (what, kind), shares in sorted(excess.items()):
        worse, mean = sum(s > 0 for s in shares), np.mean(shares)
        most = f"{100 * max(shares):.2f} %"
        cells = [what, kind, str(len(shares)), str(worse), f"{100 * mean:.2f} %", most]
        lines.append(f"| {' | '.join(cells)} |")
    print("\n".join(lines))
    write_rows(options.write, lines)


def draw(seed: int, n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.integers(0, 1000, n))
    even = np.arange(n) % 4
    near = np.argsort(np.argsort(x + rng.normal(0, 200, n))) * 4 // n
    return {"random": (x, rng.permutation(even)), "correlated": (x, near)}


def compare(
    x: np.ndarray, s: np.ndarray, kind: str, excess: dict[tuple[str, str], list[float]]
) -> None:
    rows = np.stack([x, s], axis=1).astype(str).tolist()
    table = Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    gcp = Objective("gcp", scales=Scales.of(table, ["x"]))

    def note(what: str, best: int, partition: Partition) -> None:
        value = partition.value(table, gcp)
        excess[what, kind].append(value / best - 1 if best else 0.0)

    def weighted(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        return (end - begin) * (x[end - 1] - x[begin])

    for k in (2, 4) if kind == "random" else ():
        best = optimum(table, KAnonymity(k), gcp)
        order = RowOrder(np.arange(len(x)), np.zeros(1, np.int64))
        line = order.consecutive(k_order(weighted, len(x), k))
        note(f"k = {k}, consecutive", best, line)
    for l in (2, 3):
        best = optimum(table, LDiversity(l), gcp)
        groups = l_ordered(x, s, l, "weighted").groups
        note(f"l = {l}, ordered", best, Partition.from_labels(groups))
        found = hilbert_fast(table, LDiversity(l), objective=gcp).best
        assert found is not None
        note(f"l = {l}, greedy heuristic", best, found)


def optimum(table: Table, asked: KAnonymity | LDiversity, gcp: Objective) -> int:
    result = box_program(table, asked, objective=gcp)
    assert result.value is not None and result.value == result.lower_bound
    return result.value


if __name__ == "__main__":
    main()
