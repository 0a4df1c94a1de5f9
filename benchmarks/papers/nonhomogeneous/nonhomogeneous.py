"""Non-homogeneous k-anonymity: the tables and figures of Murakami and Uno 2018.

    python benchmarks/papers/nonhomogeneous/nonhomogeneous.py --out FOLDER [--workers 2]
        [--tables census-100k,normal10-100k] [--k 3,4] [--methods ring,two_phase]
        [--bound-seconds 180] [--sort] [--print] [--write docs/data/nonhomogeneous.csv]

For each table and k: GCP and time of the methods, beside the paper's; ``Gap``, by how
much rings are dearer than two-phase (Tables 8-18); ``LB_Gap``, by how much a method is
dearer than the best lower bound, and two-phase than the paper's own bound
(``own_star_set``, Figures 11 and 12); processor seconds. ``--sort`` measures instead
what sorting before cutting gains (Tables 19 and 20). Tables of more than 100,000 rows
are solved in blocks of 100,000. Each release is checked as it is measured. Each run
has a process of its own, so that its peak memory, the table included, is its own.

Rows are appended to ``FOLDER/nonhomogeneous.csv`` and ``FOLDER/sort.csv``, and finished
ones are not repeated: a run that was killed goes on, from its finished blocks too.
``--print`` prints the tables from these files and measures nothing. ``--write`` keeps
their cells in a CSV file beside those that are there; with ``--sort`` that is
docs/data/nonhomogeneous_sort.csv.
"""

import argparse
import csv
import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from kept import merge_rows

from starmin.commands.reproduce import SHOWN
from starmin.heuristics.nonhomogeneous.blocks import blocks
from starmin.heuristics.nonhomogeneous.rematching import rematching
from starmin.heuristics.nonhomogeneous.ring import ring
from starmin.heuristics.nonhomogeneous.two_phase import (
    TwoPhaseParams,
    freeform,
    two_phase,
)
from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.instances import (
    KAnonymity,
    NonHomogeneous,
    NonHomogeneousRelease,
    Result,
    Table,
)
from starmin.instances.catalogue.generators import census, normal
from starmin.models.nonhomogeneous.degree_prices import degree_prices
from starmin.models.nonhomogeneous.own_star_set import own_star_set
from starmin.verify.nonhomogeneous.matcher import check_matchings

SIZES = {
    "20k": 20_000,
    "100k": 100_000,
    "200k": 200_000,
    "300k": 300_000,
    "400k": 400_000,
    "500k": 500_000,
    "1m": 10**6,
    "10m": 10**7,
}
KINDS: dict[str, Callable[[int], Table]] = {
    "census": partial(census, sensitive="none"),
    "normal10": partial(normal, d=10, tenths=10),
    "normal15": partial(normal, d=10, tenths=15),
}
DEFAULT = "census-100k,normal10-100k,normal15-100k,normal10-1m,normal15-1m"
HEURISTICS = {"ring": ring, "two_phase": two_phase, "rematching": rematching}


def ring_suppression(table: Table, requirement: KAnonymity) -> Result[NonHomogeneous]:
    """Rings in the groups of a partition with fewer stars than the paper's."""
    groups = lexicographic_suppression(table, requirement).best
    return ring(table, requirement, initial=groups)


def to_the_end(table: Table, requirement: KAnonymity) -> Result[NonHomogeneous]:
    """Search cycles until there are none, as the paper does."""
    return two_phase(table, requirement, params=TwoPhaseParams(to_the_end=True))


BASELINES: dict[str, Callable[..., Result[NonHomogeneous]]] = {  # on demand
    "freeform": freeform,
    "ring_suppression": ring_suppression,
    "two_phase_to_the_end": to_the_end,
}
BOUNDS = {"own_star_set": own_star_set, "degree_prices": degree_prices}
COLUMNS = (
    "table",
    "k",
    "method",
    "value",
    "gcp",
    "seconds",
    "cpu",
    "peak_mb",
    "blocks",
)
BLOCK = 100_000


def printed(number: int) -> tuple[list[float], list[float]]:
    """Return GCP of rings and of two-phase, as a table of the paper has them."""
    name = f"Murakami, Uno: Table {number}"
    (paper,) = (each.paper for each in SHOWN if each.name == name)
    rings, phases = paper.values()
    return [*rings], [*phases]


# GCP of rings, of two-phase, and Gap in per cent, k = 3 .. 10 (Tables 8-18).
PAPER: dict[str, tuple[list[float], list[float], list[float]]] = {
    "census-100k": (*printed(8), [15.1, 12.9, 11.9, 11.6, 11.0, 11.1, 10.6, 10.5]),
    "census-200k": (*printed(9), [15.0, 13.6, 13.7, 12.3, 12.3, 12.0, 11.9, 11.7]),
    "census-300k": (*printed(10), [18.8, 16.9, 15.6, 15.3, 14.7, 14.4, 14.0, 13.2]),
    "census-400k": (*printed(11), [17.2, 16.1, 14.3, 13.9, 14.0, 14.3, 14.5, 13.3]),
    "census-500k": (*printed(12), [18.9, 17.8, 17.2, 17.5, 17.4, 17.3, 16.7, 17.0]),
    "normal10-100k": (*printed(13), [47.5, 36.4, 32.1, 26.6, 22.2, 18.7, 14.7, 13.2]),
    "normal15-100k": (*printed(14), [45.9, 35.7, 31.6, 25.0, 22.8, 19.6, 16.8, 14.5]),
    "normal10-1m": (*printed(15), [53.1, 49.7, 42.9, 41.2, 37.9, 36.1, 34.1, 32.1]),
    "normal15-1m": (*printed(16), [37.3, 29.9, 23.0, 18.1, 14.6, 11.7, 9.5, 7.5]),
    "normal10-10m": (*printed(17), [47.3, 44.2, 37.7, 35.6, 32.8, 30.9, 28.8, 27.0]),
    "normal15-10m": (*printed(18), [38.2, 30.3, 23.9, 20.1, 17.0, 14.6, 12.5, 10.6]),
}
# Gap_sort in per cent, k = 3 .. 10 (Tables 19 and 20).
PAPER_SORT: dict[str, list[float]] = {
    "census-200k": [19.3, 18.7, 19.2, 17.3, 17.0, 16.6, 16.7, 16.5],
    "census-300k": [37.7, 36.3, 34.8, 33.3, 31.9, 31.0, 30.0, 28.9],
    "census-400k": [48.1, 46.5, 43.7, 41.8, 40.8, 40.3, 39.8, 38.0],
    "census-500k": [91.9, 86.4, 82.7, 79.4, 76.5, 74.4, 71.7, 70.7],
    "normal10-1m": [14.9, 14.4, 12.3, 13.3, 12.1, 12.2, 12.2, 12.2],
    "normal15-1m": [38.8, 38.4, 37.0, 35.8, 35.2, 34.5, 34.1, 33.7],
    "normal10-10m": [101.9, 97.1, 92.1, 89.4, 87.0, 85.3, 83.9, 82.6],
    "normal15-10m": [136.5, 124.9, 117.0, 112.5, 109.1, 106.7, 104.4, 102.5],
}


class Measured:
    """A file of results, one row each, that grows."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.rows: dict[tuple[str, int, str], dict[str, str]] = {}
        if path.exists():
            with path.open(newline="") as file:
                for row in csv.DictReader(file):
                    self.rows[row["table"], int(row["k"]), row["method"]] = row

    def add(self, row: dict[str, Any]) -> None:
        new = not self.path.exists()
        with self.path.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if new:
                writer.writeheader()
            writer.writerow(row)
        text = {key: str(value) for key, value in row.items()}
        self.rows[row["table"], row["k"], row["method"]] = text

    def gcp(self, table: str, k: int, method: str) -> float | None:
        row = self.rows.get((table, k, method))
        return float(row["gcp"]) if row else None

    def cpu(self, table: str, k: int, method: str) -> str:
        row = self.rows.get((table, k, method))
        return row["cpu"] if row else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tables", default=DEFAULT)
    parser.add_argument("--k", default="3,4,5,6,7,8,9,10")
    parser.add_argument("--methods", default=",".join((*BOUNDS, *HEURISTICS)))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--bound-seconds", type=float, default=180.0)
    parser.add_argument("--sort", action="store_true")
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--write", type=Path, help="a CSV of all tables")
    given = parser.parse_args()
    tables = given.tables.split(",")
    ks = [int(k) for k in given.k.split(",")]
    measured = Measured(
        given.out / ("sort.csv" if given.sort else "nonhomogeneous.csv")
    )
    if not given.only_print:
        methods = ["sorted", "unsorted"] if given.sort else given.methods.split(",")
        for name in tables:
            measure(name, ks, methods, given, measured)
    rings = "ring_suppression" in given.methods.split(",")
    kept = sort_rows if given.sort else ring_rows if rings else gap_rows
    rows = [row for name in tables for row in kept(name, ks, measured)]
    for name, some in groupby(rows, key=lambda row: row["table"]):
        print("\n".join(["", f"**{name}**", "", *lines(list(some))]), flush=True)
    merge_rows(given.write, rows, ("table", "k"))


def measure(
    name: str,
    ks: list[int],
    methods: list[str],
    given: argparse.Namespace,
    measured: Measured,
) -> None:
    """Measure what is not in the file."""
    todo = [(k, m) for k in ks for m in methods if (name, k, m) not in measured.rows]
    if not todo:
        return
    kind, _, size = name.partition("-")
    table = KINDS[kind](SIZES[size])
    warm = table.take(np.arange(500))
    for method in HEURISTICS.values():
        method(warm, KAnonymity(3))
    folder = measured.path.parent / "blocks"
    for k, method in todo:
        if method == "degree_prices" and table.n > BLOCK:
            continue
        row = apart(partial(figures, table, k, method, given, folder))
        row = {"table": name, "k": k, "method": method, **row}
        measured.add(row)
        print(*row.values(), flush=True)


def apart(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Work in a process of its own, which shares the table with this one."""
    fork = multiprocessing.get_context("fork")
    receive, send = fork.Pipe(duplex=False)
    process = fork.Process(target=lambda: send.send(work()))
    process.start()
    send.close()  # so that a process that dies is noticed
    try:
        found: dict[str, Any] = receive.recv()
    finally:
        process.join()
    return found


def figures(
    table: Table, k: int, method: str, given: argparse.Namespace, folder: Path
) -> dict[str, Any]:
    """What a run found, and what it took."""
    started, worked = time.perf_counter(), cpu()
    result = run(table, k, method, given, folder)
    seconds, worked = time.perf_counter() - started, cpu() - worked
    peak = peak_mb()
    value = result.value if result.best else result.lower_bound
    assert value is not None
    check(table, k, result)
    return {
        "value": value,
        "gcp": f"{value / table.n / table.d:.5f}",
        "seconds": f"{seconds:.1f}",
        "cpu": f"{worked:.1f}",
        "peak_mb": peak,
        "blocks": result.stats.get("blocks", 1),
    }


def run(
    table: Table, k: int, method: str, given: argparse.Namespace, folder: Path
) -> Result[Any]:
    requirement = KAnonymity(k)
    if method in BOUNDS:
        limit = {} if method == "own_star_set" else {"time_limit": given.bound_seconds}
        return BOUNDS[method](table, requirement, **limit)
    known = HEURISTICS | BASELINES
    if method == "ring" or (table.n <= BLOCK and method in known):
        return known[method](table, requirement)
    return blocks(
        table,
        requirement,
        method=known.get(method, two_phase),
        block_size=BLOCK,
        sort=method != "unsorted",
        workers=given.workers,
        checkpoint=folder,
        display=True,
    )


def check(table: Table, k: int, result: Result[Any]) -> None:
    """Check the matchings of a release, by code that shares none with the methods."""
    if result.best is None:
        return
    published = NonHomogeneousRelease(table, result.best).published
    why = check_matchings(published, table, result.best.matchings)
    assert why is None and len(result.best.matchings) >= k, why


def cpu() -> float:
    """Seconds that this process and its finished workers have used."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + workers.ru_utime + workers.ru_stime


def peak_mb() -> int:
    """Of this process, and of the largest of its workers."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (own + workers) // 1024


def gap_rows(name: str, ks: list[int], measured: Measured) -> Iterator[dict[str, str]]:
    """Yield for each k GCP, gaps, and the paper's figures."""
    for k in ks:
        rings, two, ours = (measured.gcp(name, k, m) for m in HEURISTICS)
        if rings is None and two is None:
            continue
        own, prices = (measured.gcp(name, k, m) or 0.0 for m in BOUNDS)
        bound = max(own, prices) or None
        paper = [str(column[k - 3]) for column in PAPER.get(name, ()) if 3 <= k <= 10]
        theirs = paper or ["-"] * 3
        yield {
            "table": name,
            "k": str(k),
            "ring": cell(rings),
            "ring, paper": theirs[0],
            "two_phase": cell(two),
            "two_phase, paper": theirs[1],
            "Gap %": ahead(rings, two, 100, 1),
            "Gap %, paper": theirs[2],
            "rematching": cell(ours),
            "ahead of two_phase %": ahead(two, ours, 100, 1),
            "LB_Gap two_phase": ahead(two, bound, 1, 3),
            "LB_Gap rematching": ahead(ours, bound, 1, 3),
            "LB_Gap by own_star_set": ahead(two, own, 1, 3),
            "ring s": measured.cpu(name, k, "ring"),
            "two_phase s": measured.cpu(name, k, "two_phase"),
        }


def ring_rows(name: str, ks: list[int], measured: Measured) -> Iterator[dict[str, str]]:
    """Yield for each k GCP of rings in two partitions, beside matchings."""
    methods = ("ring", "ring_suppression", "two_phase", "rematching", "own_star_set")
    for k in ks:
        found = {method: measured.gcp(name, k, method) for method in methods}
        if any(found.values()):
            cells = {method: cell(value) for method, value in found.items()}
            yield {"table": name.partition("-")[0], "k": str(k), **cells}


def sort_rows(name: str, ks: list[int], measured: Measured) -> Iterator[dict[str, str]]:
    """Yield for each k what sorting before cutting gains."""
    for k in ks:
        kept, none = (measured.gcp(name, k, m) for m in ("sorted", "unsorted"))
        if kept is None and none is None:
            continue
        yield {
            "table": name,
            "k": str(k),
            "sorted": cell(kept),
            "unsorted": cell(none),
            "Gap_sort %": ahead(none, kept, 100, 1),
            "Gap_sort %, paper": str(PAPER_SORT[name][k - 3]),
        }


def lines(rows: list[dict[str, str]]) -> list[str]:
    """Return a table in Markdown."""
    head = list(rows[0])
    cells = [" | ".join(row.values()) for row in rows]
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|"] + [
        f"| {each} |" for each in cells
    ]


def cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def ahead(value: float | None, of: float | None, unit: int, digits: int) -> str:
    """By how much a value is above another one, as a share of that."""
    if value is None or not of:
        return "-"
    return f"{unit * (value - of) / of:.{digits}f}"


if __name__ == "__main__":
    main()
