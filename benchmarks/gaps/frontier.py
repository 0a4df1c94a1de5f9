"""What more privacy costs on Adult: the curve of the documentation, in one command.

    python benchmarks/gaps/frontier.py DATA --out docs/data/frontier.csv

runs ``starmin frontier`` on the eight columns of Adult but salary-class and copies the
numbers it writes, which ``docs/site/pictures/frontier.py`` draws; with ``--one`` it
measures each k alone as well, with half of the time, and prints value, bound and gap
of both. ``--seconds`` are for all k together.
"""

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

from solve_cases import command

KS = (2, 3, 5, 10, 25)


def show(name: str, found: dict[str, Any], seconds: float) -> None:
    """Print one line."""
    print(
        f"{name:<14} {found['value']:>8,} {found['lower_bound']:>8,} "
        f"{found['gap']:>7.2%} {seconds:>6.0f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of the real tables")
    parser.add_argument("--out", type=Path, help="a CSV file")
    parser.add_argument("--seconds", type=float, default=120.0, help="for all k")
    parser.add_argument("--one", action="store_true", help="measure each k alone")
    asked = parser.parse_args()
    table = (str(asked.data / "adult.csv"), "--drop", "salary-class")
    if asked.one:
        for k in KS:
            limit = str(asked.seconds / 2)
            found = command(["solve", *table, "--k", str(k), "--time-limit", limit])[0]
            show(f"k = {k} alone", found, found["runtime"])
    ks = ",".join(map(str, KS))
    with tempfile.TemporaryDirectory() as folder:
        limit = str(asked.seconds)
        words = ("--k", ks, "--time-limit", limit, "--out", folder)
        found = command(["frontier", *table, *words])[0]
        for point in found["points"]:
            show(f"k = {point['k']}", point, found["runtime"])
        if asked.out is not None:
            shutil.copy(Path(folder) / "frontier.csv", asked.out)


if __name__ == "__main__":
    main()
