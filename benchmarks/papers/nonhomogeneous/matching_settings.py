"""The example of Murakami and Uno, and their phase 2 to its end beside short searches.

    python benchmarks/papers/nonhomogeneous/matching_settings.py [--write docs/data]

prints the stars of three kinds of release of the example (``instance:murakami-uno``,
k = 2), and of ``two_phase`` on census tables: after phase 1, with short searches, and
with the paper's search to its end, with processor seconds. ``--write`` keeps both as
``nonhomogeneous_example.csv`` and in ``nonhomogeneous_phase_2.csv``, where the rows of
100,000 are those of ``nonhomogeneous_by_k.py``.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from kept import merge_rows, write_rows
from nonhomogeneous import lines

import starmin
from starmin.heuristics.nonhomogeneous.two_phase import TwoPhaseParams, two_phase
from starmin.instances import KAnonymity
from starmin.instances.catalogue.generators import census

CASES = ((1_000, 3), (1_000, 6), (1_000, 10), (10_000, 3), (10_000, 10))
SETTINGS = {
    "short searches": TwoPhaseParams(),
    "to the end": TwoPhaseParams(to_the_end=True),
}


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


def settings() -> Iterator[dict[str, str]]:
    """Each table, and the settings beside each other."""
    for rows, k in CASES:
        table = census(rows, "none")
        first = two_phase(table, KAnonymity(k), params=TwoPhaseParams(steps=0))
        row = {"rows": f"{rows:,}", "k": str(k), "phase 1": f"{first.value:,}"}
        for name, params in SETTINGS.items():
            began = time.process_time()
            found = two_phase(table, KAnonymity(k), params=params)
            row |= {name: f"{found.value:,}"}
            row |= {f"{name} s": f"{time.process_time() - began:.1f}"}
        yield row


def main() -> None:
    """Print both tables, and keep them if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="a folder for two CSV files")
    folder = parser.parse_args().write
    shown, rows = list(example()), list(settings())
    print("\n".join(["", *shown, "", *lines(rows)]))
    write_rows(folder and folder / "nonhomogeneous_example.csv", shown)
    merge_rows(folder and folder / "nonhomogeneous_phase_2.csv", rows, ("rows", "k"))


if __name__ == "__main__":
    main()
