"""What the cells of a released column stand for, by their texts alone."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from starmin.instances import Table, Taxonomy, group_by
from starmin.instances.arrays import Bools, Ints
from starmin.instances.scales.missing import MISSING
from starmin.instances.tables.names import counted
from starmin.instances.tables.row_types import merge_equal_values
from starmin.verify.cells.readings import (
    EXACT,
    NUMBERS,
    Ends,
    Reading,
    Text,
    ends_of,
    is_open,
    number_of,
)
from starmin.verify.texts import places_in


class Cells(ABC):
    """The meaning of the cells of one column."""

    @abstractmethod
    def loss(self, text: Text) -> Fraction:
        """Return the normalized certainty penalty of a cell, from 0 to 1."""

    def lost(self, counts: Mapping[Text, int]) -> Fraction:
        """Return the penalties of all cells, given how often each text occurs."""
        return sum((n * self.loss(text) for text, n in counts.items()), Fraction(0))

    def lost_of_others(self, counts: Mapping[Text, int]) -> Fraction:
        """Return the same, where of leaves below a node one is not counted as lost."""
        return self.lost(counts)

    @abstractmethod
    def covers(self, text: Text, value: Text) -> bool:
        """Return whether a cell may stand for a value of the original."""


# By QI column what its cells stand for, where not for themselves or, as stars, for all.
Meanings = Mapping[str, Cells]


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
    """A cell is a number, a range as ``[35-45]``, a missing value, or the star.

    Or a time, or a range of times.

    >>> cells = NumericCells("*", Decimal(0), Decimal(40))
    >>> cells.loss("[-5-5.0]"), cells.covers("[-5-5.0]", "4.9")
    (Fraction(1, 4), True)
    """

    star: str  # stands for all numbers and missing values
    least: Decimal  # least, greatest: the ends of the domain
    greatest: Decimal
    # what is a missing value, which stands for itself
    missing: tuple[Text, ...] = MISSING
    reading: Reading = NUMBERS  # how numbers or times, and ranges of them, are read

    def loss(self, text: Text) -> Fraction:
        return self.lost({text: 1})

    def lost(self, counts: Mapping[Text, int]) -> Fraction:
        stars, length = 0, Decimal(0)
        with localcontext(prec=EXACT):
            for text, n in counts.items():
                if text in self.missing:
                    continue
                ends = self.ends(text)
                if ends is None:
                    stars += n
                elif ends[0] != ends[1] and self.reading.is_lossy(text):
                    domain = self.least, self.greatest
                    low, high = self.reading.within(ends, domain)
                    length += n * (high - low)
            width = self.greatest - self.least
        return stars + Fraction(length) / (Fraction(width) or 1)

    def ends(self, text: Text) -> Ends | None:
        """Return the least and the greatest number that a cell stands for."""
        return self.reading.ends(text)

    def covers(self, text: Text, value: Text) -> bool:
        if text in (value, self.star) or value in self.missing:
            return text in (value, self.star)
        if not self.reading.is_range(text) or self.reading.is_range(value):
            return False
        return self.reading.holds(text, value)


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

    def level(self, text: Text) -> int:
        """Return how far a node is above the leaves below it, at most; a star: root."""
        paths, node = self.taxonomy.paths, text or ""
        if node not in self.below:
            node = paths[0][-1]
        return max(path.index(node) for path in paths if node in path)

    def loss(self, text: Text) -> Fraction:
        total = len(self.taxonomy.paths)
        leaves = self.below.get(text or "", total)
        return Fraction(leaves if leaves > 1 else 0, total)

    def lost_of_others(self, counts: Mapping[Text, int]) -> Fraction:
        total = len(self.taxonomy.paths)
        more = sum(
            n * (self.below.get(text or "", total) - 1) for text, n in counts.items()
        )
        return Fraction(more, max(1, total - 1))

    def covers(self, text: Text, value: Text) -> bool:
        nodes = self.above.get(value or "")
        if nodes is None:
            return False
        if (text or "") in nodes:
            return True
        return text == self.star and text not in self.below


def lost_cells(
    released: Table, cells: Mapping[str, Cells], others: bool = False
) -> Fraction:
    """Return the losses of all QI cells together, by leaves or by other leaves."""
    lost = Fraction(0)
    for column in released.qi:
        found, meaning = released.text_counts(column), cells[column]
        lost += meaning.lost_of_others(found) if others else meaning.lost(found)
    return lost


# Cells of columns with floors: what may be published, and what it stands for.


@dataclass(frozen=True)
class CappedCells(NumericCells):
    """Numbers below a top and above a bottom, ranges of them, ``90+`` or ``<=18``.

    ``85+`` stands for the range from 85 to the greatest number, ``<=20`` for that from
    the least number to 20.

    >>> ends = Decimal(0), Decimal(100), ()
    >>> cells = CappedCells("*", *ends, top=Decimal(90), shown=("90", ""))
    >>> cells.loss("90+"), cells.covers("90+", "93"), cells.covers("93", "93")
    (Fraction(1, 10), True, False)
    """

    # top, bottom: from the one on, and up to the other, no number is told; None: there
    # is none
    top: Decimal | None = None
    bottom: Decimal | None = None
    shown: tuple[str, str] = ("", "")  # how these are written

    def ends(self, text: Text) -> Ends | None:
        if text is not None and text.endswith("+"):
            at = ends_of(text[:-1])
            return at and (max(at[0], self.least), self.greatest)
        if text is not None and text.startswith("<="):
            at = ends_of(text[2:])
            return at and (self.least, min(at[1], self.greatest))
        return super().ends(text)

    def covers(self, text: Text, value: Text) -> bool:
        if text == self.star or value in self.missing:
            return text in (value, self.star)
        told, hidden = self.ends(text), self.ends(value)
        if told is None or hidden is None or self.why_too_fine(text) is not None:
            return False
        return told[0] <= hidden[0] and hidden[1] <= told[1]

    def floored(self, value: Text) -> Text:
        """Return what is published of a value by itself."""
        at = None if value in self.missing else self.ends(value)
        if at is not None and self.top is not None and at[0] >= self.top:
            return f"{self.shown[0]}+"
        if at is not None and self.bottom is not None and at[1] <= self.bottom:
            return f"<={self.shown[1]}"
        return value

    def why_too_fine(self, text: Text) -> str | None:
        """Return what would have to stand in place of a cell; None: it may be there.

        A single number beyond an end tells too much, and so does a range that begins
        there: one that reaches to it is written as such. So does ``95+`` beside a top
        of 90.
        """
        at = ends_of(number_of(text))
        if at is None:
            return None
        upward, downward = is_open(text, bottom=False), is_open(text, top=False)
        above = self.top is not None and at[0] >= self.top and not downward
        if above and not (upward and at[0] == self.top):
            return f"a number below {self.top}, a range or {self.shown[0]}+"
        below = self.bottom is not None and at[1] <= self.bottom and not upward
        if below and not (downward and at[1] == self.bottom):
            return f"a number above {self.bottom}, a range or <={self.shown[1]}"
        return None


@dataclass(frozen=True)
class LevelledCells(TaxonomyCells):
    """Nodes of a tree that are not below its least level.

    >>> tree = Taxonomy([("a1", "a", "*"), ("a2", "a", "*"), ("b1", "b", "*")])
    >>> cells = LevelledCells("*", tree, 1)
    >>> cells.loss("a"), cells.covers("a", "a2"), cells.covers("a2", "a2")
    (Fraction(2, 3), True, False)
    """

    # the least level, or what stands above it in trees of uneven depth
    min_level: int = 0
    missing: tuple[Text, ...] = ()

    @cached_property
    def lowest(self) -> frozenset[str]:
        """The nodes that have no node below them that may be published."""
        absent = {text or "" for text in self.missing}
        found = set()
        for path in self.taxonomy.paths:
            apart = path[0] in absent and len(set(path[1:])) == 1
            found.add(path[0] if apart else path[min(self.min_level, len(path) - 1)])
        return frozenset(found)

    @cached_property
    def told(self) -> frozenset[str]:
        """The nodes that may be published."""
        found = set[str]()
        for path in self.taxonomy.paths:
            last = max(i for i, node in enumerate(path) if node in self.lowest)
            found.update(path[last:])
        return frozenset(found)

    def floored(self, value: Text) -> Text:
        """Return what is published of a value by itself."""
        for path in self.taxonomy.paths:
            if path[0] == (value or ""):
                node = [node for node in path if node in self.lowest][-1]
                return value if node == path[0] else node
        return value

    def covers(self, text: Text, value: Text) -> bool:
        return ((text or "") in self.told or text == self.star) and super().covers(
            text, value
        )


@dataclass(frozen=True)
class CoarseCells(Cells):
    """Values as their floors leave them, or the star: a release by stars alone."""

    star: str  # stands for all values
    of: CappedCells | LevelledCells  # what cells beside it stand for

    def loss(self, text: Text) -> Fraction:
        return Fraction(text == self.star)

    def covers(self, text: Text, value: Text) -> bool:
        return text == self.star or text == self.of.floored(value)


# Whether a release tells the truth: its cells compared with the original's.

MAX_ROWS = 10


@dataclass(frozen=True)
class Inconsistency:
    """Where a release differs from its original."""

    column: str | None  # None where header or number of rows differ
    # the first of the rows that differ, numbered from 1: at most 10
    rows: tuple[int, ...]
    why: str  # in words


@dataclass(frozen=True, kw_only=True)
class ComparedRows:
    """How the cells of a release compare with the original's."""

    # where they differ, row by row; None if there was no original
    inconsistencies: tuple[Inconsistency, ...] | None = None
    # whether they differ, and agree in some other order of the rows
    reordered: bool = False
    # how many rows of the original are not in the release, which is no difference; None
    # if there was no original
    missing_rows: int | None = None
    # if some are missing and the others stand in their order: for each released row the
    # row of the original that it may stand for, from 0
    kept: Ints | None = field(default=None, repr=False, compare=False)

    @property
    def consistent(self) -> bool | None:
        """Whether it agrees with the original, row by row, in what rows there are.

        None if none was given, or if the order differs so that no row can be compared.
        """
        if self.inconsistencies is None or self.reordered:
            return None
        return not self.inconsistencies

    def compared_json(self) -> dict[str, Any]:
        """Return the keys of a comparison in JSON; none where there was none."""
        if self.inconsistencies is None:
            return {}
        found = [asdict(e) | {"rows": list(e.rows)} for e in self.inconsistencies]
        return {
            "consistent": self.consistent,
            "inconsistencies": found,
            "reordered": self.reordered,
        }


def as_written(original: Table, released: Table) -> Table:
    """Return the original with no more kinds of cells than the release can have.

    CSV has no other way to write a missing cell than an empty one. So where a release
    has no missing cell at all, those of the original are read as empty ones, and an
    empty cell of the release may stand for either. Equal values are merged.

    >>> original = Table.from_rows(["a"], [[None], [""]], qi=["a"])
    >>> csv = Table.from_rows(["a"], [[""], ["*"]], qi=["a"])
    >>> as_written(original, csv).rows()
    [('',), ('',)]
    """
    if any(None in values for values in released.dictionaries):
        return merge_equal_values(original)
    texts = tuple(tuple(v or "" for v in values) for values in original.dictionaries)
    return merge_equal_values(replace(original, dictionaries=texts))


def find_inconsistencies(
    released: Table,
    original: Table,
    star: str = "*",
    cells: Mapping[str, Cells] | None = None,
    before: int = 0,
) -> list[Inconsistency]:
    """Compare a release, cell by cell as text, with the table it was made of.

    A release has the header and the rows of the original, in order; a QI cell is the
    original's, a star, or what else covers it, every other cell is the original's, as
    far as the release's file can tell them apart (``as_written``).

    Equal values of ``released`` are merged. Of the original only names and cells are
    used, not its roles. ``cells`` says what the cells of QI columns stand for, where
    not for themselves; ``before`` is how many rows stand before those of these tables.
    There is one entry for each column that differs: none if the release is consistent.

    O(n) for each column, one look-up for each value of its dictionary.

    >>> original = Table.from_rows(["a", "b"], [["0", "x"], ["1", "y"]], qi=["a"])
    >>> released = Table.from_rows(["a", "b"], [["*", "x"], ["2", "y"]], qi=["a"])
    >>> [(each.column, each.rows) for each in find_inconsistencies(released, original)]
    [('a', (2,))]
    """
    if released.names != original.names:
        why = f"columns {_listed(released)}; those of the original: {_listed(original)}"
        return [Inconsistency(None, (), why)]
    if released.n != original.n:
        why = f"{counted(released.n, 'row')}; the original has {original.n:,}"
        return [Inconsistency(None, (), why)]
    found, expected = [], as_written(original, released)
    for column in released.names:
        meaning = (cells or {}).get(column)
        if meaning is None or isinstance(meaning, PlainCells):
            rows = np.flatnonzero(_differs(released, expected, column, star))
        else:
            rows = np.flatnonzero(_uncovered(released, expected, column, meaning))
        if len(rows):
            first, shown = rows[0], tuple((rows[:MAX_ROWS] + before + 1).tolist())
            now = released.dictionary(column)[released.column(column)[first]]
            then = original.dictionary(column)[original.column(column)[first]]
            why = (
                f"{counted(len(rows), 'cell differs', 'cells differ')} from the "
                f"original; the first, in row {first + before + 1}, is {now!r} and was "
                f"{then!r}"
            )
            found.append(Inconsistency(column, shown, why))
    return found


def _listed(table: Table) -> str:
    return ", ".join(map(repr, table.names))


def _differs(released: Table, original: Table, column: str, star: str) -> Bools:
    """Return which rows hold a cell that the original does not allow."""
    codes, texts = released.column(column), released.dictionary(column)
    differs = codes != places_in(original, column, texts)
    if column in released.qi and star in texts:
        differs &= codes != texts.index(star)
    return np.asarray(differs, bool)


def _uncovered(released: Table, original: Table, column: str, cells: Cells) -> Bools:
    """Return which rows hold a cell that does not stand for the original's."""
    now, then = released.dictionary(column), original.dictionary(column)
    codes = released.column(column), original.column(column)
    pairs = group_by(codes)
    first = zip(*(each[pairs.first].tolist() for each in codes), strict=True)
    covered = [cells.covers(now[text], then[value]) for text, value in first]
    return ~np.array(covered, bool)[pairs.inverse]
