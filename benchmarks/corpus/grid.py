"""``auto`` over made tables of all shapes, beside six single methods.

    python benchmarks/corpus/grid.py --out FOLDER --seed 7 [--count 300] [--seconds 5]
        [--first 0] [--singles 1] [--write docs/data]

Each run is a call of ``anonymize`` in a process of its own, which has compiled loops
and all modules from its parent. Its release is verified from its cells and its
certificate checked. Single methods run where ``auto`` has left a gap: what is proven
cannot be beaten. Lines are kept in FOLDER/SEED.jsonl, and what is there is not run
again. The summary says how many shapes are behind, late, without a bound, or use more
memory than their table and two gigabytes; each of these is named. Seconds are those of
search and check; to read the table, and to tell what the release shows, is not in the
time limit. Without ``--seconds`` each shape has 1, 5 or 30. ``--write``
keeps what all seeds in FOLDER say as ``shapes*.csv``; of docs/data the page and its
picture are made anew, too.
"""

import argparse
import json
import multiprocessing
import random
import resource
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas
from kept import markdown, remake, write_rows
from run import facts
from shapes import Shape, shape

import starmin
import starmin.frames.anonymize as anonymize

Line = dict[str, Any]
Row = dict[str, str]
FOR_STARS = (
    "large_neighbourhood",
    "ruin_and_recreate",
    "local_search",
    "box_program",
    "column_generation",
    "simplex_matching",
)
FOR_LOSSES = (*FOR_STARS[:4], "branch_and_bound", "simplex_matching")
FOR_TUPLES = (
    "tuple_ilp",
    "local_search",
    "lexicographic_suppression",
    "mondrian",
    "top_down",
    "hilbert_suppression",
)
LIMITS = (1.0, 5.0, 30.0)
BEHIND, SLIGHTLY = 0.05, 0.01  # shares of the best value
LATE, LATE_SHARE = 0.5, 0.05  # seconds, and a share of the limit
GIGABYTES = 2.0
_KILLED = 120.0  # Seconds after its limit a run is ended.


def main() -> None:
    """Run what is not in the store, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, help="of all; else 1, 5 or 30")
    parser.add_argument("--singles", type=int, default=1, help="0: auto alone")
    parser.add_argument("--write", type=Path, help="a folder for CSV files")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    store = asked.out / f"{asked.seed}.jsonl"
    done = {line["shape"]: line for line in kept(store)}
    prepare()
    with store.open("a", encoding="utf-8") as file:
        for number in range(asked.first, asked.first + asked.count):
            name = f"{asked.seed}/{number}"
            if name not in done:
                seconds = asked.seconds or random.Random(name).choice(LIMITS)
                done[name] = measure(shape(name), seconds, bool(asked.singles))
                file.write(json.dumps(done[name]) + "\n")
                file.flush()
                print(told(done[name]), file=sys.stderr, flush=True)
    print(*summary([*done.values()]), sep="\n")
    if asked.write:
        every = [
            line for each in sorted(asked.out.glob("*.jsonl")) for line in kept(each)
        ]
        write_rows(asked.write / "shapes.csv", markdown([*map(row, every)]))
        write_rows(asked.write / "shapes_shares.csv", markdown([*shares(every)]))
        remake(asked.write, ("results_pages.py", "shapes"), ("pictures/shapes.py",))


def kept(store: Path) -> list[Line]:
    """Read the lines of a file, if there is one."""
    if not store.exists():
        return []
    return [*map(json.loads, store.read_text("utf-8").splitlines())]


def prepare() -> None:
    """Load modules and compiled loops, which all runs then have."""
    frame = pandas.DataFrame(
        {"a": [*"xxyyzz"] * 4, "b": [*"123456"] * 4, "s": [*"pqr"] * 8}
    )
    for call in (
        {"k": 3},
        {"k": 2},
        {"k": 2, "objective": "tuples"},
        {"l": 2, "sensitive": "s"},
        {"k": 3, "numeric": ["b"], "recoding": "generalization"},
        {"l": 3, "sensitive": "s", "numeric": ["b"], "recoding": "generalization"},
    ):
        starmin.anonymize(frame, qi=["a", "b"], time_limit=1.0, display=False, **call)


def measure(drawn: Shape, seconds: float, singles: bool) -> Line:
    """Run ``auto``, and single methods where it has left a gap."""
    line: Line = {"shape": drawn.name, "told": repr(drawn), "seconds": seconds}
    line |= {"rows": drawn.rows, "columns": drawn.columns, "recoding": drawn.recoding}
    line |= {"asked": drawn.asked, "extra": drawn.extra}
    line["auto"] = in_child(run, drawn, "auto", seconds)
    line["singles"] = {}
    if singles and line["auto"].get("status") == "feasible":
        names = {"stars": FOR_STARS, "tuples": FOR_TUPLES}
        for method in names.get(drawn.recoding, FOR_LOSSES):
            line["singles"][method] = in_child(run, drawn, method, seconds)
    return line


def in_child(work: Callable[..., Line], *words: Any) -> Line:
    """Call a function in a process of its own; its last word is a limit in seconds."""
    seconds = words[-1]
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=lambda: there.send(work(*words)))
    child.start()
    there.close()
    try:
        if here.poll(seconds + _KILLED):
            return here.recv()
        return {"fault": f"ended after {seconds + _KILLED:g} seconds"}
    except EOFError:
        return {"fault": "the process died"}
    finally:
        child.kill()
        child.join()


def run(drawn: Shape, method: str, seconds: float) -> Line:
    """Call ``anonymize``; return value, bound, seconds and gigabytes."""
    line: Line = {}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            took = [0.0]
            anonymize.solve_problem = timed(anonymize.solve_problem, took)
            release = starmin.anonymize(
                drawn.frame,
                **drawn.call,
                method=method,
                time_limit=seconds,
                seed=0,
                display=False,
            )
            line["took"] = round(took[-1], 3)
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            line["gigabytes"] = round((after - before) / 2**20, 3)
            line |= facts(release, drawn.frame) if method == "auto" else {}
            line |= {"status": str(release.status), "value": release.value}
            line |= {"bound": release.lower_bound, "certified": release.certified_bound}
    except Exception as error:
        refused = type(error).__name__ in ("TableError", "NotSupportedError")
        why = str(error) if refused else traceback.format_exc()
        line["refused" if refused else "fault"] = why
    return line


def timed(call: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    """Note how long each call takes."""

    def noted(*args: Any, **options: Any) -> Any:
        begun = time.perf_counter()
        try:
            return call(*args, **options)
        finally:
            seconds.append(time.perf_counter() - begun)

    return noted


def told(line: Line) -> str:
    """Say how ``auto`` did at a shape."""
    auto = line["auto"]
    if "fault" in auto or "refused" in auto:
        return (
            f"{line['told']}: {auto.get('refused') or auto['fault'].splitlines()[-1]}"
        )
    best = (
        min(
            (each["value"], name)
            for name, each in [("auto", auto), *line["singles"].items()]
            if each.get("value") is not None
        )
        if auto["value"] is not None
        else ("-", "-")
    )
    flags = [word for word, holds in marks(line).items() if holds]
    return (
        f"{line['told']} {line['seconds']:g} s: {auto['value']} / {auto['certified']} "
        f"{auto['status']} {auto['took']:.1f} s {auto['gigabytes']:.2f} GB, "
        f"best {best} {' '.join(flags).upper()}"
    )


def marks(line: Line) -> dict[str, bool]:
    """Say what is wrong with a run of ``auto``."""
    auto, limit = line["auto"], line["seconds"]
    if "value" not in auto:
        return {"fault": "fault" in auto}
    share = behind(line)
    return {
        "fault": "fault" in auto,
        "behind": share > BEHIND,
        "slightly": share > SLIGHTLY,
        "unbound": auto["status"] == "feasible" and not auto["certified"],
        "late": auto["took"] > limit * (1 + LATE_SHARE) + LATE,
        "large": line["rows"] < 5_000 and auto["gigabytes"] > GIGABYTES,
    }


def behind(line: Line) -> float:
    """Return by what share ``auto`` is above the best single method."""
    value = line["auto"].get("value")
    values = [each["value"] for each in line["singles"].values() if each.get("value")]
    return max(0.0, value / min(values) - 1) if value and values else 0.0


def row(line: Line) -> Row:
    """Tell a run of ``auto`` and the best of the single methods in words."""
    auto, told = line["auto"], marks(line)
    values = [
        (each["value"], name)
        for name, each in line["singles"].items()
        if each.get("value") is not None
    ]
    best, by = min(values, default=("-", "-"))
    return {
        "shape": line["shape"],
        "rows": f"{line['rows']}",
        "columns": f"{line['columns']}",
        "recoding": line["recoding"],
        "asked": line["asked"],
        "extra": line["extra"],
        "limit": f"{line['seconds']:g}",
        "seconds": f"{auto.get('took', '-')}",
        "GB": f"{auto.get('gigabytes', '-')}",
        "value": f"{auto.get('value', '-')}",
        "certified": f"{auto.get('certified', '-')}",
        "best other": f"{best}",
        "by": by,
        "behind %": f"{100 * behind(line):.2f}",
        "how": how(line),
        "marks": " ".join(word for word, holds in told.items() if holds) or "-",
    }


def how(line: Line) -> str:
    """Say in a word how ``auto`` stands beside single methods."""
    if line["auto"].get("value") is None:
        return "no release"
    if line["auto"]["status"] == "optimal":
        return "proven"
    share = behind(line)
    return "behind" if share > BEHIND else "slightly" if share > SLIGHTLY else "best"


def shares(lines: list[Line]) -> Iterator[Row]:
    """Count by recoding how ``auto`` stands, and what is wrong."""
    kinds = [*dict.fromkeys(sorted(line["recoding"] for line in lines)), "all"]
    for kind in kinds:
        own = [line for line in lines if kind in (line["recoding"], "all")]
        ways = Counter(map(how, own))
        wrong = Counter(
            word for line in own for word, is_so in marks(line).items() if is_so
        )
        yield {
            "recoding": kind,
            "shapes": f"{len(own)}",
            "no release": f"{ways['no release']}",
            "proven": f"{ways['proven']}",
            "best": f"{ways['best']}",
            "1 to 5 % behind": f"{ways['slightly']}",
            "more than 5 % behind": f"{ways['behind']}",
            "no bound": f"{wrong['unbound']}",
            "late": f"{wrong['late']}",
            "too large": f"{wrong['large']}",
            "faults": f"{wrong['fault']}",
        }


def summary(lines: list[Line]) -> Iterator[str]:
    """Yield figures, and the shapes that stand out."""
    solved = [line for line in lines if line["auto"].get("value") is not None]
    proven = sum(line["auto"]["status"] == "optimal" for line in solved)
    refused = sum("refused" in line["auto"] for line in lines)
    yield f"{len(lines)} shapes, {len(solved)} with a release, {refused} refused"
    yield f"proven: {proven}"
    for word in ("fault", "behind", "slightly", "unbound", "late", "large"):
        found = [line for line in lines if marks(line).get(word)]
        yield f"{word}: {len(found)}"
        yield from (f"    {told(line)}" for line in found)


if __name__ == "__main__":
    main()
