"""How fast the one-dimensional framework is, as ratios measured in one run.

    python benchmarks/papers/one_dimensional_speed.py [--rows 10]

The programs for k-anonymity on sorted values, and the Hilbert keys of points of seven
coordinates, are compared with ``numpy.sort`` of the values in random order (the same
number of rows, second calls, processor time of this process, the median of several
rounds). Then Hilb and the heuristic for l-diversity on 400,000 census rows by 7 QI
columns, and the dual heuristics on 3 of these columns, in seconds.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from starmin.heuristics.accuracy_constrained.accuracy_constrained import (
    accuracy_constrained,
)
from starmin.heuristics.accuracy_constrained.iterative_direct import iterative_direct
from starmin.heuristics.mappings.hilbert_curve import hilbert_keys
from starmin.heuristics.orders.gray_order import gray_order
from starmin.heuristics.orders.hilbert import hilbert
from starmin.heuristics.orders.hilbert_fast import hilbert_fast
from starmin.heuristics.orders.idistance import idistance
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
from starmin.instances.catalogue.census import census
from starmin.models.one_dimensional.k_largest import k_largest
from starmin.models.one_dimensional.k_mean import k_mean
from starmin.models.one_dimensional.k_total import k_total

NUMERIC = ("age", "education")
ROUNDS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=10, help="millions, to sort")
    n = round(parser.parse_args().rows * 1e6)
    against_sorting(n)
    print(f"\n{'method':24} {'asked':>6} {'s':>8} {'cpu s':>8} {'GCP':>8}")
    for requirement in (KAnonymity(50), LDiversity(10)):
        for method in (hilbert, hilbert_fast, idistance, gray_order, mondrian):
            show(method, requirement)
    print(f"\n{'dual':24} {'bound':>6} {'s':>8} {'cpu s':>8} {'l':>8}")
    for bound in (0.2, 0.4, 0.6):
        show_duals(bound)


def against_sorting(n: int) -> None:
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
    print(f"{n:,} rows; processor seconds, and times numpy.sort in the same round")
    for name, work in works.items():
        work()
        ratios, seconds = [], []
        for _ in range(ROUNDS):
            base = cpu(lambda: np.sort(shuffled))
            seconds.append(cpu(work))
            ratios.append(seconds[-1] / base)
        print(
            f"{name:26} {statistics.median(seconds):8.3f} s {min(ratios):6.2f} to "
            f"{max(ratios):.2f}, median {statistics.median(ratios):.2f}"
        )


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def people(n: int) -> tuple[Table, Objective]:
    """A new table, without cached row types."""
    table = census(n)
    return table, Objective("gcp", scales=Scales.of(table, NUMERIC))


def show(method: Callable[..., Result], requirement: Requirement) -> None:
    table, gcp = people(2000)
    method(table, requirement, objective=gcp)
    table, gcp = people(400_000)
    started, used = time.perf_counter(), time.process_time()
    result = method(table, requirement, objective=gcp)
    seconds, used = time.perf_counter() - started, time.process_time() - used
    asked = ", ".join(f"{k}={v}" for k, v in requirement.as_json().items())
    lost = result.value / gcp.whole(table)
    print(f"{method.__name__:24} {asked:>6} {seconds:8.2f} {used:8.2f} {lost:8.4f}")


def show_duals(bound: float) -> None:
    columns = ["age", "education", "birth_place"]
    table = census(400_000).with_roles(columns, ["occupation"])
    gcp = Objective("gcp", scales=Scales.of(table, columns))

    def along(table: Table, asked: Requirement, objective: Objective) -> Result:
        return hilbert_fast(table, asked, objective=objective)

    def split(table: Table, asked: Requirement, objective: Objective) -> Result:
        return mondrian(table, asked, objective=objective)

    for name, work in {
        "AC": lambda: accuracy_constrained(table, bound, objective=gcp),
        "IPCSD-1D": lambda: iterative_direct(table, bound, along, objective=gcp),
        "IPCSD-Mondrian": lambda: iterative_direct(
            table, bound, split, objective=gcp, whole=False
        ),
    }.items():
        started, used = time.perf_counter(), time.process_time()
        found = work()
        seconds, used = time.perf_counter() - started, time.process_time() - used
        l = float(found.privacy)
        print(f"{name:24} {bound:6} {seconds:8.2f} {used:8.2f} {l:8.3f}")


if __name__ == "__main__":
    main()
