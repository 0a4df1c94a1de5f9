"""Reads the columns of a release: numbers and ranges, nodes of trees, or values."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from starmin.instances import Coding, Table, TableError, Taxonomy
from starmin.instances.releases.coding import SUPPRESSION
from starmin.instances.scales.floors import Cap
from starmin.instances.scales.numbers import Width
from starmin.instances.scales.range_notation import (
    AmbiguousRangeError,
    Interval,
    RangeStyle,
    read_range,
)
from starmin.instances.times.recognise import form_for
from starmin.instances.times.signs import TO
from starmin.verify.cells.cells import (
    CappedCells,
    Cells,
    CoarseCells,
    LevelledCells,
    NumericCells,
    PlainCells,
    TaxonomyCells,
)
from starmin.verify.cells.readings import (
    NUMBERS,
    RANGE,
    Ends,
    NumberReading,
    Reading,
    Text,
    decimal,
    ends_of,
    is_open,
    number_of,
)
from starmin.verify.cells.time_cells import reading_of
from starmin.verify.texts import present

# Ranges of numbers as other tools write them: open or closed ends, or none.

_SAMPLES: dict[RangeStyle, str] = {
    "ours": "a range as [35-45]",
    "arx": "a range as [15, 20[ or >=90",
    "pandas": "a range as (19.9, 29.0]",
    "sdcmicro": "a range as (15,20] or 20-29",
    "auto": "a range as [35-45], [15, 20[, (19.9, 29.0], 20-29, >=90 or 90+",
}
_LEAST, _GREATEST = Decimal("-Infinity"), Decimal("Infinity")


@dataclass(frozen=True)
class NotedNumbers(NumberReading):
    """Numbers, and ranges in the notation of a tool.

    >>> arx = NotedNumbers("arx")
    >>> arx.holds("[15, 20[", "19.9"), arx.holds("[15, 20[", "20")
    (True, False)
    >>> arx.ends(">=90")
    (Decimal('90'), Decimal('Infinity'))
    """

    style: RangeStyle = "auto"

    @property
    def sample(self) -> tuple[str, str]:  # type: ignore[override]
        """A cell and a range, for messages."""
        return "a number", _SAMPLES[self.style]

    def ends(self, text: Text) -> Ends | None:
        own = ends_of(text)
        if own is not None and (self.style in ("ours", "auto") or own[0] == own[1]):
            return own
        interval = self._interval(text)
        if interval is None:
            return None
        low, high = interval.low, interval.high
        return (_LEAST if low is None else low), (_GREATEST if high is None else high)

    def is_range(self, text: Text) -> bool:
        try:
            return self._interval(text) is not None or super().is_range(text)
        except AmbiguousRangeError:
            return True

    def holds(self, text: Text, value: Text) -> bool:
        interval, known = self._interval(text), ends_of(value)
        if interval is None or known is None:
            return super().holds(text, value)
        return known[0] == known[1] and interval.holds(known[0])

    def within(self, ends: Ends, domain: Ends) -> Ends:
        low, high = max(ends[0], domain[0]), min(ends[1], domain[1])
        return low, max(low, high)

    def _interval(self, text: Text) -> Interval | None:
        """Return the range that a text is in the notation of a tool; None: in ours."""
        ours = self.style in ("ours", "auto") and ends_of(text) is not None
        return None if text is None or ours else read_range(text, self.style)


def read_cells(
    released: Table, coding: Coding, original: Table | None = None
) -> dict[str, Cells]:
    """Return the meaning of the cells of each QI column of a release, by its coding.

    A missing value is a leaf of its own where a tree has none; by suppression cells are
    values, as floors leave them, or stars. The numbers of the ``original`` are the
    domain; without it, that is what the cells of the column cover, the stars apart.
    Ranges of a release begin and end at values that occur, so both are the same unless
    a star hides the ends. Raises TableError for a column that is not a QI column, or a
    cell that cannot be what it should.

    >>> released = Table.from_rows(["age"], [["[30-40]"], ["70"]], qi=["age"])
    >>> coding = Coding("generalization", numeric=("age",))
    >>> read_cells(released, coding)["age"].loss("[30-40]")
    Fraction(1, 4)
    """
    numeric, taxonomies = coding.numeric, coding.qi_trees(released)
    qi = ", ".join(released.qi)
    for column in (*numeric, *taxonomies):
        if column not in released.qi:
            raise TableError(
                f"{released.name}: column {column!r} is declared numeric or has a "
                f"hierarchy but is not a QI column; these are: {qi}"
            )
        if column in numeric and column in taxonomies:
            raise TableError(
                f"{released.name}: column {column!r} is declared numeric and has a "
                "hierarchy; expected one of them"
            )
    for column in coding.floors.columns:
        if column not in released.qi:
            raise TableError(
                f"{released.name}: column {column!r} has a floor but is not a QI "
                f"column; these are: {qi}"
            )
    return {
        column: _Column(released, column, coding, original).cells(
            column in numeric, taxonomies.get(column)
        )
        for column in released.qi
    }


class _Column:
    """A column of a release that is read."""

    def __init__(
        self, released: Table, column: str, coding: Coding, original: Table | None
    ) -> None:
        self.released, self.column, self.coding = released, column, coding
        self.star, self.missing = coding.star, tuple(coding.missing)
        self.texts = present(released, column)
        # The original, where it has the column; and whether its values are at hand.
        has = original is not None and column in original.names
        self.original = original if has else None
        self.is_known = has or original is None
        # The numbers of its bottom and its top, as they are written.
        self.caps = coding.floors.bottom.get(column), coding.floors.top.get(column)

    def misread(self, text: Text, what: str) -> TableError:
        """Return the error for a cell that is not what it should be."""
        released, where = self.released, f"column {self.column!r}"
        if released.counts is None:
            code = released.dictionary(self.column).index(text)
            row = int(np.argmax(released.column(self.column) == code)) + 1
            where = f"row {row}, {where}"
        return TableError(f"{released.name}: {where}: expected {what}, got {text!r}")

    def cells(self, is_numeric: bool, taxonomy: Taxonomy | None) -> Cells:
        """Return the meaning of the cells."""
        plain = self.coding.recoding == SUPPRESSION
        if is_numeric or self.caps != (None, None):
            told = self._numeric()
            if isinstance(told, CappedCells) and (plain or not is_numeric):
                return CoarseCells(self.star, told)
            return told
        if taxonomy is not None:
            nodes = self._nodes(taxonomy)
            if plain and isinstance(nodes, LevelledCells):
                return CoarseCells(self.star, nodes)
            return nodes
        ranges = [text for text in self.texts if RANGE.fullmatch(text or "")]
        if ranges and self.original is not None:
            known = present(self.original, self.column)
            ranges = [text for text in ranges if text not in known]
        if ranges:
            why = "no range, for it is not declared (--numeric)"
            raise self.misread(ranges[0], why)
        return PlainCells(self.star)

    def _reading(self) -> Reading:
        """Return how the cells are read, as the values of the column tell."""
        style, form = self.coding.range_style, self.coding.forms.get(self.column)
        known = self.released if self.original is None else self.original
        there = (t for t in present(known, self.column) if t not in self.missing)
        texts = [text for text in there if text != self.star]
        form = form_for([end for text in texts for end in (text or "").split(TO)], form)
        found = reading_of(texts, form)
        if style == "ours":
            return found
        noted = NotedNumbers(style)
        ranges = {text for text in texts if noted.is_range(text)}
        if self.original is None and ranges:
            # Of cells of two sorts most are right, or those in the notation named.
            many = sum(text in ranges or ends_of(text) is not None for text in texts)
            read = sum(found.ends(text) is not None for text in texts)
            if style != "auto" or many > read:
                return noted
        # Else values may be ranges.
        stays = not found.of_bands or self.original is not None
        if found is not NUMBERS and stays:
            return found
        found = reading_of([text for text in texts if text not in ranges], form)
        return noted if found is NUMBERS else found

    def _numeric(self) -> NumericCells:
        """Return what cells of numbers or times stand for."""
        bottom, top = (None if cap is None else end_of(cap) for cap in self.caps)
        open_ended = bottom is not None, top is not None
        reading = NUMBERS if any(open_ended) else self._reading()
        step = self.coding.steps.get(self.column)
        width = self.coding.widths.get(self.column)
        for text in self.texts:
            if width is not None and not _fits(text, width, reading):
                raise self.misread(text, f"a range with a width of {width}")
        shown = [t for t in self.texts if t != self.star and t not in self.missing]
        found = [end for t in shown for end in self._ends(t, reading, step, open_ended)]
        if self.original is not None:
            known = present(self.original, self.column)
            known = [text for text in known if text not in self.missing]
            capped = self.original.floors.get(self.column)
            if isinstance(capped, Cap):
                known += [capped.least, capped.greatest]
            texts = [number_of(t) if is_open(t, *open_ended) else t for t in known]
            found = [end for ends in map(reading.ends, texts) if ends for end in ends]
        found = [end for end in found if end.is_finite()]
        domain = min(found, default=Decimal(0)), max(found, default=Decimal(0))
        if step is not None:
            domain = reading.rounded(domain, step)
        if not any(open_ended):
            return NumericCells(self.star, *domain, self.missing, reading)
        marked = any("," in (text or "") for text in self.texts)
        cells = CappedCells(
            *(self.star, *domain, self.missing, NUMBERS, top, bottom),
            (_short(top, marked), _short(bottom, marked)),
        )
        for text in shown:
            if why := cells.why_too_fine(text):
                raise self.misread(text, why)
        return cells

    def _ends(
        self, text: Text, reading: Reading, step: str | None, open_: tuple[bool, bool]
    ) -> tuple[Decimal, ...]:
        """Return the ends of a cell; of one that is open, its number."""
        if is_open(text, *open_):
            return (decimal(number_of(text)),)
        try:
            ends = reading.ends(text)
        except AmbiguousRangeError as error:
            raise self.misread(text, f"a plain range ({error})") from None
        if ends is None or ends[0] > ends[1]:
            value, ranged = reading.sample
            what = f"{value}, {ranged} or the star {self.star!r}"
            if is_open(text):
                what += "; if it is open on purpose, name its end (--top, --bottom)"
            raise self.misread(text, what)
        ranges = step is not None and ends[0] != ends[1]
        if ranges and not reading.is_rounded(text, step or ""):
            raise self.misread(text, f"a range whose ends are multiples of {step}")
        return ends

    def _nodes(self, tree: Taxonomy) -> TaxonomyCells:
        """Return what nodes of a tree stand for."""
        source = self.released if self.original is None else self.original
        if self.is_known:
            there = present(source, self.column)
            absent = {text or "" for text in there if text in self.missing}
            tree = tree.with_leaves(sorted(absent - {self.star}))
        star, least = self.star, self.coding.floors.min_levels.get(self.column, 0)
        most = self.coding.max_levels.get(self.column)
        cells = TaxonomyCells(star, tree)
        if least:
            cells = LevelledCells(star, tree, least, self.missing)
        if cells.below.get(star, len(tree.paths)) < len(tree.paths):
            raise TableError(
                f"{tree.name}: node {star!r} is the star symbol; rename it, or choose "
                "another star (--star)"
            )
        for text in self.texts:
            if (text or "") not in cells.below and text != star:
                raise self.misread(text, f"a node of {tree.name}")
            if isinstance(cells, LevelledCells):
                if (text or "") not in cells.told and text != star:
                    what = f"a node of {tree.name} from level {least} on"
                    raise self.misread(text, what)
                if (text or "") in cells.lowest:
                    continue
            if most is not None and cells.level(text) > most:
                raise self.misread(text, f"a node of {tree.name} up to level {most}")
        return cells


def end_of(given: object) -> Decimal:
    """Return a top or a bottom as a number."""
    ends = ends_of(str(given))
    if ends is None:
        raise TableError(f"expected a number for a top or a bottom, got {given!r}")
    return ends[0]


def _short(end: Decimal | None, comma: bool) -> str:
    text = "" if end is None else f"{end.normalize():f}"
    return text.replace(".", ",") if comma else text


def _fits(text: Text, width: Width, reading: Reading) -> bool:
    """Return whether a cell is no range, or one of this width."""
    if not reading.is_range(text) or (ends := reading.ends(text)) is None:
        return True
    if not all(end.is_finite() for end in ends):
        return False
    return width.fits(Fraction(ends[1]) - Fraction(ends[0]))
