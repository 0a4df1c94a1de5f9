"""Reads the columns of a release: numbers and ranges, nodes of trees, or values."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from starmin.instances import Coding, Table, TableError, Taxonomy
from starmin.instances.releases.coding import SUPPRESSION
from starmin.instances.scales.floors import Cap, Floors
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

    Examples
    --------
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

    def is_rounded(self, text: Text, step: str) -> bool:
        ends = self.ends(text)
        return ends is not None and all(
            Fraction(end) % Fraction(step) == 0 for end in ends if end.is_finite()
        )

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

    Examples
    --------
    >>> released = Table.from_rows(["age"], [["[30-40]"], ["70"]], qi=["age"])
    >>> coding = Coding("generalization", numeric=("age",))
    >>> read_cells(released, coding)["age"].loss("[30-40]")
    Fraction(1, 4)
    """
    star, missing, floors = coding.star, coding.missing, coding.floors
    numeric, taxonomies = coding.numeric, coding.qi_trees(released)
    plain = coding.recoding == SUPPRESSION
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
    for column in floors.columns:
        if column not in released.qi:
            raise TableError(
                f"{released.name}: column {column!r} has a floor but is not a QI "
                f"column; these are: {', '.join(released.qi)}"
            )
    meanings: dict[str, Cells] = {}
    for column in released.qi:
        capped = column in floors.top or column in floors.bottom
        if column in numeric or capped:
            reading: Reading = NUMBERS
            if not capped:
                reading = _reading(
                    *(released, column, star, missing, original),
                    coding.forms.get(column),
                    coding.range_style,
                )
            step, width = coding.steps.get(column), coding.widths.get(column)
            for text in present(released, column):
                if width is not None and not _fits(text, width, reading):
                    what = f"a range with a width of {width}"
                    raise _misread(released, column, text, what)
            told = _numeric(
                released, column, star, missing, original, step, reading, floors
            )
            alone = plain or column not in numeric
            meanings[column] = (
                CoarseCells(star, told)
                if isinstance(told, CappedCells) and alone
                else told
            )
        elif column in taxonomies:
            tree = taxonomies[column]
            source = released if original is None else original
            if column in source.names:
                absent = {t or "" for t in present(source, column) if t in missing}
                tree = tree.with_leaves(sorted(absent - {star}))
            most = coding.max_levels.get(column)
            least = floors.min_levels.get(column, 0)
            nodes = _nodes(released, column, tree, star, most, least, missing)
            meanings[column] = (
                CoarseCells(star, nodes)
                if plain and isinstance(nodes, LevelledCells)
                else nodes
            )
        else:
            _expect_no_range(released, column)
            meanings[column] = PlainCells(star)
    return meanings


def _reading(
    released: Table,
    column: str,
    star: str,
    missing: Collection[Text],
    original: Table | None,
    form: str | None,
    style: RangeStyle,
) -> Reading:
    """Return how the cells of a column are read, as its values tell."""
    known = released
    if original is not None and column in original.names:
        known = original
    there = (text for text in present(known, column) if text not in missing)
    texts = [text for text in there if text != star]
    form = form_for([end for text in texts for end in (text or "").split(TO)], form)
    found = reading_of(texts, form)
    if style == "ours":
        return found
    noted = NotedNumbers(style)
    ranges = {text for text in texts if noted.is_range(text)}
    if known is released and ranges:
        # Of cells of two sorts most are right, or those in the notation that was named.
        many = sum(text in ranges or ends_of(text) is not None for text in texts)
        if style != "auto" or many > sum(map(found.is_read, texts)):
            return noted
    stays = not found.of_bands or known is original  # else they may be ranges
    if found is not NUMBERS and stays:
        return found
    found = reading_of([text for text in texts if text not in ranges], form)
    return noted if found is NUMBERS else found


def _numeric(
    released: Table,
    column: str,
    star: str,
    missing: Collection[Text],
    original: Table | None,
    step: str | None,
    reading: Reading,
    floors: Floors,
) -> NumericCells:
    found: list[Decimal] = []
    open_ended = column in floors.bottom, column in floors.top
    for text in present(released, column):
        if text == star or text in missing:
            continue
        if is_open(text, *open_ended):
            found.append(decimal(number_of(text)))
            continue
        try:
            ends = reading.ends(text)
        except AmbiguousRangeError as error:
            raise _misread(released, column, text, f"a plain range ({error})") from None
        if ends is None or ends[0] > ends[1]:
            value, ranged = reading.sample
            what = f"{value}, {ranged} or the star {star!r}"
            if is_open(text):
                what += "; if it is open on purpose, name its end (--top, --bottom)"
            raise _misread(released, column, text, what)
        ranges = step is not None and ends[0] != ends[1]
        if ranges and not reading.is_rounded(text, step or ""):
            what = f"a range whose ends are multiples of {step}"
            raise _misread(released, column, text, what)
        found += ends
    if original is not None and column in original.names:
        known = [t for t in present(original, column) if t not in missing]
        capped = original.floors.get(column)
        if isinstance(capped, Cap):
            known += [capped.least, capped.greatest]
        texts = [number_of(t) if is_open(t, *open_ended) else t for t in known]
        found = [end for ends in map(reading.ends, texts) if ends for end in ends]
    found = [end for end in found if end.is_finite()]
    domain = min(found, default=Decimal(0)), max(found, default=Decimal(0))
    if step is not None:
        domain = reading.rounded(domain, step)
    if not any(open_ended):
        return NumericCells(star, *domain, tuple(missing), reading)
    top, bottom = (
        end_of(given[column]) if column in given else None
        for given in (floors.top, floors.bottom)
    )
    marked = any("," in (t or "") for t in present(released, column))
    cells = CappedCells(
        *(star, *domain, tuple(missing), NUMBERS, top, bottom),
        (_short(top, marked), _short(bottom, marked)),
    )
    for text in present(released, column):
        if text != star and text not in missing and (why := cells.why_too_fine(text)):
            raise _misread(released, column, text, why)
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


def _nodes(
    released: Table,
    column: str,
    taxonomy: Taxonomy,
    star: str,
    most: int | None,
    least: int,
    missing: Collection[Text],
) -> TaxonomyCells:
    cells = TaxonomyCells(star, taxonomy)
    if least:
        cells = LevelledCells(star, taxonomy, least, tuple(missing))
    if cells.below.get(star, len(taxonomy.paths)) < len(taxonomy.paths):
        raise TableError(
            f"{taxonomy.name}: node {star!r} is the star symbol; rename it, or choose "
            "another star (--star)"
        )
    for text in present(released, column):
        if (text or "") not in cells.below and text != star:
            raise _misread(released, column, text, f"a node of {taxonomy.name}")
        if isinstance(cells, LevelledCells):
            if (text or "") not in cells.told and text != star:
                what = f"a node of {taxonomy.name} from level {least} on"
                raise _misread(released, column, text, what)
            if (text or "") in cells.lowest:
                continue
        if most is not None and cells.level(text) > most:
            what = f"a node of {taxonomy.name} up to level {most}"
            raise _misread(released, column, text, what)
    return cells


def _expect_no_range(released: Table, column: str) -> None:
    for text in present(released, column):
        if RANGE.fullmatch(text or ""):
            what = "no range, for it is not declared (--numeric)"
            raise _misread(released, column, text, what)


def _misread(released: Table, column: str, text: Text, what: str) -> TableError:
    code = released.dictionary(column).index(text)
    where = f"column {column!r}"
    if released.counts is None:
        row = int(np.argmax(released.column(column) == code)) + 1
        where = f"row {row}, {where}"
    return TableError(f"{released.name}: {where}: expected {what}, got {text!r}")
