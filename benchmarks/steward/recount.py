"""Counts what a report says again, from the original and the release alone.

    python benchmarks/steward/recount.py BEFORE AFTER REPORT --qi A,B,.. [--weight W]
        [--check 'y ~ a + b'] [--verified JSON] [--groups GROUPS]

Plain Python: nothing of ours is imported. The bound is the one that ``verify --json``
finds by the certificate; groups are those of ``--groups``. Exit code 1: a figure is
another. Figures that are on the page and that nothing here counts are listed.
"""

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from figures_of_cells import Figure, of_classes, of_columns, of_hierarchies, of_risk
from figures_of_inference import of_inferences
from figures_of_model import of_model
from figures_of_pairs import of_pairs, of_worth
from figures_of_release import (
    of_drawings,
    of_promise,
    of_settings,
    of_utility,
    of_value,
    of_verdict,
)
from report_page import ReportPage, read, unit
from two_files import TwoFiles


def figures(
    files: TwoFiles, page: ReportPage, asked: argparse.Namespace
) -> Iterator[Figure]:
    """Yield each figure: what it is, what the page says, what is counted."""
    yield from of_verdict(files, page)
    yield from of_promise(files, page)
    yield from of_settings(page)
    yield from of_risk(files, page)
    yield from of_worth(files, page)
    yield from of_pairs(files, page)
    yield from of_columns(files, page)
    yield from of_hierarchies(files, page)
    yield from of_drawings(files, page)
    yield from of_classes(files, page)
    yield from of_inferences(files, page)
    yield from of_model(files, page, asked.check)
    yield from of_utility(files, page)
    if asked.groups:
        bound = None
        if asked.verified:
            bound = json.loads(asked.verified.read_text())["certificate"]["share"]
        with asked.groups.open(newline="") as file:
            groups = len({row["group"] for row in csv.DictReader(file)})
        yield from of_value(files, page, bound, groups)


def same(shown: object, counted: object) -> bool:
    """Check a figure: to all digits that are printed, or that are kept."""
    if isinstance(shown, str) and isinstance(counted, int | float):
        return abs(read(shown) - counted) <= 0.501 * unit(shown)
    if isinstance(shown, int | float) and isinstance(counted, int | float):
        return abs(shown - counted) <= 1e-6 * max(1.0, abs(counted))
    if isinstance(shown, list) and isinstance(counted, list):
        return all(map(same, shown, counted))
    return shown == counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("before", "after", "report"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--qi", required=True)
    for name in ("weight", "check"):
        parser.add_argument(f"--{name}")
    for name in ("verified", "groups"):
        parser.add_argument(f"--{name}", type=Path)
    asked = parser.parse_args()
    files = TwoFiles(asked.before, asked.after, asked.qi.split(","), asked.weight)
    page = ReportPage(asked.report)
    wrong = right = 0
    for what, shown, counted in figures(files, page, asked):
        if same(shown, counted):
            right += 1
        else:
            wrong += 1
            print(f"{what}: the page says {shown}, counted {counted}")
    left = page.left(list(files.before[0]))
    print(f"{right} figures are as counted, {wrong} are not, {len(left)} not counted")
    for text in left:
        print("not counted:", text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
