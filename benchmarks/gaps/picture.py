"""Value and bound of one run, as they come together: the numbers of a picture.

    python benchmarks/gaps/picture.py TABLE --out docs/value_and_bound.csv -- --k 5

runs ``starmin solve`` on a table with the options after ``--`` and keeps what it prints
while it searches; ``docs/site/pictures/value_and_bound.py`` draws that.
"""

import argparse
import csv
import subprocess
import sys
from pathlib import Path

Point = tuple[float, int | None, int | None]


def measure(table: str, options: list[str]) -> list[Point]:
    """Seconds, value and bound, each time that one of them improved."""
    line = [sys.executable, "-m", "starmin", "solve", table, *options]
    said = subprocess.run(line, capture_output=True, text=True, check=True).stderr
    points = []
    for words in map(str.split, said.splitlines()):
        if len(words) == 4 and words[0].endswith("s") and words[0][:1].isdigit():
            numbers = [word.replace(",", "") for word in words[1:3]]
            value, bound = (int(x) if x.isdecimal() else None for x in numbers)
            points.append((float(words[0][:-1].replace(",", "")), value, bound))
    return points


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", help="a file, or instance:NAME")
    parser.add_argument("--out", type=Path, required=True, help="a CSV file")
    parser.epilog = "After --: options of starmin solve."
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    asked, options = parser.parse_args(sys.argv[1:at]), sys.argv[at + 1 :]
    points = measure(asked.table, options)
    with asked.out.open("w", newline="") as file:
        csv.writer(file).writerows(points)


if __name__ == "__main__":
    main()
