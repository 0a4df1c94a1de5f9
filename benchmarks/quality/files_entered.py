"""How many of our files a command enters: those with a function that it calls.

    python benchmarks/quality/files_entered.py TABLE.csv

For ``solve --method pattern_annealing``, ``verify`` of its release and ``anonymize`` of
the same table. Each is called once before, so that imports do not count; compiled loops
do not either.
"""

import contextlib
import inspect
import io
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import starmin
from starmin.cli.app import main as command_line

ROOT = Path(starmin.__file__).resolve().parents[1]
FLOORS = ("starmin", "verify", "heuristics", "models", "instances")


def entered(call: Callable[[], Any]) -> set[str]:
    """Return the files of the five floors that have a function which is called."""
    names = set[str]()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            names.add(frame.f_code.co_filename)  # a function's; no body of a class

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    files = {Path(name).resolve() for name in names if name.endswith(".py")}
    ours = {f.relative_to(ROOT).as_posix() for f in files if f.is_relative_to(ROOT)}
    return {name for name in ours if name.split("/")[0] in FLOORS}


def command(words: list[str]) -> None:
    """Run the command line with these words."""
    sys.argv = ["starmin", *words]
    with contextlib.suppress(SystemExit):
        command_line()


def main() -> None:
    """Print the number of files of each floor, by command."""
    import pandas as pd  # type: ignore[import-untyped]

    table = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        release, frame = f"{folder}/release.csv", pd.read_csv(table, dtype=str)
        solve = ["solve", table, "--k", "2", "--method", "pattern_annealing"]
        calls: dict[str, Callable[[], Any]] = {
            "solve": lambda: command([*solve, "--time-limit", "5", "--out", release]),
            "verify": lambda: command(["verify", release, "--original", table]),
            "anonymize": lambda: starmin.anonymize(frame, k=2, time_limit=5),
        }
        for name, call in calls.items():
            entered(call)
            found = entered(call)
            parts = [f"{f} {sum(n.startswith(f) for n in found)}" for f in FLOORS]
            print(f"{name}: {len(found)} files ({', '.join(parts)})")


if __name__ == "__main__":
    main()
