"""An original and its release, read with Python's csv: what each cell may stand for."""

import csv
import re
from collections import Counter
from datetime import date
from functools import cached_property
from pathlib import Path

Row = dict[str, str]
NO_VALUE = ("", "N/A")  # cells that say that nothing is known


class TwoFiles:
    """Both tables, with rows in the same order.

    Parameters
    ----------
    before, after
        Files of the original and of the release.
    qi
        The quasi-identifiers.
    weight
        The column that says how many people a row stands for; None: one.
    """

    def __init__(
        self, before: Path, after: Path, qi: list[str], weight: str | None
    ) -> None:
        self.before, self.after = _read(before), _read(after)
        self.n, self.qi, self.weight = len(self.before), qi, weight
        if len(self.after) != self.n:
            raise SystemExit(f"{after}: not as many rows as {before}")
        self.cells = {c: ColumnCells(c, self.before, self.after) for c in qi}
        self.weights = [float(row[weight]) if weight else 1.0 for row in self.before]

    def rows_alike(self, rows: list[Row]) -> dict[tuple[str, ...], list[int]]:
        """Return the numbers of the rows of each class of rows with the same cells."""
        found: dict[tuple[str, ...], list[int]] = {}
        for i, row in enumerate(rows):
            found.setdefault(tuple(row[c] for c in self.qi), []).append(i)
        return found

    @cached_property
    def classes(self) -> dict[tuple[str, ...], list[int]]:
        """The classes of the release."""
        return self.rows_alike(self.after)


class ColumnCells:
    """What the cells of a column may be: values of the original.

    Parameters
    ----------
    column, before, after
        Its name, and the rows of both tables.
    """

    def __init__(self, column: str, before: list[Row], after: list[Row]) -> None:
        self.column = column
        self.known = Counter(row[column] for row in before)
        self.published = Counter(row[column] for row in after)
        self.is_ranged = any(map(is_range, self.published.keys() - self.known.keys()))
        self._found: dict[str, tuple[str, ...]] = {}
        self.numbers = (
            sorted(place(v) for v in self.known if v not in NO_VALUE)
            if self.is_ranged
            else []
        )

    def all_of(self, cell: str) -> tuple[str, ...]:
        """Return the values that a cell may be."""
        if cell not in self._found:
            self._found[cell] = self._all_of(cell)
        return self._found[cell]

    def told(self, cell: str) -> tuple[str, ...]:
        """Return the same; empty: all it may be, so that nothing is told."""
        inside = self.all_of(cell)
        return () if len(inside) == len(self.known) > 1 else inside

    def _all_of(self, cell: str) -> tuple[str, ...]:
        if cell in self.known:
            return (cell,)
        if cell == "*":
            return tuple(self.known)
        if re.fullmatch(r"\w+\*", cell):  # what begins so
            return tuple(v for v in self.known if v.startswith(cell[:-1]))
        low, high = ends(cell)
        inside = (v for v in self.known if v not in NO_VALUE)
        return tuple(v for v in inside if low <= place(v) <= high)

    def loss(self, cell: str) -> float:
        """Return the share of the domain that a cell may be, 0 for one value."""
        if cell == "*":
            return 1.0
        if cell in self.known:
            return 0.0
        if self.is_ranged:
            low, high = ends(cell)
            return (high - low) / self.width
        return len(self.all_of(cell)) / len(self.known)

    @cached_property
    def width(self) -> float:
        """The width of the domain: of the values, and of the ranges around them."""
        around = [ends(cell) for cell in self.published if is_range(cell)]
        low = min(self.numbers[0], *(least for least, _ in around))
        high = max(self.numbers[-1], *(most for _, most in around))
        return high - low


def _read(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


_RANGE = r"\[?(-?[\d.]+)-(-?[\d.]+)\]?"
_DAY = r"\d{4}-\d\d-\d\d"


def is_range(cell: str) -> bool:
    """Check whether a cell is a range of numbers or of dates."""
    return bool(re.fullmatch(_RANGE, cell) or re.fullmatch(rf"{_DAY}\.\.{_DAY}", cell))


def ends(cell: str) -> tuple[float, float]:
    """Return the ends of a range, of numbers or dates."""
    if re.fullmatch(rf"{_DAY}\.\.{_DAY}", cell):
        low, high = cell.split("..")
        return place(low), place(high)
    if found := re.fullmatch(_RANGE, cell):
        return float(found[1]), float(found[2])
    raise SystemExit(f"what is {cell!r}?")


def place(value: str) -> float:
    """Return a number or a date as a number."""
    if re.fullmatch(_DAY, value):
        return float(date.fromisoformat(value).toordinal())
    return float(value)
