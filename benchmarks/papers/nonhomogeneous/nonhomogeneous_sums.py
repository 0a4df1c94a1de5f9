"""Cells of the tables of Murakami and Uno, from the blocks that were measured.

Where all blocks of a table are measured their sum is the table's; its rings and bounds
are those of the whole, which are kept. Where some are, what two_phase and rings lose in
them stands for all, in proportion to the paper's bound of their rows and that of the
whole table, and seconds are multiplied; ``nonhomogeneous_blocks.csv`` says how many
there are.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kept import merge_rows, read_rows
from nonhomogeneous import PAPER, PAPER_SORT, gap_rows, sort_rows

OWN = "own_star_set"
SORTED = {"sorted": "sorted", "unsorted": "unsorted"}
KS = range(3, 11)
Row = dict[str, str]


class Sum(NamedTuple):
    """What a method finds in the blocks of a table."""

    blocks: int
    of: int
    stars: int
    n: int
    d: int
    cpu: float

    @property
    def gcp(self) -> float:
        return self.stars / self.n / self.d

    @property
    def complete(self) -> bool:
        return self.blocks == self.of


Sums = dict[tuple[str, str, int, str], Sum]


def sums(rows: list[Row]) -> Sums:
    """Return the sums by table, order of rows, k and method."""
    found: Sums = {}
    for row in rows:
        key = row["table"], row["rows"], int(row["k"]), row["method"]
        d = 8 if row["table"].startswith("census") else 10
        old = found.get(key, Sum(0, int(row["of"]), 0, 0, d, 0.0))
        stars, n = old.stars + int(row["stars"]), old.n + int(row["n"])
        cpu = old.cpu + float(row["cpu"])
        found[key] = old._replace(blocks=old.blocks + 1, stars=stars, n=n, cpu=cpu)
    return found


class Losses:
    """What is known of each method, of a whole table or of the same blocks."""

    def __init__(self, found: Sums, kept: list[Row]) -> None:
        self.found = found
        self.kept = {(row["table"], int(row["k"])): row for row in kept}

    def _sum(self, table: str, k: int, method: str) -> Sum | None:
        if method in SORTED:
            return self.found.get((table, method, k, "two_phase"))
        return self.found.get((table, "sorted", k, method))

    def _is_kept(self, table: str, k: int, column: str) -> bool:
        """Check for a kept cell of a whole table, which that of its blocks is not."""
        if self.kept.get((table, k), {}).get(column, "-") == "-":
            return False
        found = self._sum(table, k, "two_phase")
        if found is None:
            return True
        return found.complete and not column.startswith("two_phase")

    def gcp(self, table: str, k: int, method: str) -> float | None:
        if self._is_kept(table, k, method):
            return float(self.kept[table, k][method])
        found = self._sum(table, k, method)
        if found is None or found.complete or method == "unsorted":
            return None if found is None else found.gcp
        bound, part = (self._sum(table, k, name) for name in (OWN, f"{OWN}_of_blocks"))
        if bound is None or part is None:
            return None
        return found.gcp * bound.gcp / part.gcp

    def cpu(self, table: str, k: int, method: str) -> str:
        found = self._sum(table, k, method)
        if found is None or self._is_kept(table, k, f"{method} s"):
            return "-"
        return f"{found.cpu * found.of / found.blocks:.1f}"


def fill(rows: list[Row], folder: Path) -> None:
    """Put what blocks tell into the CSV files that pages are made of."""
    found = sums(rows)
    losses = Losses(found, read_rows("nonhomogeneous", folder))
    large = [name for name in PAPER if not name.endswith("-100k")]
    told = [row for name in large for row in gap_rows(name, [*KS], losses)]
    merge_rows(folder / "nonhomogeneous.csv", told, ("table", "k"))
    both = Losses(found, [])
    told = [
        row | {"blocks": _blocks(found, name, int(row["k"]))}
        for name in PAPER_SORT
        for row in sort_rows(name, [*KS], both)
        if "-" not in (row["sorted"], row["unsorted"])
    ]
    path = folder / "nonhomogeneous_sort.csv"
    path.unlink(missing_ok=True)  # so that rows are in order
    merge_rows(path, told, ("table", "k"))
    path = folder / "nonhomogeneous_phase_2.csv"
    merge_rows(path, to_the_end(found), ("rows", "k"))


def _blocks(found: Sums, name: str, k: int) -> str:
    """Say how many blocks were measured, sorted ones and unsorted ones."""
    both = [found[name, how, k, "two_phase"] for how in SORTED]
    return f"{both[0].blocks} and {both[1].blocks} of {both[0].of}"


def to_the_end(found: Sums) -> Iterator[Row]:
    """Yield both settings of the second phase, of 100,000 rows."""
    names = {"two_phase": "short searches", "two_phase_to_the_end": "to the end"}
    for k in KS:
        each = {
            method: found.get(("census-100k", "sorted", k, method))
            for method in ("first_phase", *names)
        }
        first = each.pop("first_phase")
        if None not in each.values():
            row = {"rows": "100,000", "k": str(k)}
            row["phase 1"] = "-" if first is None else f"{first.stars:,}"
            for method, name in names.items():
                told = each[method]
                assert told is not None
                row |= {name: f"{told.stars:,}", f"{name} s": f"{told.cpu:.1f}"}
            yield row
