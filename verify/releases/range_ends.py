"""Ends of published ranges that are people's values, and the cells known from them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from math import ceil, floor, gcd, lcm
from typing import Any

import numpy as np

from starmin.instances import Coding, Table
from starmin.instances.arrays import Bools
from starmin.verify.cells.readings import EXACT, NumberReading, Reading
from starmin.verify.cells.time_cells import reading_of

_SEVERAL = 5  # numbers, from which on a reader may know by what they are apart
_MEASURED = 1_000_000  # different numbers in a column at most, by their digits
_BY = (-1, 0, 1)


@dataclass(frozen=True)
class RangeEnds:
    """Ranges that begin and end at values which occur in their class.

    A class is all rows that are published alike. At least one of its rows has the lower
    end of its range, and another one the upper end: so two cells of each range are
    known, though not of which rows.
    """

    # whose ranges have such ends, each with a step that would round them
    columns: Mapping[str, str]
    ends: int  # how many ends are values of people, two of each range of a class
    alone: int  # how many of them are the value of one row of the class alone
    hidden: int  # how many cells are published as such ranges
    # how many rows are known in full, since nothing else is hidden in their class
    whole: int
    changed: int  # how many rows have a hidden cell

    def __str__(self) -> str:
        return (
            f"{self.alone:,} of {self.ends:,} range ends of {', '.join(self.columns)} "
            f"are the value of one person of their class alone; {self.ends:,} of the "
            f"{self.hidden:,} cells broadened to ranges are known from the ends, and "
            f"{self.whole:,} of the {self.changed:,} changed rows in full, though not "
            "whose they are"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object under ``range_ends`` in JSON."""
        return asdict(self) | {"columns": list(self.columns)}

    @property
    def rounded(self) -> str:
        """The value of ``--round`` that would hide the ends."""
        return ",".join(f"{column}={step}" for column, step in self.columns.items())


def range_ends(original: Table, released: Table, coding: Coding) -> RangeEnds | None:
    """Count the ends of ranges that are values of rows which are published so.

    Ends that are rounded are left out, unless the step moves no value of the column. So
    are ranges of the least width, which were widened: their ends tell nothing for sure.
    Both tables have the same rows in the same order, the original without floors. None
    where no range has such an end.

    Examples
    --------
    >>> ages, ranges = ["31", "33", "33", "52"], ["[31-33]"] * 3 + ["52"]
    >>> original = Table.from_rows(["age"], [[age] for age in ages], qi=["age"])
    >>> released = Table.from_rows(["age"], [[text] for text in ranges], qi=["age"])
    >>> coding = Coding("generalization", numeric=("age",), steps={"age": "1"})
    >>> print(range_ends(original, released, coding))
    1 of 2 range ends of age are the value of one person of their class alone; 2 of \
the 3 cells broadened to ranges are known from the ends, and 2 of the 3 changed rows \
in full, though not whose they are
    """
    if not coding.least_widths:
        return None
    classes = released.row_types
    common = [column for column in released.qi if column in original.names]
    by_row = sum(hidden_cells(original, released, c).astype(np.int64) for c in common)
    found: dict[str, str] = {}
    ends = alone = hidden = whole = 0
    for column, least in coding.least_widths.items():
        texts = original.dictionary(column)
        reading = reading_of(texts, coding.forms.get(column))
        if reading.of_bands:  # whose ends are those of values, not of people
            continue
        numbers = _numbers(texts, reading, coding.missing)
        place = {number: i for i, number in enumerate(sorted(set(numbers.values())))}
        values = np.full(len(texts), -1, np.int64)
        values[list(numbers)] = [place[number] for number in numbers.values()]
        ranges = _ranges(released.dictionary(column), least, reading)
        cell = released.column(column)
        truth = values[original.column(column)]
        inside = truth[np.isin(cell, [*ranges]) & (truth >= 0)]
        if not inside.size:  # codes of missing values are in no range
            continue
        known = [*place][inside.min() : inside.max() + 1]
        sides = certain_ends(known, reading, coding.steps.get(column))
        told = np.full((2, len(released.dictionary(column))), -1, np.int64)
        for end, side in enumerate(sides):
            for code, both in ranges.items():
                stated = side.get(both[end], both[end])
                told[end, code] = place.get(stated, -2) if side else -2
        ranged = (told[:, cell] >= 0).any(axis=0)
        for codes in told:
            at = truth == codes[cell]
            rows = np.bincount(classes.inverse[ranged & at], minlength=len(classes))
            ends += int(np.count_nonzero(rows))
            alone += int(np.count_nonzero(rows == 1))
            whole += len(np.unique(classes.inverse[ranged & at & (by_row == 1)]))
        hidden += int(np.count_nonzero(ranged))
        if ranged.any():
            found[column] = _advised(known, reading)
    changed = int(np.count_nonzero(by_row))
    return RangeEnds(found, ends, alone, hidden, whole, changed) if ends else None


def hidden_cells(original: Table, released: Table, column: str) -> Bools:
    """Return which cells of a column are not published as they were.

    Both tables have the column, and the same rows in the same order.
    """
    then, now = original.dictionary(column), released.dictionary(column)
    if now[: len(then)] == then:  # of a million values no index is made
        return np.asarray(released.column(column) != original.column(column))
    index = {text: code for code, text in enumerate(then)}
    same = np.array([index.get(text, -1) for text in now], np.int64)
    return np.asarray(same[released.column(column)] != original.column(column))


def exact_sides(
    numbers: Iterable[Decimal], reading: Reading, step: str | None
) -> tuple[bool, bool]:
    """Return whether ranges begin, and end, at their values: no step moves any.

    So it is of whole numbers and a step of 1, and of dates and days. A step that is no
    wider than the numbers are apart by their digits tells all of them, too.
    """
    low = high = True
    if step is not None and not _is_fine(numbers := [*numbers], reading, step):
        for number in numbers:
            least, greatest = reading.rounded((number, number), step)
            low, high = low and least == number, high and greatest == number
            if not (low or high):
                break
    return low, high


def _advised(numbers: Collection[Decimal], reading: Reading) -> str:
    """Return a step that fits the column, and moves some of its numbers if any does."""
    least, greatest = min(numbers), max(numbers)
    if isinstance(reading, NumberReading):
        apart = resolution(numbers, reading)
        wide = 2 * apart  # of less, some number is alone between two multiples
        with localcontext(prec=EXACT):
            span = greatest - least
        if apart * _MEASURED < Fraction(span) and len(numbers) >= _SEVERAL:
            # Nobody measured all of these digits.
            apart = wide = Fraction(10) ** (span.adjusted() - 3)
        while any(exact_sides(numbers, reading, _written(wide))):
            wide += apart
        return _written(wide)
    step = reading.step_for((least, greatest))
    with localcontext(prec=EXACT):
        for twice in range(8):
            wider = greatest + (greatest - least) * (2**twice - 1)
            step = reading.step_for((least, wider))
            if not any(exact_sides(numbers, reading, step)):
                break
    return step


def resolution(numbers: Collection[Decimal], reading: NumberReading) -> Fraction:
    """Return how far apart numbers are: they are multiples of it, 5 of heaped ages.

    Of few numbers that is the place of the last digit, as nobody knows more of them.

    >>> from starmin.verify.cells.readings import NUMBERS
    >>> resolution([Decimal(n) for n in (5, 10, 20, 35, 60)], NUMBERS)
    Fraction(5, 1)
    >>> resolution([Decimal("31"), Decimal("62.0")], NUMBERS)
    Fraction(1, 10)
    """
    exact = [Fraction(n) for n in {*numbers} if n]
    if len({*numbers}) < _SEVERAL:
        return min((Fraction(reading.tick(n)) for n in numbers), default=Fraction(1))
    return Fraction(
        gcd(*(n.numerator for n in exact)), lcm(*(n.denominator for n in exact))
    )


def _written(step: Fraction) -> str:
    with localcontext(prec=EXACT, Emax=MAX_EMAX, Emin=MIN_EMIN):
        exact = Decimal(step.numerator) / Decimal(step.denominator)
        return f"{exact.normalize():f}"


def _is_fine(numbers: Collection[Decimal], reading: Reading, step: str) -> bool:
    """Check whether no two numbers can be between two multiples of a step."""
    if not isinstance(reading, NumberReading) or not numbers:
        return False
    return Fraction(step) <= resolution(numbers, reading)


def certain_ends(
    numbers: Collection[Decimal], reading: Reading, step: str | None
) -> tuple[dict[Decimal, Decimal], dict[Decimal, Decimal]]:
    """Return for ends of ranges, lower and upper, the only numbers they can stand for.

    A step that is less than twice as wide as numbers are apart leaves some of them
    alone between two multiples.

    >>> from starmin.verify.cells.readings import NUMBERS
    >>> certain_ends([Decimal(n) for n in range(1, 7)], NUMBERS, "1.5")[0]
    {Decimal('1.5'): Decimal('2'), Decimal('4.5'): Decimal('5')}
    >>> certain_ends([Decimal(n) for n in range(1, 7)], NUMBERS, "2")
    ({}, {})
    """
    if step is None:
        return ({n: n for n in numbers},) * 2
    low, high = dict[Decimal, Decimal](), dict[Decimal, Decimal]()
    if isinstance(reading, NumberReading):
        apart = resolution(numbers, reading)
        if Fraction(step) < 2 * apart:
            for n in numbers:
                for side, turn in ((low, floor), (high, ceil)):
                    at = [turn((Fraction(n) + i * apart) / Fraction(step)) for i in _BY]
                    if at[0] < at[1] < at[2]:
                        with localcontext(prec=EXACT):
                            side[at[1] * Decimal(step)] = n
    exact = exact_sides(numbers, reading, step)
    same = {n: n for n in numbers}
    return low or (same if exact[0] else {}), high or (same if exact[1] else {})


def _numbers(
    texts: tuple[str | None, ...], reading: Reading, missing: Collection[str | None]
) -> dict[int, Decimal]:
    """Return the numbers among some texts, by their places; codes of gaps are none."""
    ends = {c: reading.ends(t) for c, t in enumerate(texts) if t not in missing}
    return {code: each[0] for code, each in ends.items() if each is not None}


def _ranges(
    texts: tuple[str | None, ...], least: str | None, reading: Reading
) -> dict[int, tuple[Decimal, Decimal]]:
    """Return the ends of ranges that are wider than the least width, by text."""
    with localcontext(prec=EXACT):
        return {
            code: both
            for code, text in enumerate(texts)
            if (both := reading.ends(text)) is not None
            and both[1] - both[0] > Decimal(least or 0)
        }
