"""What the texts of a column are as numbers: numbers, times, or ranges of them."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.errors import TableError
from starmin.instances.scales.numbers import (
    DECIMAL,
    MOST_LENGTH,
    Band,
    WholeNumbers,
    Width,
    ambiguity,
    form_of,
    in_common_unit,
    is_finite,
    rounded_ends,
    whole_numbers,
    widened_ends,
)
from starmin.instances.times import recognise
from starmin.instances.times.signs import TO, Notation, Period, Rounding, parted

_WIDE = 2**62  # from here on differences are integers of Python


class Limits(NamedTuple):
    """What is asked of the ranges of a column."""

    step: str | None = None  # what ends are rounded to; None: they are not
    width: Width = Width()  # how long ranges are


class Measure(ABC):
    """How texts are read as numbers, and ranges of them are written."""

    @abstractmethod
    def whole(
        self, texts: Sequence[str], limits: Limits, ends: Sequence[str] = ()
    ) -> WholeNumbers:
        """Return texts of the column as whole numbers, exactly.

        ``texts`` has each one once; ``ends`` are further numbers, which follow those
        and begin and end ranges as they are. Raises TableError for limits that are for
        columns of another kind.
        """

    @abstractmethod
    def range_text(self, least: str, greatest: str, limits: Limits, last: str) -> str:
        """Return what is published for a range between two texts.

        ``last`` is the greatest text of the column.
        """

    @property
    def as_json(self) -> dict[str, Any]:
        """What a certificate says of it."""
        return {}


@dataclass(frozen=True)
class Numbers(Measure):
    """Numbers with a decimal point or comma."""

    mark: str = "."  # which of both

    def whole(
        self, texts: Sequence[str], limits: Limits, ends: Sequence[str] = ()
    ) -> WholeNumbers:
        step, width = limits
        if step is not None and Period.parse(step):
            raise TableError(f"numbers are rounded to a step as 5, not to {step}")
        if width.unit:
            raise TableError(f"expected widths of numbers as 5..20, got {width}")
        return whole_numbers(texts, step, width.least, ends)

    def range_text(self, least: str, greatest: str, limits: Limits, last: str) -> str:
        low, high = self.ends(least, greatest, limits, last)
        return f"[{low}-{high}]"

    def ends(
        self, least: str, greatest: str, limits: Limits, last: str
    ) -> tuple[str, str]:
        """Return the ends of a range, rounded outwards and widened if asked."""
        low, high, (step, width) = least, greatest, limits
        if step is not None:
            low, high = rounded_ends(low, high, step, self.mark)
            _, last = rounded_ends(last, last, step, self.mark)
        if width.least is not None:
            low, high = widened_ends(low, high, width.least, last, self.mark)
        return low, high


@dataclass(frozen=True)
class Times(Measure):
    """Dates, times of the day, durations."""

    notation: Notation  # how they are written

    def whole(
        self, texts: Sequence[str], limits: Limits, ends: Sequence[str] = ()
    ) -> WholeNumbers:
        if ends:
            raise TableError("a top or a bottom is for numbers, not for times")
        period = self._period(limits.step)
        least = self._least(limits.width, period)
        if not texts:
            return whole_numbers([])
        moments = [self._read(text) for text in texts]
        spans = [(each, each) for each in moments]
        if period is not None:
            ends_of = map(self._rounding(period).ends, moments, moments)
            spans = [(begin, end) for (begin, _), (end, _) in ends_of]
            self._expect_readable(min(spans)[0], max(spans)[1])
        first = min(begin for begin, _ in spans)
        longest = max(max(end for _, end in spans) - first, least)

        def array(numbers: Sequence[int]) -> npt.NDArray[Any]:
            kind = object if longest >= _WIDE else np.int64
            return np.array([number - first for number in numbers], kind)

        lower, upper = zip(*spans, strict=True)
        both = array(lower), array(upper)
        unit = Fraction(1, self.notation.parts)
        return in_common_unit(array(moments), *both, least, unit)

    def range_text(self, least: str, greatest: str, limits: Limits, last: str) -> str:
        period, write = self._period(limits.step), self.notation.write
        low, high = self._read(least), self._read(greatest)
        if period is not None:
            ends = self._rounding(period).ends(low, high)
            return TO.join(write(*end) for end in ends)
        shortest = self._least(limits.width, None)
        if high - low >= shortest:
            return f"{least}{TO}{greatest}"
        high = min(low + shortest, self._read(last))
        return f"{write(high - shortest)}{TO}{write(high)}"

    @property
    def as_json(self) -> dict[str, Any]:
        return {"time": self.notation.text}

    @cached_property
    def _roundings(self) -> dict[Period, Rounding]:
        return {}

    def _rounding(self, period: Period) -> Rounding:
        """Return what rounds to a period, made once."""
        if period not in self._roundings:
            self._roundings[period] = Rounding(period, self.notation)
        return self._roundings[period]

    def _expect_readable(self, *ends: int) -> None:
        """Raise TableError where two digits of a year do not tell an end."""
        _, last = parted(self.notation.text)
        for end in ends if last is not None else ():
            text = self.notation.write(end)
            if self.notation.read(text) != end:
                raise TableError(
                    f"two digits do not tell the year of {text}, where a rounded range "
                    "ends; write years with four digits, or name a later last year "
                    f"than in --date-format {self.notation.text!r}"
                )

    def _read(self, text: str) -> int:
        moment = self.notation.read(text)
        assert moment is not None
        return moment

    def _period(self, step: str | None) -> Period | None:
        """Return the period of rounding."""
        if step is None:
            return None
        period = Period.parse(step)
        if period is None:
            raise TableError(
                f"times as {self.notation.example} are rounded to a period as month, "
                f"day or 15minute, not to {step}"
            )
        period.expect_of(self.notation)
        return period

    def _least(self, width: Width, period: Period | None) -> int:
        """Return the least length of a range."""
        if width == Width():
            return 0
        if width.unit != self.notation.unit:
            asked = "7day..30day" if self.notation.unit == "second" else "1month..1year"
            raise TableError(
                f"expected widths of times as {self.notation.example} like {asked}, "
                f"got {width}"
            )
        least = Fraction(width.least or 0) * self.notation.parts
        if least and period is not None:
            raise TableError("a least width is not for times that are rounded")
        if least % self.notation.tick:
            raise TableError(
                f"no range of times as {self.notation.example} has a width of {width}"
            )
        return int(least)


@dataclass(frozen=True)
class Bands(Measure):
    """Values that are ranges themselves, none of them within another one.

    A range of them begins where the first begins, and ends where the last ends.
    """

    form: str  # how they are written: see ``Band``
    inner: Measure  # what their ends are: numbers or times

    def whole(
        self, texts: Sequence[str], limits: Limits, ends: Sequence[str] = ()
    ) -> WholeNumbers:
        if ends or limits != Limits():
            raise TableError(
                f"values as {texts[0]!r} are ranges already, which are neither rounded "
                "nor widened nor cut off"
            )
        bands = [band for band in map(Band.parse, texts) if band is not None]
        both = [band.least for band in bands] + [band.greatest for band in bands]
        found = self.inner.whole(both, limits)
        low, high = found.values[: len(bands)], found.values[len(bands) :]
        order = np.lexsort((high, low))
        for first, second in pairwise(order.tolist()):
            if low[first] == low[second] or high[first] >= high[second]:
                raise TableError(
                    f"{texts[first]!r} and {texts[second]!r}: of ranges none may be "
                    "within another one"
                )
        if len(bands) and (low > high).any():
            raise TableError(f"{texts[int(np.argmax(low > high))]!r} is no range")
        return in_common_unit(low, low, high, 0, found.unit)

    def range_text(self, least: str, greatest: str, limits: Limits, last: str) -> str:
        first, other = Band.parse(least), Band.parse(greatest)
        assert first is not None and other is not None
        return first.joined(other.greatest)

    @property
    def as_json(self) -> dict[str, Any]:
        return {"band": self.form} | self.inner.as_json


def _bands_of(
    texts: Sequence[str], form: str, declared: str | None
) -> tuple[Measure, "Misfit | None"]:
    """Return the measure of bands, and the first text that is none of them."""
    bands = list(map(Band.parse, texts))
    both = [end for band in bands if band for end in (band.least, band.greatest)]
    for band, text in zip(bands, texts, strict=True):
        if band and not (is_finite(band.least) and is_finite(band.greatest)):
            raise TableError(
                f"{text!r} has no end; give the first and the last range ends, or make "
                "numbers of the column and name --top or --bottom"
            )
    inner, misfit = measure_of(both, declared)
    wrong = both[misfit.place] if misfit is not None else None
    for place, band in enumerate(bands):
        ends = (band.least, band.greatest) if band is not None else ()
        if band is None or band.form != form or wrong in ends:
            sample = next(t for t, b in zip(texts, bands, strict=True) if b)
            return inner, Misfit(place, f"a range as {sample}")
    return Bands(form, inner), None


@dataclass(frozen=True)
class Misfit:
    """A text that is not what it should be."""

    place: int  # among the texts of the column
    expected: str  # what it should be


def measure_of(
    texts: Sequence[str], declared: str | None = None
) -> tuple[Measure, Misfit | None]:
    """Return what most texts of a column are, and the first that is something else.

    ``texts`` has each one once, without missing values. ``declared`` tells how times
    are written, in the signs of ``strptime``; if it is None, that is found out. Raises
    TableError for times that may be read in several ways, or commas that may.

    >>> measure_of(["42", "1,5"])
    (Numbers(mark=','), None)
    >>> measure_of(["2024-05-31", "2024-06-01", "42"])[1]
    Misfit(place=2, expected='a time as 2024-05-31')
    """
    declared = recognise.form_for(texts, declared)
    is_number = re.compile(DECIMAL).fullmatch
    numbers = [len(text) <= MOST_LENGTH and bool(is_number(text)) for text in texts]
    if declared is None and all(numbers):
        if why := ambiguity(texts):
            raise TableError(why)
        return Numbers("," if any("," in text for text in texts) else "."), None
    months = all(recognise.written_as(text) for text in texts[:1])
    if not months and (form := form_of(texts)) is not None:
        return _bands_of(texts, form, declared)
    notation, place = recognise.notation_of(texts, declared)
    others = [text for text, is_one in zip(texts, numbers, strict=True) if not is_one]
    if notation is None and (forms := recognise.likely_forms(others)):
        raise TableError(
            f"{others[0]!r} may be a time; say how it is written, as "
            f"{' or '.join(forms)} (--date-format)"
        )
    times = len(texts) - sum(numbers) if notation is not None else 0
    if notation is None or (declared is None and times < sum(numbers)):
        return Numbers(), Misfit(numbers.index(False), "a number as 42 or -1.5")
    shown = f"a time as {notation.example}"
    if declared is not None:
        shown = f"a time of the form {declared}, as {notation.example}"
    return Times(notation), None if place < 0 else Misfit(place, shown)
