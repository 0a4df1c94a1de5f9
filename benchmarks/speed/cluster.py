r"""A table in parts on one machine, on a cluster, as workers die, and killed itself.

    python benchmarks/speed/cluster.py --out FOLDER --rows 0.3,1 \
        --write docs/data/cluster.csv

For each number of millions of rows ``census`` with eight columns is written as a folder
of four Parquet files and solved for k = 5 in eight parts:

- alone, in one process, by two threads;
- on a Dask cluster of two processes with one thread each, by the same seed;
- on such a cluster whose workers are killed in each phase, by the first task of each
  kind: count, own costs, list, price, anneal, publish, compare, re-check;
- alone with a limit of time and a checkpoint; and so again, but killed by signal 9
  after half of that time, and called again.

The first three end after a number of moves and steps, so they find the same value and
bound. Each release is verified with the original and the certificate. Steps that ended
well are lines of FOLDER/cluster.jsonl and are not repeated; ``--write`` puts the table
on a page.
"""

import argparse
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kept import write_rows
from scale import Said, Store, run

from starmin.instances.runs.safe_start import safe_start

HEAD = (
    "| rows | row types | run | seconds | stars | proven bound | gap | verify |\n"
    + "|---" * 8
    + "|"
)
RUNS = {
    "alone": "one process, two threads",
    "cluster": "two workers",
    "killed": "two workers, one killed in each phase",
    "limited": "one process, {limit:.0f} seconds",
    "resumed": "the same, killed after {half:.0f} seconds, called again",
}
_WORKER = Path(__file__).parent / "cluster_run.py"
_SECONDS = 60  # of the runs with a limit, for each million of rows


def main() -> None:
    """Measure what the store does not have; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--rows", default="0.3,1", help="in millions")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    lines = [HEAD]
    for rows in (int(float(millions) * 1e6) for millions in asked.rows.split(",")):
        store = Store(asked.out / "cluster.jsonl", rows)
        lines += measure(rows, asked.out / f"{rows / 1e6:g}", store)
    print("\n".join(lines))
    write_rows(asked.write, lines)


def measure(rows: int, folder: Path, store: Store) -> list[str]:
    """Take the steps of one table; return its lines."""
    folder.mkdir(exist_ok=True)
    limit = max(20.0, _SECONDS * rows / 1e6)
    solve = f"{folder} --seconds {limit}"

    def once(name: str, line: str) -> Said:
        return store.once(name, lambda: run(str(_WORKER), line))

    def on_cluster(name: str, line: str) -> Said:
        def go() -> Said:
            with cluster(folder) as address:
                return run(str(_WORKER), f"{line} --dask {address}")

        return store.once(name, go)

    store.once("table", lambda: run(str(_WORKER), f"table {folder} --rows {rows}"))
    once("alone", f"alone {folder}")
    on_cluster("cluster", f"cluster {folder}")
    on_cluster("killed", f"killed {folder} --kill")
    once("limited", f"limited {solve}")

    def resumed() -> Said:
        return killed_and_resumed(f"resumed {solve}", folder, limit / 2)

    store.once("resumed", resumed)
    found = {name: store.steps[name] for name in RUNS}
    same = {(found[name]["value"], found[name]["bound"]) for name in list(RUNS)[:3]}
    if len(same) > 1 or not all(each["accepted"] for each in found.values()):
        sys.exit(f"refused: {found}")
    return [
        f"| {rows:,} | {each['types']:,} "
        f"| {RUNS[name].format(limit=limit, half=limit / 2)} "
        f"| {each['seconds']:.0f} | {each['value']:,} | {each['bound']:,} "
        f"| {each['value'] / each['bound'] - 1:.2%} | accepts, {each['check']:.0f} s |"
        for name, each in found.items()
    ]


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Start a scheduler and two workers, which are started again when they die."""
    from distributed import LocalCluster

    local = folder / "dask"
    with (
        safe_start(),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=str(local),
        ) as started,
    ):
        yield str(started.scheduler_address)
    shutil.rmtree(local, ignore_errors=True)


def killed_and_resumed(line: str, folder: Path, seconds: float) -> Said:
    """Kill a run after some seconds, call it again; return what it says then.

    Its seconds are those of both.
    """
    shutil.rmtree(folder / "checkpoint", ignore_errors=True)
    words = [*line.split(), "--checkpoint", str(folder / "checkpoint")]
    with subprocess.Popen(
        [sys.executable, str(_WORKER), *words], stdout=subprocess.DEVNULL
    ) as first:
        time.sleep(seconds)
        first.send_signal(signal.SIGKILL)
    said = run(str(_WORKER), " ".join(words))
    return {**said, "seconds": said["seconds"] + seconds}


if __name__ == "__main__":
    main()
