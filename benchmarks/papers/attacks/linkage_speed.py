"""How long linking takes on synthetic releases of many rows.

    python benchmarks/papers/attacks/linkage_speed.py --rows 100000 [--write FILE.csv]

Two samples of a skewed random table overlap by half. Each is cut into blocks of k rows
along a lexicographic order of its columns (one order forward, one backward), and
published by suppression: many patterns of stars, many classes for each person.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from kept import write_rows

from starmin.instances import Partition, Release, Table
from starmin.verify.linkage import attack

CARDINALITIES = (90, 2, 17, 40, 7, 50, 9, 5)
VALUES = 50


def people(rows: int, columns: int, seed: int) -> Table:
    """A table of independent columns, low codes the most frequent."""
    rng = np.random.default_rng(seed)
    sizes = (*CARDINALITIES[:columns], VALUES)
    codes = [
        np.minimum(rng.geometric(min(0.8, 3 / size), rows) - 1, size - 1)
        for size in sizes
    ]
    names = tuple(f"q{j}" for j in range(columns))
    dictionaries = tuple(tuple(str(v) for v in range(size)) for size in sizes)
    return Table((*names, "s"), np.array(codes, np.int32), dictionaries, names, ("s",))


def release(table: Table, k: int, columns: Sequence[str]) -> Table:
    """Publish blocks of k rows in lexicographic order of ``columns``."""
    order = np.lexsort([table.column(column) for column in reversed(columns)])
    block = np.empty(table.n, np.int64)
    block[order] = np.minimum(np.arange(table.n) // k, table.n // k - 1)
    return Release(table, Partition.from_labels(block)).published


def main() -> None:
    """Print one line for each number of columns."""
    parser = argparse.ArgumentParser(description="Time of a linkage attack.")
    parser.add_argument("--rows", type=int, default=100_000, help="of each release")
    parser.add_argument("--k", type=int, default=5, help="rows in a block")
    parser.add_argument("--write", type=Path, help="a CSV file of the table")
    asked = parser.parse_args()
    head = "columns | classes | people | distinct people | matching classes each | s"
    lines = [f"| {head} |", "|---" * 6 + "|"]
    for columns in (4, 6, 8):
        whole = people(asked.rows * 3 // 2, columns, seed=columns)
        half = asked.rows // 2
        first = release(whole.take(np.arange(asked.rows)), asked.k, whole.qi)
        second = release(
            whole.take(np.arange(half, half + asked.rows)), asked.k, whole.qi[::-1]
        )
        common = whole.take(np.arange(half, asked.rows))
        started = time.perf_counter()
        linkage = attack([first, second], common)
        seconds = time.perf_counter() - started
        classes = len(first.row_types) + len(second.row_types)
        counts = f"{columns} | {classes:,} | {common.n:,} | {len(linkage.after):,}"
        lines.append(f"| {counts} | {linkage.matches.mean():.1f} | {seconds:.1f} |")
    print("\n".join(lines))
    write_rows(asked.write, lines)


if __name__ == "__main__":
    main()
