"""Compare two commits on the fixed cases, and say which cases got worse.

    python benchmarks/history/compare.py BEFORE [AFTER]

AFTER is the commit that is checked out, if it is not named. What is measured is kept in
``history.jsonl`` beside this file, a line for each commit and case; a commit that is
there, measured on this machine, is not measured again. Others are checked out into a
folder of their own, and take turns: seconds are the least of several rounds. The exit
code is 1 where a value rose, a bound fell, a call failed, or one took much longer.
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cases import CASES, Case

HERE = Path(__file__).resolve().parent
HISTORY = HERE / "history.jsonl"
ROUNDS = 3
SLOWER, AT_LEAST = 1.3, 0.3  # times as long, and seconds more: less than that is noise

Row = dict[str, Any]


def git(*words: str) -> str:
    """Return what git says in this clone."""
    line = ["git", "-C", str(HERE), *words]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


def machine() -> str:
    """Name the kind of machine and the Python: seconds of others say nothing."""
    return f"{platform.machine()}, {os.cpu_count()} cores, {platform.python_version()}"


def kept(commit: str) -> dict[str, Row]:
    """Return the rows of a commit by case, as they were measured on this machine."""
    if not HISTORY.exists():
        return {}
    rows = map(json.loads, HISTORY.read_text().splitlines())
    mine = (r for r in rows if r["commit"] == commit and r["machine"] == machine())
    return {row["case"]: row for row in mine}


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Check a commit out into a folder of its own, which is removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "tree")
        git("worktree", "add", "--detach", str(place), commit)
        try:
            yield place
        finally:
            git("worktree", "remove", "--force", str(place))


def run(tree: Path) -> dict[str, Row]:
    """Run the cases once with the sources of a tree."""
    said = subprocess.run(
        [sys.executable, "-P", str(HERE / "record.py")],
        env={**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{HERE}"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    return {row["case"]: row for row in map(json.loads, said.splitlines())}


def fastest(rounds: Sequence[Row]) -> Row:
    """Return the row of the round that took least; a failure where all failed.

    Examples
    --------
    >>> fastest([{"seconds": 2.0}, {"seconds": 1.0}, {"error": "none"}])
    {'seconds': 1.0}
    """
    return min(rounds, key=lambda row: row.get("seconds", math.inf))


def measure(commits: Sequence[str], rounds: int) -> None:
    """Add the rows of these commits to the history, taking turns."""
    with ExitStack() as stack:
        trees = {c: stack.enter_context(checked_out(c)) for c in commits}
        for tree in trees.values():
            run(tree)  # compiles what is not compiled yet
        found: dict[str, list[dict[str, Row]]] = {commit: [] for commit in commits}
        for _ in range(rounds):
            for commit, tree in trees.items():
                found[commit].append(run(tree))
    now = datetime.now(UTC).date().isoformat()
    with HISTORY.open("a", encoding="utf-8") as file:
        for commit, done in found.items():
            about = {"commit": commit, "date": now, "machine": machine()}
            for case in CASES:
                row = fastest([each[case.name] for each in done])
                file.write(json.dumps(about | row) + "\n")


def worse(case: Case, before: Row, after: Row) -> list[str]:
    """Say in what a case got worse.

    Examples
    --------
    >>> case = Case("c", "solve", "hospital")
    >>> one = {"value": 6, "bound": 6, "certified": 6, "seconds": 1.0}
    >>> worse(case, one, one | {"value": 5, "seconds": 1.2})
    []
    >>> worse(case, one, one | {"value": 7, "bound": 5, "seconds": 1.5})
    ['value 6 -> 7', 'bound 6 -> 5', 'seconds 1.0 -> 1.5']
    >>> worse(case, one, {"error": "ValueError: no"})
    ['ValueError: no']
    """
    if "error" in after:
        return [] if "error" in before else [after["error"]]
    told = []
    for name, sign in (("value", 1), ("bound", -1), ("certified", -1)):
        was, now = before.get(name), after[name]
        if was is None:
            continue
        if now is None or sign * (now - was) > case.slack * abs(was):
            told.append(f"{name} {was} -> {now}")
    was, now = before.get("seconds", math.inf), after["seconds"]
    if now > SLOWER * was and now > was + AT_LEAST:
        told.append(f"seconds {was} -> {now}")
    return told


def compare(before: str, after: str) -> int:
    """Print each case of two commits; how many got worse."""
    first, second = kept(before), kept(after)
    count = 0
    for case in CASES:
        if case.name not in first or case.name not in second:
            continue
        told = worse(case, first[case.name], second[case.name])
        count += bool(told)
        print(f"{case.name:<18} {'WORSE: ' + ', '.join(told) if told else 'as good'}")
    return count


def main(words: Sequence[str] | None = None) -> int:
    """Measure what is missing, and compare; 1 where a case got worse."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", help="a commit")
    parser.add_argument("after", nargs="?", default="HEAD", help="another one")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args(words)
    commits = [git("rev-parse", each).strip() for each in (asked.before, asked.after)]
    names = {case.name for case in CASES}
    missing = [c for c in dict.fromkeys(commits) if not names <= kept(c).keys()]
    if missing:
        measure(missing, asked.rounds)
    return int(compare(*commits) > 0)


if __name__ == "__main__":
    sys.exit(main())
