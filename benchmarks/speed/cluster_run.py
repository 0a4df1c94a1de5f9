"""One run of ``cluster.py``: count, solve in parts, publish and verify, once.

    python benchmarks/speed/cluster_run.py NAME FOLDER [--dask ADDRESS] [--kill] ...

NAME is that of a run in ``cluster.RUNS``, or ``table``, which writes the table.
"""

import argparse
import json
import math
import os
import shutil
import signal
import time
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from starmin.heuristics.near_patterns.near_pattern_annealing import (
    near_pattern_annealing,
)
from starmin.heuristics.near_patterns.search_parts import NEAR_PATTERN_PARAMS
from starmin.instances import KAnonymity, write_table
from starmin.instances.catalogue.generators import census_part
from starmin.instances.runs.places import places
from starmin.instances.streams.count import Budget, count_rows
from starmin.instances.streams.publish_apart import publish_apart
from starmin.instances.streams.source import Source
from starmin.process.dask_workers import dask_workers
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.prices import node_prices as star_prices
from starmin.verify.releases.streamed import check_streamed_release

FILES, PARTS = 4, 8
K = KAnonymity(5)


class Deadly(Executor):
    """An executor whose tasks kill the worker that is the first to do their kind."""

    def __init__(self, inner: Executor, folder: Path) -> None:
        self.inner, self.folder = inner, folder

    def submit(self, fn: Any, /, *args: Any, **_: Any) -> "Future[Any]":
        name = getattr(args[0], "__name__", "") if args else ""
        flag = self.folder / f"killed-{name or fn.__name__}"
        return self.inner.submit(die_once, flag, fn, *args)


def die_once(flag: Path, fn: Any, *args: Any) -> Any:
    """Kill this process where no other was killed by a task of this kind."""
    try:
        flag.touch(exist_ok=False)
    except FileExistsError:
        return fn(*args)
    return os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Do what is asked and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--dask")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--checkpoint", type=Path)
    asked = parser.parse_args()
    if asked.name == "table":
        write(asked.folder / "table", asked.rows)
        print(json.dumps({"rows": asked.rows}))
        return
    executor: Executor | None = None
    workers, flags = None, asked.folder / "flags"
    shutil.rmtree(flags, ignore_errors=True)
    with ExitStack() as stack:
        if asked.dask is not None:
            executor, workers = stack.enter_context(dask_workers(asked.dask))
        if executor is not None and asked.kill:
            flags.mkdir()
            executor = Deadly(executor, flags)
        said = solved(asked, Budget(executor=executor, workers=workers))
    said["killed"] = sorted(path.name for path in flags.glob("*"))
    print(json.dumps(said))


def write(folder: Path, rows: int) -> None:
    """Write the table as a folder of files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cuts = [*range(0, rows, -(-rows // FILES // 4) * 4), rows]
    for number, (low, high) in enumerate(pairwise(cuts)):
        part = census_part(low, high, rows, sensitive="none")
        write_table(part, folder / f"{number}.parquet")


def solved(asked: argparse.Namespace, budget: Budget) -> dict[str, Any]:
    """Solve the table, publish and verify; return what was found, and the seconds."""
    started = time.perf_counter()
    source = Source.of(asked.folder / "table")
    release = asked.folder / f"{asked.name}-release"
    shutil.rmtree(release, ignore_errors=True)
    there: dict[str, Any] = {"executor": budget.executor, "workers": budget.workers}
    table = count_rows(source, source.names, (), budget)
    types = table.codes.shape[1]
    params = replace(NEAR_PATTERN_PARAMS, most_types=-(-2 * types // PARTS))
    if math.isinf(asked.seconds):  # one round of 500 steps of the prices
        params = replace(params, tolerance=math.inf, proposals=20)
    left = asked.seconds - (time.perf_counter() - started)
    found = near_pattern_annealing(
        table, K, time_limit=left, params=params, checkpoint=asked.checkpoint, **there
    )
    assert found.best is not None and found.certificate is not None
    with places(budget.executor, budget.workers, asked.folder) as where:
        publish_apart(source, table, found.best, release, where)
    solving = time.perf_counter() - started
    del table
    checked = time.perf_counter()
    files = Source.of(release)
    again = count_rows(files, source.names, (), budget)
    original = count_rows(source, source.names, (), budget)
    check = check_streamed_release(again, K, files, source, (), "*", *there.values())
    star_prices._MANY = 0  # re-check by ranges, however few row types there are
    with places(budget.executor, budget.workers) as where:
        proof = check_certificate(found.certificate, original, K, where=where)
    complete = again.n == original.n and check.stars == found.value
    return {
        "types": types,
        "value": found.value,
        "bound": found.lower_bound,
        "seconds": solving,
        "check": time.perf_counter() - checked,
        "accepted": complete
        and bool(check.holds and check.consistent and proof.accepted)
        and (proof.bound or 0) >= (found.lower_bound or 0),
    }


if __name__ == "__main__":
    main()
