"""What the cells of a released column stand for, by their texts alone."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property

import numpy as np

from starmin.instances import Table, Taxonomy
from starmin.instances.scales.missing import MISSING
from starmin.verify.cells.readings import EXACT, NUMBERS, Ends, Reading, Text


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

    Examples
    --------
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
        occurring = np.bincount(released.column(column), released.counts)
        counts = occurring.astype(np.int64).tolist()
        texts = released.dictionary(column)
        found = {text: n for text, n in zip(texts, counts, strict=False) if n}
        meaning = cells[column]
        lost += meaning.lost_of_others(found) if others else meaning.lost(found)
    return lost
