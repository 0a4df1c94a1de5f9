"""The example of Murakami and Uno, and their phase 2 to its end beside short searches.

    python benchmarks/papers/matching_settings.py [--write docs/data]

prints the stars of three kinds of release of the example (``instance:murakami-uno``,
k = 2), and of ``two_phase`` on census tables: after phase 1, with short searches, and
with the paper's search to its end, with processor seconds. ``--write`` keeps both as
``nonhomogeneous_example.csv`` and ``nonhomogeneous_phase_2.csv``.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from kept import write_rows

import starmin
from starmin.heuristics.nonhomogeneous.two_phase import TwoPhaseParams, two_phase
from starmin.instances import KAnonymity
from starmin.instances.catalogue.census import census

CASES = ((1_000, 3), (1_000, 6), (1_000, 10), (10_000, 3), (10_000, 10))
SETTINGS = (TwoPhaseParams(), TwoPhaseParams(to_the_end=True))


def example() -> Iterator[str]:
    """Each kind of release."""
    table = starmin.load_instance("murakami-uno")
    one = starmin.solve(table, k=2, method="single_dimensional")
    yield "| release | stars |"
    yield "|---|---|"
    yield f"| one recoding for all rows | {one.stats['recoded']} |"
    yield f"| groups | {starmin.solve(table, k=2).value} |"
    own = starmin.solve(table, k=2, recoding="nonhomogeneous")
    yield f"| without groups | {own.value} |"


def settings() -> Iterator[str]:
    """Each table, and the settings beside each other."""
    names = "short searches | short searches s | to the end | to the end s"
    yield f"| rows | k | phase 1 | {names} |"
    yield "|---" * 7 + "|"
    for rows, k in CASES:
        table = census(rows, "none")
        first = two_phase(table, KAnonymity(k), params=TwoPhaseParams(steps=0))
        cells = [f"{rows:,}", str(k), f"{first.value:,}"]
        for params in SETTINGS:
            began = time.process_time()
            found = two_phase(table, KAnonymity(k), params=params)
            cells += [f"{found.value:,}", f"{time.process_time() - began:.1f}"]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Print both tables, and keep them if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="a folder for two CSV files")
    folder = parser.parse_args().write
    for name, table in (("example", example()), ("phase_2", settings())):
        lines = list(table)
        print("\n".join(["", *lines]), flush=True)
        write_rows(folder and folder / f"nonhomogeneous_{name}.csv", lines)


if __name__ == "__main__":
    main()
