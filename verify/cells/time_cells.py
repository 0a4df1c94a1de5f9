"""Reads times and ranges of them as the checker of one file does, apart from methods.

What values that are ranges themselves stand for is here, too.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from starmin.instances.scales.numbers import form_of
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.times.recognise import form_for, notation_of, written_as
from starmin.instances.times.signs import TO
from starmin.verify.cells.readings import (
    EXACT,
    NUMBERS,
    STEPS,
    Ends,
    Reading,
    Text,
    ends_of,
)

if TYPE_CHECKING:
    from starmin.verify.checker.times import Times

# Reads columns whose values are ranges themselves, as ``(20, 30]`` or ``20-29``.

BAND = re.compile(r"([\[(]?)([^\[(,;]+?)(?:, ?|-(?=[0-9.]+$))([^,;\])]+)([\])]?)")


@dataclass(frozen=True)
class BandReading(Reading):
    """Ranges as values, and ranges from the first to the last of several."""

    inner: Reading  # how their ends are read
    # the cells that are values, of which none holds another one
    values: frozenset[Text]
    sample = ("a range of the column", "one of several such")
    of_bands: ClassVar[bool] = True

    @classmethod
    def of(cls, inner: Reading, texts: Iterable[Text]) -> "BandReading":
        """Return how bands are read; those that hold others are none of the values."""
        known = cls(inner, frozenset(texts))
        spans = {text: ends for text in known.values if (ends := known.ends(text))}
        ordered = sorted(spans.items(), key=lambda item: (item[1][1], -item[1][0]))
        values, last = set[Text](), None
        for text, (low, _) in ordered:  # one that ended before and begins later
            if last is None or low > last:
                values.add(text)
                last = low
        return cls(inner, frozenset(values))

    def ends(self, text: Text) -> Ends | None:
        found = BAND.fullmatch(text or "")
        if found is None:
            return None
        low, high = self.inner.ends(found[2]), self.inner.ends(found[3])
        return None if low is None or high is None else (low[0], high[1])

    def is_range(self, text: Text) -> bool:
        return text not in self.values and self.ends(text) is not None

    def is_lossy(self, text: Text) -> bool:
        return text not in self.values

    def is_rounded(self, text: Text, step: str) -> bool:
        return False

    def rounded(self, ends: Ends, step: str) -> Ends:
        return ends

    def tick(self, number: Decimal) -> Decimal:
        return self.inner.tick(number)

    def step_for(self, ends: Ends) -> str:
        return self.inner.step_for(ends)


@dataclass(frozen=True, eq=False)
class TimeReading(Reading):
    """Times, and ranges as ``2024-03-01..2024-03-31``.

    Times are numbers as the checker of one file has them: seconds from the first day of
    year 1 on, in universal time; months, where there are no days.
    """

    form: str  # the signs of ``strptime``, or the name of a way to write durations
    times: "Times"  # of the texts of the column, as far as these tell clocks and digits

    @classmethod
    def of(cls, form: str, texts: Iterable[str] = ()) -> "TimeReading":
        """Return how times are read, with what all texts of a column tell.

        >>> reading = TimeReading.of("%H:%M:%S.%f%z", ["07:00:00.25+02:00"])
        >>> reading.tick(Decimal(0)), reading.ends("07:00:00+02")[0]
        (Decimal('0.01'), Decimal('18000'))
        """
        times = _times(form)
        if times.signs & {"f", "z"}:
            known = {text for text in texts if _ends(form, text) is not None}
            times = type(times)(form, known)
        return cls(form, times)

    @property
    def sample(self) -> tuple[str, str]:  # type: ignore[override]
        """A cell and a range, for messages."""
        return f"a time of the form {self.times.form}", "a range of such joined by .."

    def ends(self, text: Text) -> Ends | None:
        return _ends(self.form, text or "")

    def is_range(self, text: Text) -> bool:
        return TO in (text or "") and self.ends(text) is not None

    def is_rounded(self, text: Text, step: str) -> bool:
        from starmin.verify.checker.times import zone

        if self.ends(text) is None:
            return False
        low, _, high = (text or "").partition(TO)
        times, shown = self.times, list[Fraction]()
        for each in (low, high or low):
            shown.append(times.number(each) + zone(times.fields(each).get("z")))
        first, _ = times.shown(shown[0], step)
        return shown == [first, times.last_of(shown[1], times.shown(shown[1], step))]

    def rounded(self, ends: Ends, step: str) -> Ends:
        low, high = (Fraction(end) for end in ends)
        rounded = self.times.begin(low, step), self.times.end(high, step)
        return _decimal(rounded[0]), _decimal(rounded[1])

    def tick(self, number: Decimal) -> Decimal:
        return _decimal(self.times.tick)

    def step_for(self, ends: Ends) -> str:
        """Return a period that is longer than the least step.

        >>> reading = TimeReading.of("%Y-%m-%d")
        >>> reading.step_for(reading.ends("2024-01-01..2024-12-31"))
        'month'
        """
        from starmin.verify.checker.times import OF_MONTHS, SECONDS

        lengths, signs = SECONDS, self.times.signs
        if self.times.months:
            lengths = OF_MONTHS
        elif "d" in signs:
            months = {name: n * 365 * 7_200 for name, n in OF_MONTHS.items()}
            lengths = SECONDS | months | {"month": 31 * 86_400}
        elif signs:  # times of the day
            lengths = {name: SECONDS[name] for name in ("second", "minute", "hour")}
        width = (ends[1] - ends[0]) / STEPS
        tick = self.times.tick
        longer = [name for name, n in lengths.items() if n > tick and n >= width]
        return longer[0] if longer else [*lengths][-1]


@lru_cache(2**16)  # the same cell comes with many values
def _ends(form: str, text: str) -> Ends | None:
    low, to, high = text.partition(TO)
    first = _number(form, low)
    last = _number(form, high) if to else first
    return None if first is None or last is None else (first, last)


def _number(form: str, text: str) -> Decimal | None:
    """Return the number that one time stands for; None where it is none."""
    from starmin.verify.checker.reading import RefusalError

    try:
        return _decimal(_times(form).number(text))
    except (RefusalError, ValueError):
        return None


@lru_cache
def _times(form: str) -> "Times":
    from starmin.verify.checker.times import Times

    return Times(form, set())


def _decimal(number: Fraction) -> Decimal:
    """Return a number of which decimals have an end."""
    with localcontext(prec=EXACT):
        return Decimal(number.numerator) / number.denominator


# How a column of numbers or times is read, found from its texts.


def reading_of(texts: Iterable[Text], form: str | None = None) -> Reading:
    """Return how a column is read, from those of its texts that are not missing.

    They are values, or ranges of them. ``form`` is how times are written; None: found
    out.

    >>> reading_of(["3", "[4-5]"]).ends("[4-5]")
    (Decimal('4'), Decimal('5'))
    >>> low, high = reading_of(["2024-05-31"]).ends("2024-06-02..2024-06-03")
    >>> high - low == 24 * 3600
    True
    """
    texts = list(texts)
    if form_of([text or "" for text in texts]) and not written_as(texts[0] or ""):
        ends = [found for text in texts if (found := BAND.fullmatch(text or ""))]
        both = [end for found in ends for end in (found[2], found[3])]
        return BandReading.of(reading_of(both, form), texts)
    parts = [part for text in texts for part in (text or "").split(TO)]
    form = form_for(parts, form)
    if form is None:
        parts = [part for part in parts if ends_of(part) is None]
        notation, _ = notation_of(parts)
        form = notation.text if notation else None
    return NUMBERS if form is None else TimeReading.of(form, parts)


def reading_of_scale(scale: NumericScale, texts: Iterable[Text]) -> Reading:
    """Return how the values of a scale are read, these being among them."""
    form = scale.measure.as_json.get("time")
    if "band" in scale.measure.as_json:
        return reading_of(texts, form)
    return NUMBERS if form is None else reading_of(texts, form)
