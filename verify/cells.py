"""What the cells of a released column stand for, read from their texts alone."""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from instances import Table, TableError, Taxonomy

Text = str | None

Ends = tuple[Decimal, Decimal]

MAX_LENGTH = 1000  # of a number or range; what is longer is refused
_EXACT = 4 * MAX_LENGTH  # digits that sums and differences of such numbers need

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)", re.ASCII)
RANGE = re.compile(rf"\[({NUMBER.pattern})-({NUMBER.pattern})\]", re.ASCII)


class Cells(ABC):
    """The meaning of the cells of one column."""

    @abstractmethod
    def loss(self, text: Text) -> Fraction:
        """The normalized certainty penalty of a cell, from 0 to 1."""

    def lost(self, counts: Mapping[Text, int]) -> Fraction:
        """The penalties of all cells, given how often each text occurs."""
        return sum((n * self.loss(text) for text, n in counts.items()), Fraction(0))

    @abstractmethod
    def covers(self, text: Text, value: Text) -> bool:
        """Whether a cell may stand for a value of the original."""


@dataclass(frozen=True)
class PlainCells(Cells):
    """A cell is its value, or the star, which stands for all."""

    star: str = "*"

    def loss(self, text: Text) -> Fraction:
        return Fraction(text == self.star)

    def covers(self, text: Text, value: Text) -> bool:
        return text in (value, self.star)


@dataclass(frozen=True)
class NumericCells(Cells):
    """A cell is a number, a range of numbers as ``[35-45]``, or the star.

    Attributes
    ----------
    star
        Stands for all numbers.
    least, greatest
        The ends of the domain.

    Examples
    --------
    >>> cells = NumericCells("*", Decimal(0), Decimal(40))
    >>> cells.loss("[-5-5.0]"), cells.covers("[-5-5.0]", "4.9")
    (Fraction(1, 4), True)
    """

    star: str
    least: Decimal
    greatest: Decimal

    def loss(self, text: Text) -> Fraction:
        return self.lost({text: 1})

    def lost(self, counts: Mapping[Text, int]) -> Fraction:
        stars, length = 0, Decimal(0)
        with localcontext(prec=_EXACT):
            for text, n in counts.items():
                ends = _ends(text)
                if ends is None:
                    stars += n
                elif ends[0] != ends[1]:
                    length += n * (ends[1] - ends[0])
            width = self.greatest - self.least
        return stars + Fraction(length) / (Fraction(width) or 1)

    def covers(self, text: Text, value: Text) -> bool:
        if text in (value, self.star):
            return True
        ends, number = _range(text), _number(value)
        return ends is not None and number is not None and ends[0] <= number <= ends[1]


@dataclass(frozen=True)
class TaxonomyCells(Cells):
    """A cell is a leaf of a tree, a node above leaves, or the star: the root."""

    star: str
    taxonomy: Taxonomy

    @cached_property
    def below(self) -> dict[str, int]:
        """How many leaves each node has below it; a leaf 1."""
        return Counter(node for path in self.taxonomy.paths for node in set(path))

    @cached_property
    def above(self) -> Mapping[Text, frozenset[str]]:
        """For each leaf the nodes on the path to the root, itself included."""
        return {path[0]: frozenset(path) for path in self.taxonomy.paths}

    def loss(self, text: Text) -> Fraction:
        total = len(self.taxonomy.paths)
        leaves = self.below.get(text or "", total)
        return Fraction(leaves if leaves > 1 else 0, total)

    def covers(self, text: Text, value: Text) -> bool:
        nodes = self.above.get(value)
        if nodes is None:
            return False
        return text in nodes or (text == self.star and text not in self.below)


def read_cells(
    released: Table,
    numeric: Iterable[str],
    taxonomies: Mapping[str, Taxonomy],
    star: str = "*",
) -> dict[str, Cells]:
    """The meaning of the cells of each QI column of a release by generalization.

    Parameters
    ----------
    released
        The release.
    numeric
        QI columns of numbers and ranges. A domain is what the cells of the column
        cover, the stars apart: all of the original's, for the ranges of a release
        begin and end at values that occur.
    taxonomies
        Trees of other QI columns.
    star
        The symbol of a suppressed cell.

    Raises
    ------
    TableError
        A column that is not a QI column, or a cell that cannot be what it should.

    Examples
    --------
    >>> released = Table.from_rows(["age"], [["[30-40]"], ["70"]], qi=["age"])
    >>> read_cells(released, ["age"], {})["age"].loss("[30-40]")
    Fraction(1, 4)
    """
    numeric = tuple(numeric)
    for column in (*numeric, *taxonomies):
        if column not in released.qi:
            raise TableError(
                f"{released.name}: column {column!r} is declared numeric or has a "
                f"hierarchy but is not a QI column; these are: {', '.join(released.qi)}"
            )
        if column in numeric and column in taxonomies:
            raise TableError(
                f"{released.name}: column {column!r} is declared numeric and has a "
                "hierarchy; expected one of them"
            )
    meanings: dict[str, Cells] = {}
    for column in released.qi:
        if column in numeric:
            meanings[column] = _numeric(released, column, star)
        elif column in taxonomies:
            meanings[column] = _nodes(released, column, taxonomies[column], star)
        else:
            _expect_no_range(released, column)
            meanings[column] = PlainCells(star)
    return meanings


def lost_cells(released: Table, cells: Mapping[str, Cells]) -> Fraction:
    """The losses of all QI cells together."""
    lost = Fraction(0)
    for column in released.qi:
        counts = np.bincount(released.column(column)).tolist()
        texts = released.dictionary(column)
        found = {text: n for text, n in zip(texts, counts, strict=False) if n}
        lost += cells[column].lost(found)
    return lost


def _numeric(released: Table, column: str, star: str) -> NumericCells:
    found: list[Decimal] = []
    for text in _present(released, column):
        if text == star:
            continue
        ends = _ends(text)
        if ends is None or ends[0] > ends[1]:
            what = f"a number, a range as [35-45] or the star {star!r}"
            raise _misread(released, column, text, what)
        found += ends
    return NumericCells(
        star, min(found, default=Decimal(0)), max(found, default=Decimal(0))
    )


def _nodes(
    released: Table, column: str, taxonomy: Taxonomy, star: str
) -> TaxonomyCells:
    cells = TaxonomyCells(star, taxonomy)
    if cells.below.get(star, len(taxonomy.paths)) < len(taxonomy.paths):
        raise TableError(
            f"{taxonomy.name}: node {star!r} is the star symbol; rename it, or choose "
            "another star (--star)"
        )
    for text in _present(released, column):
        if text is None or (text not in cells.below and text != star):
            raise _misread(released, column, text, f"a node of {taxonomy.name}")
    return cells


def _expect_no_range(released: Table, column: str) -> None:
    for text in _present(released, column):
        if RANGE.fullmatch(text or ""):
            what = "no range, for it is not declared (--numeric)"
            raise _misread(released, column, text, what)


def _present(released: Table, column: str) -> Iterable[Text]:
    values = released.dictionary(column)
    counts = np.bincount(released.column(column), minlength=len(values))
    return [values[code] for code in np.flatnonzero(counts)]


def _misread(released: Table, column: str, text: Text, what: str) -> TableError:
    code = released.dictionary(column).index(text)
    row = int(np.argmax(released.column(column) == code)) + 1
    return TableError(
        f"{released.name}: row {row}, column {column!r}: expected {what}, got {text!r}"
    )


def _ends(text: Text) -> Ends | None:
    """The least and the greatest number that a cell stands for."""
    number = _number(text)
    return _range(text) if number is None else (number, number)


def _number(text: Text) -> Decimal | None:
    if text is None or len(text) > MAX_LENGTH or not NUMBER.fullmatch(text):
        return None
    return Decimal(text)


@lru_cache  # the same range comes with many values
def _range(text: Text) -> Ends | None:
    if text is None or len(text) > MAX_LENGTH or text[:1] != "[":
        return None
    found = RANGE.fullmatch(text)
    return (Decimal(found[1]), Decimal(found[3])) if found else None
