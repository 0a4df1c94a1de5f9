"""Cells of a paper's table or figure, looked up in what is kept of the experiments.

The stores are the files of docs/data, which pages of results are made of, and those of
best known values. A cell is there if its row and its column are and it holds a number;
nothing else is believed. What a paper shows and where that would be kept is declared in
``reproduced_items.py``.
"""

import csv
import json
import re
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parents[2]
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Cells:
    """A rectangle of cells that an item of a paper has.

    Attributes
    ----------
    page, data
        The page under docs that shows them, and the CSV file of docs/data that has all.
    where
        Columns of that file and what they hold in all of these rows.
    rows, columns
        The keys of all rows and all columns that the paper shows.
    key
        The columns of the file whose cells, joined by commas, are the key of a row.
    across
        The column of the file that says which column a cell is of, its value being in
        the last one; empty: the columns are those of the file.
    """

    page: str
    data: str
    where: tuple[tuple[str, str], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    key: tuple[str, ...]
    across: str = ""

    def wanted(self) -> int:
        return len(self.rows) * len(self.columns)

    def absent(self, home: Path) -> list[tuple[str, str]]:
        """Return the row and column of each cell that is not in the store."""
        kept = self._kept(home / "docs" / "data" / f"{self.data}.csv")
        return [
            (row, column)
            for row in self.rows
            for column in self.columns
            if not NUMBER.search(kept.get((row, column), ""))
        ]

    def _kept(self, path: Path) -> dict[tuple[str, str], str]:
        if not path.exists():
            return {}
        found: dict[tuple[str, str], str] = {}
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if any(row[column] != cell for column, cell in self.where):
                    continue
                key = ", ".join(row[column] for column in self.key)
                if self.across:
                    found[key, row[self.across]] = [*row.values()][-1]
                else:
                    found |= {(key, column): cell for column, cell in row.items()}
        return found


@dataclass(frozen=True)
class Blocks:
    """Tables that are solved block by block, of which not all need be measured.

    Attributes
    ----------
    data
        The CSV file of docs/data that says how many are.
    tables, orders
        Which tables, and whether they are ``sorted`` or ``unsorted`` before cutting.
    """

    data: str
    tables: tuple[str, ...]
    orders: tuple[str, ...] = ("sorted",)

    def lacks(self, home: Path) -> str:
        """Say of which tables a part is measured; nothing where all is."""
        with (home / "docs" / "data" / f"{self.data}.csv").open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if self._asks(row)]
        fewest: dict[tuple[str, str], tuple[int, int]] = {}
        for row in rows:
            key, new = (row["table"], row["rows"]), (int(row["blocks"]), int(row["of"]))
            fewest[key] = min(new, fewest.get(key, new))
        told: dict[str, list[str]] = {}
        for (table, order), (blocks, of) in fewest.items():
            if blocks < of:
                told.setdefault(f"{blocks} of {of} blocks, {order}", []).append(table)
        return "; ".join(f"{', '.join(names)}: {what}" for what, names in told.items())

    def _asks(self, row: dict[str, str]) -> bool:
        return (
            row["method"] == "two_phase"
            and row["table"] in self.tables
            and row["rows"] in self.orders
        )


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

    page = "reference/best_known"

    def wanted(self) -> int:
        return 1

    def absent(self, home: Path) -> list[tuple[str, str]]:
        path = home / "instances" / "best_known" / "best_known.json"
        records = json.loads(path.read_text("utf-8"))["problems"]
        proven = any(
            record["instance"] == self.instance
            and record["requirement"] == {"k": self.k}
            and "options" not in record
            and record["value"] == record["bound"] == self.stars
            for record in records
        )
        return [] if proven else [(self.instance, f"k = {self.k}")]
