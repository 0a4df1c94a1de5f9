"""Cells of columns with floors: what may be published, and what it stands for."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from starmin.verify.cells.cells import Cells, NumericCells, TaxonomyCells
from starmin.verify.cells.readings import Ends, Text, ends_of, is_open, number_of


@dataclass(frozen=True)
class CappedCells(NumericCells):
    """Numbers below a top and above a bottom, ranges of them, ``90+`` or ``<=18``.

    ``85+`` stands for the range from 85 to the greatest number, ``<=20`` for that from
    the least number to 20.

    Examples
    --------
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

    Examples
    --------
    >>> from starmin.instances import Taxonomy
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
    """Values as their floors leave them, or the star: a release by stars alone.

    Examples
    --------
    >>> ends = Decimal(0), Decimal(100), ()
    >>> of = CappedCells("*", *ends, top=Decimal(90), shown=("90", ""))
    >>> cells = CoarseCells("*", of)
    >>> cells.loss("90+"), cells.covers("90+", "93"), cells.covers("80+", "93")
    (Fraction(0, 1), True, False)
    """

    star: str  # stands for all values
    of: CappedCells | LevelledCells  # what cells beside it stand for

    def loss(self, text: Text) -> Fraction:
        return Fraction(text == self.star)

    def covers(self, text: Text, value: Text) -> bool:
        return text == self.star or text == self.of.floored(value)
