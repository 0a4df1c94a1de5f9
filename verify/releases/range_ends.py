"""Ends of published ranges that are people's values, and the cells known from them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal, localcontext
from itertools import compress
from typing import Any

import numpy as np

from starmin.instances import Coding, Table, group_by
from starmin.instances.arrays import Bools, Ints
from starmin.verify.cells.readings import EXACT, Reading
from starmin.verify.cells.time_cells import reading_of


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
            f"{self.hidden:,} cells hidden in ranges are known from the ends, and "
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

    Parameters
    ----------
    original, released
        With the same rows in the same order, the original without floors.
    coding
        How the release is coded.

    Returns
    -------
    RangeEnds or None
        None where no range has such an end.

    Notes
    -----
    O(n) for each column, after one group-by.

    Examples
    --------
    >>> ages, ranges = ["31", "33", "33", "52"], ["[31-33]"] * 3 + ["52"]
    >>> original = Table.from_rows(["age"], [[age] for age in ages], qi=["age"])
    >>> released = Table.from_rows(["age"], [[text] for text in ranges], qi=["age"])
    >>> coding = Coding("generalization", numeric=("age",), steps={"age": "1"})
    >>> print(range_ends(original, released, coding))
    1 of 2 range ends of age are the value of one person of their class alone; 2 of \
the 3 cells hidden in ranges are known from the ends, and 2 of the 3 changed rows in \
full, though not whose they are
    """
    if not coding.least_widths:
        return None
    classes = group_by(
        [released.column(column) for column in released.qi], released.qi_cardinalities
    )
    common = [column for column in released.qi if column in original.names]
    by_row = sum(_hidden(original, released, column) for column in common)
    found: dict[str, str] = {}
    ends = alone = hidden = whole = 0
    for column, least in coding.least_widths.items():
        texts = original.dictionary(column)
        reading = reading_of(texts, coding.forms.get(column))
        if reading.of_bands:  # whose ends are those of values, not of people
            continue
        numbers = _numbers(texts, reading, coding.missing)
        sides = exact_sides(numbers.values(), reading, coding.steps.get(column))
        place = {number: i for i, number in enumerate(sorted(set(numbers.values())))}
        values = np.full(len(texts), -1, np.int64)
        values[list(numbers)] = [place[number] for number in numbers.values()]
        low, high = _places(released.dictionary(column), place, least, reading)
        cell = released.column(column)
        ranged = (low[cell] >= 0) & any(sides)
        for end in compress((low, high), sides):
            at = values[original.column(column)] == end[cell]
            rows = np.bincount(classes.inverse[ranged & at], minlength=classes.size)
            ends += int(np.count_nonzero(rows))
            alone += int(np.count_nonzero(rows == 1))
            only = np.bincount(
                classes.inverse[ranged & at & (by_row == 1)], minlength=classes.size
            )
            whole += int(np.count_nonzero(only))
        hidden += int(np.count_nonzero(ranged))
        inside = values[original.column(column)][ranged]
        inside = inside[inside >= 0]
        if inside.size:  # others, as codes of missing values, are in no range
            known = [*place][inside.min() : inside.max() + 1]
            found[column] = _advised(known, reading)
    changed = int(np.count_nonzero(by_row))
    return RangeEnds(found, ends, alone, hidden, whole, changed) if ends else None


def _hidden(original: Table, released: Table, column: str) -> Ints:
    """Return 1 for each row whose cell of a column is not published as it is."""
    code_of = {text: code for code, text in enumerate(released.dictionary(column))}
    same = np.array([code_of.get(t, -1) for t in original.dictionary(column)], np.int64)
    hidden: Bools = same[original.column(column)] != released.column(column)
    return hidden.astype(np.int64)


def exact_sides(
    numbers: Iterable[Decimal], reading: Reading, step: str | None
) -> tuple[bool, bool]:
    """Return whether ranges begin, and end, at their values: no step moves any.

    So it is of whole numbers and a step of 1, and of dates and days.

    Examples
    --------
    >>> from starmin.verify.cells.readings import NUMBERS
    >>> exact_sides([Decimal(15), Decimal(40)], NUMBERS, "5")
    (True, True)
    >>> exact_sides([Decimal(15), Decimal(41)], NUMBERS, "5")
    (False, False)
    """
    low = high = True
    if step is not None:
        for number in numbers:
            least, greatest = reading.rounded((number, number), step)
            low, high = low and least == number, high and greatest == number
            if not (low or high):
                break
    return low, high


def _advised(numbers: Collection[Decimal], reading: Reading) -> str:
    """Return a step that fits the column, and moves some of its numbers if any does."""
    least, greatest = min(numbers), max(numbers)
    step = reading.step_for((least, greatest))
    with localcontext(prec=EXACT):
        for twice in range(8):
            wider = greatest + (greatest - least) * (2**twice - 1)
            step = reading.step_for((least, wider))
            if not any(exact_sides(numbers, reading, step)):
                break
    return step


def _numbers(
    texts: tuple[str | None, ...], reading: Reading, missing: Collection[str | None]
) -> dict[int, Decimal]:
    """Return the numbers among some texts, by their places; codes of gaps are none."""
    ends = {c: reading.ends(t) for c, t in enumerate(texts) if t not in missing}
    return {code: each[0] for code, each in ends.items() if each is not None}


def _places(
    texts: tuple[str | None, ...],
    place: Mapping[Decimal, int],
    least: str | None,
    reading: Reading,
) -> tuple[Ints, Ints]:
    """Return for each text of a range the places of its ends, else -1; -2: nowhere."""
    low, high = np.full((2, len(texts)), -1, np.int64)
    with localcontext(prec=EXACT):
        for code, text in enumerate(texts):
            both = reading.ends(text)
            if both is None or both[1] - both[0] <= Decimal(least or 0):
                continue
            low[code], high[code] = (place.get(end, -2) for end in both)
    return low, high
