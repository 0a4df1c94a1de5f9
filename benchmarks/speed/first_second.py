"""How long it takes to start: to import, to show the help, to solve a small table.

    python benchmarks/speed/first_second.py [--times 5]
        [--write docs/data/first_second.csv]

Each line is a process of its own, run several times; the median of its seconds is
printed beside what it may take. Compiled loops are read from the disk from the second
time on. *Cold* is once, with no compiled loop on the disk.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kept import write_rows

TEN = ["-m", "starmin", "solve", "instance:hospital", "--quiet"]
# Name, arguments of Python, seconds that it may take.
CASES = (
    ("import starmin", ["-c", "import starmin"], 0.05),
    ("starmin --help", ["-m", "starmin", "--help"], 0.5),
    ("ten rows, k = 2", [*TEN, "--k", "2"], 1.2),
    ("ten rows, l = 2", [*TEN, "--l", "2"], 1.2),
)
COLD = ("ten rows, k = 2, cold", [*TEN, "--k", "2"], 3.0)
_EMPTY = ["-c", "pass"]  # what Python itself takes


def seconds(arguments: list[str], times: int, loops: str | None = None) -> float:
    """Return the median of the seconds that a process takes."""
    own = {} if loops is None else {"NUMBA_CACHE_DIR": loops}
    took = []
    for _ in range(times):
        began = time.perf_counter()
        line = [sys.executable, *arguments]
        subprocess.run(line, capture_output=True, check=True, env={**os.environ, **own})
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    given = parser.parse_args()
    empty = seconds(_EMPTY, given.times)
    print(f"Python itself takes {empty:.3f} s, which is deducted from `import`.")
    lines = ["| what | seconds | bar |", "|---|---|---|"]
    for name, arguments, bar in CASES:
        took = seconds(arguments, given.times)
        if name.startswith("import"):
            took -= empty
        lines.append(f"| {name} | {took:.2f} | {bar:g} |")
    name, arguments, bar = COLD
    with tempfile.TemporaryDirectory() as loops:
        lines.append(f"| {name} | {seconds(arguments, 1, loops):.2f} | {bar:g} |")
    print("\n".join(lines))
    write_rows(given.write, lines)


if __name__ == "__main__":
    main()
