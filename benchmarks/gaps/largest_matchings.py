"""The largest tables whose best non-homogeneous release each exact method proves.

    python benchmarks/gaps/largest_matchings.py --store FILE [--seconds 60] [--k 3]
        [--tables random-4,census-8] [--seeds 2] [--print] [--write FILE.csv]

``random-D`` has D independent columns, some values more frequent than others, and
``census-D`` is the generator of that name. Each method climbs a ladder of rows, and
proves a rung if it proves it for all seeds, each within so many *processor* seconds of
all its threads, so that a machine that others use at the same time changes little. A
run that has more is killed, which ends the ladder of its method. Rows are appended to
the store, and finished ones are not repeated; ``--print`` measures nothing.
"""

import argparse
import csv
import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from kept import write_rows

from starmin.instances import KAnonymity, NotSupportedError, Result, Table
from starmin.instances.catalogue.generators import census
from starmin.models.nonhomogeneous.matching_cp_sat import matching_cp_sat
from starmin.models.nonhomogeneous.matching_flow_tree import matching_flow_tree
from starmin.models.nonhomogeneous.matching_mip import matching_mip

METHODS: dict[str, Callable[..., Result]] = {
    "matching_flow_tree": matching_flow_tree,
    "matching_mip": matching_mip,
    "matching_cp_sat": matching_cp_sat,
}
LADDER = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192)
COLUMNS = ("table", "k", "rows", "seed", "method", "limit", "proven", "value", "cpu")
Store = dict[tuple[str, ...], dict[str, str]]


def table_of(name: str, rows: int, seed: int) -> Table:
    """Return a table of a kind and a number of columns."""
    kind, _, d = name.partition("-")
    if kind == "census":
        table = census(rows, sensitive="none", seed=seed)
        return table.take(np.arange(rows)).drop(table.qi[int(d) :])
    rng = np.random.default_rng(seed)
    cells = np.minimum(*rng.integers(0, 4, (2, rows, int(d))))
    names = [f"column {j}" for j in range(int(d))]
    return Table.from_rows(names, cells.astype(str).tolist(), names)


def attempt(table: Table, k: int, method: str, seconds: int, send: Connection) -> None:
    """Solve, killed when the processor time is spent; say what is proven."""
    began = time.process_time()
    spent = int(began) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (spent + seconds, spent + seconds))
    try:
        found = METHODS[method](table, KAnonymity(k), time_limit=100.0 * seconds)
    except NotSupportedError:
        send.send((False, None, 0.0))
        return
    worked = time.process_time() - began
    proven = found.status.value == "optimal" and worked <= seconds
    send.send((proven, found.value, worked))


def measured(
    table: Table, k: int, method: str, seconds: int
) -> tuple[bool, int | None, float]:
    """Return whether the optimum is proven, its value, and processor seconds."""
    fork = multiprocessing.get_context("fork")
    receive, send = fork.Pipe(duplex=False)
    process = fork.Process(target=attempt, args=(table, k, method, seconds, send))
    process.start()
    send.close()
    try:
        found: tuple[bool, int | None, float] = receive.recv()
    except EOFError:  # killed
        found = False, None, float(seconds)
    process.join()
    return found


def climb(name: str, given: argparse.Namespace, store: Store) -> None:
    """Climb the ladders of a kind of table; all that end must agree."""
    for method in METHODS:
        for rows, seed in ((n, s) for n in LADDER for s in range(given.seeds)):
            limit = str(given.seconds)
            key = (name, str(given.k), str(rows), str(seed), method, limit)
            if key not in store:
                table = table_of(name, rows, seed)
                found = measured(table, given.k, method, given.seconds)
                proven, value, cpu = found
                row = (*key, str(proven), str(value if proven else "-"), f"{cpu:.1f}")
                append(given.store, row)
                store[key] = dict(zip(COLUMNS, row, strict=True))
                print(*row, flush=True)
            if store[key]["proven"] != "True":
                break


def append(path: Path, row: tuple[str, ...]) -> None:
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, row] if new else [row])


def read(path: Path) -> Store:
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {tuple(row[c] for c in COLUMNS[:6]): row for row in csv.DictReader(file)}


def lines(store: Store, seeds: int, seconds: int) -> Iterator[str]:
    """Yield the largest rung that each method proves in time, and what ended that."""
    head = "largest proven, rows | processor s | not proven, rows"
    yield f"| table | k | method | {head} |"
    yield "|---|---|---|---:|---:|---|"
    for name, k, method in dict.fromkeys(
        (row["table"], row["k"], row["method"]) for row in store.values()
    ):
        asked = {"table": name, "k": k, "method": method, "limit": str(seconds)}
        rows = [row for row in store.values() if asked.items() <= row.items()]
        failed = [int(row["rows"]) for row in rows if row["proven"] != "True"]
        end = min(failed, default=LADDER[-1] + 1)
        done = [row for row in rows if int(row["rows"]) < end]
        most = max((int(row["rows"]) for row in done), default=0)
        cpus = [row["cpu"] for row in done if int(row["rows"]) == most]
        spent = " to ".join(
            dict.fromkeys(sorted(cpus, key=float)[:: max(1, seeds - 1)])
        )
        ended = end if failed else "-"
        yield f"| {name} | {k} | {method} | {most} | {spent} | {ended} |"


def differ(store: Store) -> list[tuple[str, ...]]:
    """Return the tables for which two methods prove two values; there are none."""
    values: dict[tuple[str, ...], set[str]] = {}
    for key, row in store.items():
        if row["proven"] == "True":
            values.setdefault(key[:4], set()).add(row["value"])
    return [table for table, each in values.items() if len(each) > 1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--tables", default="random-4,census-8")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--write", type=Path, help="a CSV file of the table")
    given = parser.parse_args()
    store = read(given.store)
    if not given.only_print:
        for name in given.tables.split(","):
            climb(name, given, store)
    table = [*lines(store, given.seeds, given.seconds)]
    print("\n".join(table))
    write_rows(given.write, table)
    assert not differ(store), differ(store)


if __name__ == "__main__":
    main()
