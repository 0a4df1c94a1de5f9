"""What more cores gain: value, bound, moves and price steps by the number of threads.

    python benchmarks/speed/cores.py [--threads 1,2,4,16] [--seconds 20] [--k 5]
        [--tables small,census] [--table FILE --qi a,b,..] [--seed 0] [--csv FILE]
        [--longer 1.6,7]

Each search runs in this process, one after the other, after a short one that loads the
compiled loops. ``busy`` is processor time by wall time: how many cores were at work.
A move is proposed by annealing, of the whole table or of a part; a price step sums the
choices of all patterns once, with cuts or without. ``--longer`` adds searches of one
thread that take so many times the seconds: what two and sixteen threads shall reach.
"""

import argparse
import csv
import functools
import importlib
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import starmin
from starmin.instances import Table
from starmin.instances.catalogue.catalogue import load_instance
from starmin.instances.runs.cores import usable_cores

TABLES = {
    "small": "census:n=30000,sensitive=none",
    "census": "census:n=1000000,sensitive=none",
}
HEAD = (
    *("table", "k", "threads", "seconds", "seed", "value", "bound", "gap_percent"),
    *("busy", "moves_per_second", "price_steps_per_second"),
)


class Counts:
    """How much was done, by kind; many threads count at a time."""

    def __init__(self) -> None:
        self._lock, self._of = Lock(), Counter[str]()

    def add(self, kind: str, number: int) -> None:
        with self._lock:
            self._of[kind] += number

    def take(self) -> Counter[str]:
        """Return what was counted since the last call."""
        with self._lock:
            counted, self._of = self._of, Counter()
        return counted


@contextmanager
def counted(counts: Counts) -> Iterator[None]:
    """Count moves and price steps of all searches inside."""
    hooks: list[tuple[str, str, str, Callable[..., int]]] = [
        (
            "starmin.heuristics.annealing.pattern_annealing.Annealer",
            "propose",
            "moves",
            lambda annealer, heat, batches=1: batches * annealer.batch,
        ),
        (
            "starmin.models.lagrangian_relaxation.lagrangian_function.LagrangianFunction",
            "__call__",
            "price steps",
            lambda *given: 1,
        ),
        (
            "starmin.models.pricing.cut_terms.CutTerms",
            "excess",
            "price steps",
            lambda *given: 1,
        ),
    ]
    kept = []
    for path, name, kind, number in hooks:
        module, _, owner = path.rpartition(".")
        of = getattr(importlib.import_module(module), owner)
        usual = getattr(of, name)
        kept.append((of, name, usual))
        setattr(of, name, _counting(usual, counts, kind, number))
    try:
        yield
    finally:
        for of, name, usual in kept:
            setattr(of, name, usual)


def _counting(
    usual: Callable[..., Any], counts: Counts, kind: str, number: Callable[..., int]
) -> Callable[..., Any]:
    @functools.wraps(usual)
    def call(*given: Any, **named: Any) -> Any:
        counts.add(kind, number(*given, **named))
        return usual(*given, **named)

    return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", default="1,2,4,16", help="with commas")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each search")
    parser.add_argument("--k", type=int, default=5, help="least size of a group")
    parser.add_argument("--tables", default="small,census", help=", ".join(TABLES))
    parser.add_argument("--table", type=Path, help="a CSV besides")
    parser.add_argument("--qi", default="", help="its columns; default: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--csv", type=Path, help="where figures are written, too")
    parser.add_argument("--longer", default="", help="factors, with commas")
    asked = parser.parse_args()
    threads = [int(each) for each in asked.threads.split(",")]
    plan = [(each, asked.seconds) for each in threads]
    factors = [float(each) for each in asked.longer.split(",") if each]
    plan += [(1, factor * asked.seconds) for factor in factors]
    print(f"{usable_cores()} cores, starmin {starmin.__version__}")
    print(("{:>8} {:>3}" + " {:>9}" * 9).format(*HEAD_SHORT), flush=True)
    counts, rows = Counts(), list[list[object]]()
    for name, table in _tables(asked):
        starmin.solve(table, asked.k, time_limit=min(4.0, asked.seconds))
        for workers, seconds in plan:
            with counted(counts):
                row = _measured(table, asked.k, workers, seconds, asked.seed, counts)
            rows.append([name, asked.k, workers, seconds, asked.seed, *row])
            line = "{:>8} {:>3} {:>9} {:>9g} {:>9} {:>9} {:>9} {:>9.3f} {:>9.2f}"
            print((line + " {:>9.0f} {:>9.1f}").format(*rows[-1]), flush=True)
    if asked.csv is not None:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([HEAD, *rows])


HEAD_SHORT = (
    *("table", "k", "threads", "seconds", "seed", "value", "bound", "gap %"),
    *("busy", "moves/s", "steps/s"),
)


def _tables(asked: argparse.Namespace) -> Iterator[tuple[str, Table]]:
    for name in filter(None, asked.tables.split(",")):
        yield name, load_instance(TABLES[name])
    if asked.table is not None:
        with asked.table.open(newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        qi = asked.qi.split(",") if asked.qi else names
        yield asked.table.stem[:8], Table.from_rows(names, rows, qi=qi)


def _measured(
    table: Table, k: int, workers: int, seconds: float, seed: int, counts: Counts
) -> tuple[object, ...]:
    """Search once; return value, bound, gap, and how much was done in a second."""
    counts.take()
    wall, used = time.perf_counter(), time.process_time()
    found = starmin.solve(table, k, time_limit=seconds, seed=seed, workers=workers)
    wall, used = time.perf_counter() - wall, time.process_time() - used
    done = counts.take()
    gap = 100 * (found.gap or 0.0)
    speed = (done["moves"] / wall, done["price steps"] / wall)
    return found.value, found.lower_bound, gap, used / wall, *speed


if __name__ == "__main__":
    main()
