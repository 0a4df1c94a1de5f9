"""Runs of ``auto`` and of single methods on problems of the corpus, checked and kept.

    python benchmarks/corpus/run.py --out FOLDER --kind ranges --count 40 --seed 7
        [--methods auto,ruin_and_recreate] [--limits 6] [--jobs 1]

Each run is a call of ``anonymize``; its release is verified from its cells and its
certificate checked. A line for each is kept in FOLDER/runs.jsonl, and what is there is
not run again. FOLDER/best.json has the best value and the best certified bound known of
each problem; it rises whenever a run beats it. Seconds are those of the call, in a
process whose loops are compiled; use one job where times are to be believed.
"""

import argparse
import json
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from problems import KINDS, names, problem

Line = dict[str, Any]


class Task(NamedTuple):
    """One run."""

    problem: str
    method: str
    limit: float


def main() -> None:
    """Run what is not in the store, and raise what is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--kind", choices=[*KINDS], required=True)
    parser.add_argument("--count", type=int, default=40, help="problems")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", default="auto")
    parser.add_argument("--limits", default="6", help="seconds")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    store = asked.out / "runs.jsonl"
    done = {_task(line) for line in lines_of(store)}
    tasks = [
        Task(name, method, float(limit))
        for name in names(asked.kind, asked.count, asked.seed)
        for limit in asked.limits.split(",")
        for method in asked.methods.split(",")
    ]
    left = [task for task in tasks if task not in done]
    with (
        ProcessPoolExecutor(asked.jobs) as pool,
        store.open("a", encoding="utf-8") as file,
    ):
        for line in pool.map(run, left):
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(told(line), file=sys.stderr, flush=True)
    raise_best(asked.out / "best.json", lines_of(store))


def lines_of(store: Path) -> Iterator[Line]:
    """Read what is kept."""
    if store.exists():
        with store.open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def _task(line: Line) -> Task:
    return Task(line["problem"], line["method"], line["limit"])


def told(line: Line) -> str:
    """Say how a run ended."""
    ended = line.get("fault") or line.get("refused") or line["status"]
    return (
        f"{line['problem']} {line['method']} {line['limit']:g} s: {line.get('value')} "
        f"{line.get('certified')} {ended}"
    )


def run(task: Task) -> Line:
    """Solve a problem by a method, and check what it says."""
    import starmin

    line: Line = task._asdict()
    try:
        drawn = problem(task.problem)
        line |= {"table": drawn.table, "rows": len(drawn.frame), "asked": drawn.asked}
        line["trees"] = list(drawn.trees)
        call = drawn.call | {"method": task.method, "time_limit": task.limit, "seed": 0}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            begun = time.perf_counter()
            release = starmin.anonymize(drawn.frame, **call)
            line["seconds"] = round(time.perf_counter() - begun, 3)
            line |= facts(release, drawn.frame)
    except Exception as error:
        refused = type(error).__name__ in ("TableError", "NotSupportedError")
        line["refused" if refused else "fault"] = (
            str(error) if refused else traceback.format_exc()
        )
    return line


def facts(release: Any, frame: Any) -> Line:
    """Return value, bound and history of a release, and whether they hold."""
    shown = release.solution.problem.shown
    said: Line = {
        "status": str(release.status),
        "value": release.value,
        "bound": release.lower_bound,
        "certified": release.certified_bound,
        "found_by": release.method,
        "history": [
            [round(p.seconds, 3), shown(p.value), shown(p.lower_bound)]
            for p in release.history
        ],
    }
    if release.value is None:
        return said
    check = release.verify()
    if not (check.holds and check.consistent):
        said["fault"] = "the release is not valid, or not of this table"
    proof = None if release.certified_bound is None else release.certificate
    if proof is not None and not proof.check(frame).accepted:
        said["fault"] = "the certificate is refused"
    return said


def raise_best(path: Path, lines: Iterator[Line]) -> None:
    """Raise what is known of each problem."""
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for line in lines:
        if "fault" in line or line.get("value") is None:
            continue
        best = known.setdefault(line["problem"], {"value": None, "bound": None})
        if best["value"] is None or line["value"] < best["value"]:
            best |= {"value": line["value"], "value_by": _by(line)}
        bound = line["certified"]
        if bound is not None and (best["bound"] is None or bound > best["bound"]):
            best |= {"bound": bound, "bound_by": _by(line)}
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")


def _by(line: Line) -> str:
    return f"{line['method']}, {line['limit']:g} s"


if __name__ == "__main__":
    main()
