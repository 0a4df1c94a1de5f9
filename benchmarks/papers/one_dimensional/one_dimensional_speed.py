"""How fast the one-dimensional framework is, as ratios measured in one run.

    python benchmarks/papers/one_dimensional/one_dimensional_speed.py [--rows 10]
        [--write FOLDER]

The programs for k-anonymity on sorted values, and the Hilbert keys of points of seven
coordinates, are compared with ``numpy.sort`` of the values in random order (the same
number of rows, second calls, processor time of this process, the median of several
rounds). Then Hilb and the heuristic for l-diversity on 400,000 census rows by 7 QI
columns, and the dual heuristics on 3 of these columns, in seconds.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from kept import write_rows

from starmin.heuristics.accuracy_constrained.accuracy_constrained import (
    accuracy_constrained,
)
from starmin.heuristics.accuracy_constrained.presets import iterative_direct
from starmin.heuristics.orders.along_curves import (
    gray_order,
    hilbert,
    hilbert_fast,
    idistance,
)
from starmin.heuristics.orders.hilbert_curve import hilbert_keys
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Objective,
    Requirement,
    Result,
    Scales,
    Table,
)
from starmin.instances.catalogue.generators import census
from starmin.models.one_dimensional.k_order import k_largest, k_mean
from starmin.models.one_dimensional.k_total import k_total

NUMERIC = ("age", "education")
ROUNDS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=10, help="millions, to sort")
    parser.add_argument("--write", type=Path, help="a folder for three CSV files")
    asked = parser.parse_args()
    for name, table in (
        ("sorting", against_sorting(round(asked.rows * 1e6))),
        ("curves", curves()),
        ("privacy", privacy()),
    ):
        lines = list(table)
        print("\n".join(["", *lines]), flush=True)
        file = f"one_dimensional_{name}.csv"
        write_rows(asked.write and asked.write / file, lines)


def curves() -> Iterator[str]:
    """Each method at k = 50 and at l = 10."""
    yield "| method | k = 50: loss | k = 50: s | l = 10: loss | l = 10: s |"
    yield "|---" * 5 + "|"
    for method in (hilbert, hilbert_fast, idistance, gray_order, mondrian):
        cells = [show(method, asked) for asked in (KAnonymity(50), LDiversity(10))]
        yield f"| {method.__name__} | {' | '.join(cells)} |"


def privacy() -> Iterator[str]:
    """The methods of the accuracy-constrained problem, by the bound."""
    names = "AC | AC: s | IPCSD-1D | IPCSD-1D: s | IPCSD-Mondrian | IPCSD-Mondrian: s"
    yield f"| E | {names} |"
    yield "|---" * 7 + "|"
    for bound in (0.2, 0.4, 0.6):
        yield f"| {bound} | {' | '.join(duals(bound))} |"


def against_sorting(n: int) -> Iterator[str]:
    """Each program in units of the time that sorting takes."""
    rng = np.random.default_rng(0)
    values = np.sort(rng.integers(0, 2**40, n))
    shuffled = rng.permutation(values)
    points = rng.integers(0, 128, (n, 7)).astype(np.int32)
    works: dict[str, Callable[[], object]] = {
        "sum of extents, k = 10": lambda: k_total(values, 10),
        "largest extent, k = 10": lambda: k_largest(values, 10),
        "mean extent, k = 10": lambda: k_mean(values, 10),
        "Hilbert keys, 7 x 7 bits": lambda: hilbert_keys(points, 7),
    }
    yield "| program | rows | s | times numpy.sort | least | most |"
    yield "|---" * 6 + "|"
    for name, work in works.items():
        work()
        ratios, seconds = [], []
        for _ in range(ROUNDS):
            base = cpu(lambda: np.sort(shuffled))
            seconds.append(cpu(work))
            ratios.append(seconds[-1] / base)
        middle = f"{statistics.median(seconds):.3f} | {statistics.median(ratios):.2f}"
        ends = f"{min(ratios):.2f} | {max(ratios):.2f}"
        yield f"| {name} | {n:,} | {middle} | {ends} |"


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def people(n: int) -> tuple[Table, Objective]:
    """A new table, without cached row types."""
    table = census(n)
    return table, Objective("gcp", scales=Scales.of(table, NUMERIC))


def show(method: Callable[..., Result], requirement: Requirement) -> str:
    """Return two cells: what is lost, and processor seconds."""
    table, gcp = people(2000)
    method(table, requirement, objective=gcp)
    table, gcp = people(400_000)
    used = time.process_time()
    result = method(table, requirement, objective=gcp)
    used = time.process_time() - used
    return f"{result.value / gcp.whole(table):.3f} | {used:.1f}"


def duals(bound: float) -> Iterator[str]:
    """Yield the privacy of each method, and its processor seconds."""
    columns = ["age", "education", "birth_place"]
    table = census(400_000).with_roles(columns, ["occupation"])
    gcp = Objective("gcp", scales=Scales.of(table, columns))

    def along(table: Table, asked: Requirement, objective: Objective) -> Result:
        return hilbert_fast(table, asked, objective=objective)

    def split(table: Table, asked: Requirement, objective: Objective) -> Result:
        return mondrian(table, asked, objective=objective)

    for work in (
        lambda: accuracy_constrained(table, bound, objective=gcp),
        lambda: iterative_direct(table, bound, along, objective=gcp),
        lambda: iterative_direct(table, bound, split, objective=gcp, whole=False),
    ):
        used = time.process_time()
        found = work()
        yield f"{float(found.privacy):.2f}"
        yield f"{time.process_time() - used:.1f}"


if __name__ == "__main__":
    main()
