"""Cells of a paper's table or figure, looked up in what is kept of the experiments.

The stores are the tables of the pages under docs and the files of best known values.
A cell is there if its row and its column are and it holds a number; nothing else is
believed. What a paper shows and where that would be kept is declared in
``reproduced_items.py``.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parents[2]
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Cells:
    """A rectangle of cells that an item of a paper has.

    Attributes
    ----------
    page, heading
        The page under docs and the whole line below which its table is.
    rows, columns
        The keys of all rows and the heads of all columns that the paper shows.
    head
        With which words the head of the first column begins; several tables below a
        heading are told apart by it.
    keys
        How many leading cells of a row, joined by commas, are its key.
    numbers
        How many numbers, such as a loss and its seconds, a cell must hold.
    """

    page: str
    heading: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    head: str = ""
    keys: int = 1
    numbers: int = 1

    def wanted(self) -> int:
        return len(self.rows) * len(self.columns) * self.numbers

    def absent(self, home: Path) -> list[tuple[str, str]]:
        """Return the row and column of each cell that is not in the store."""
        kept = self._table((home / "docs" / f"{self.page}.md").read_text("utf-8"))
        return [
            (row, column)
            for row in self.rows
            for column in self.columns
            if numbers(kept.get((row, column), "")) < self.numbers
        ]

    def _table(self, text: str) -> dict[tuple[str, str], str]:
        lines = text.splitlines()
        if self.heading not in lines:
            return {}
        for table in tables(lines[lines.index(self.heading) + 1 :]):
            head, _, *rows = table
            if head[0].startswith(self.head):
                return {
                    (", ".join(row[: self.keys]), column): cell
                    for row in rows
                    for column, cell in zip(head, row, strict=False)
                }
        return {}


@dataclass(frozen=True)
class BestKnown:
    """The optimum of an example, kept with its certificate.

    Attributes
    ----------
    instance, k, stars
        The example, the requirement, and the stars of the release that the paper shows.
    """

    instance: str
    k: int
    stars: int

    page = "best_known"
    numbers = 1

    def wanted(self) -> int:
        return 1

    def absent(self, home: Path) -> list[tuple[str, str]]:
        path = home / "instances" / "best_known" / f"{self.instance}.json"
        records = (
            json.loads(path.read_text("utf-8"))["records"] if path.exists() else []
        )
        proven = any(
            record["requirement"] == {"k": self.k}
            and record["value"] == record["bound"] == self.stars
            for record in records
        )
        return [] if proven else [(self.instance, f"k = {self.k}")]


def numbers(cell: str) -> int:
    """Return how many numbers a cell holds; those in parentheses are the paper's."""
    return len(NUMBER.findall(re.sub(r"\([^)]*\)", "", cell)))


def tables(lines: list[str]) -> Iterator[list[list[str]]]:
    """Yield the tables of Markdown up to the next heading, as lists of cells."""
    found: list[list[str]] = []
    for line in [*lines, "#"]:
        if line.startswith("|"):
            found.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        if len(found) > 1:
            yield found
        found = []
        if line.startswith("#") or re.fullmatch(r"\*\*[^*]*\*\*", line):
            return
