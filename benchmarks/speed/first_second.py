"""How long it takes to start: to import, to show the help, to solve a small table.

    python benchmarks/speed/first_second.py [--times 5]

Each line is a process of its own, run several times; the median of its seconds is
printed beside what it may take. Compiled loops are read from the disk from the second
time on.
"""

import argparse
import statistics
import subprocess
import sys
import time

# Name, arguments of Python, seconds that it may take.
CASES = (
    ("import starmin", ["-c", "import starmin"], 0.05),
    ("starmin --help", ["-m", "starmin", "--help"], 0.5),
    (
        "ten rows, k = 2",
        ["-m", "starmin", "solve", "instance:hospital", "--k", "2", "--quiet"],
        1.2,
    ),
    (
        "ten rows, l = 2",
        ["-m", "starmin", "solve", "instance:hospital", "--l", "2", "--quiet"],
        1.2,
    ),
)
_EMPTY = ["-c", "pass"]  # what Python itself takes


def seconds(arguments: list[str], times: int) -> float:
    """Return the median of the seconds that a process takes."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    empty = seconds(_EMPTY, given.times)
    print(f"Python itself takes {empty:.3f} s, which is deducted from `import`.")
    print("| what | seconds | bar |\n|---|---|---|")
    for name, arguments, bar in CASES:
        took = seconds(arguments, given.times)
        if name.startswith("import"):
            took -= empty
        print(f"| {name} | {took:.3f} | {bar:g} |", flush=True)


if __name__ == "__main__":
    main()
