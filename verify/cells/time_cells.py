"""Reads times and ranges of them by the library's calendar, apart from the methods."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import groupby, pairwise
from typing import ClassVar

from starmin.instances.scales.numbers import form_of
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.times.recognise import form_for, notation_of, written_as
from starmin.instances.times.signs import TO
from starmin.verify.cells.readings import NUMBERS, STEPS, Ends, Reading, Text, ends_of

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


_FIRST = datetime(1, 1, 1)  # a Monday
_LAST = Decimal((datetime.max - _FIRST).days + 1) * 86_400
_ZONE = r"(?P<z>Z|[+-]\d\d(?::?\d\d)?)"
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_PART = re.compile(r"(\d+(?:\.\d+)?)([WDHMS])", re.ASCII)


@dataclass(frozen=True)
class TimeReading(Reading):
    """Times, and ranges as ``2024-03-01..2024-03-31``.

    Times are seconds from the first day of year 1 on, in universal time; months, where
    there are no days.
    """

    form: str  # the signs of ``strptime``, or the name of a way to write durations
    digits: int = 0  # the most decimals of seconds
    # by moment, how many seconds clocks are before universal time; empty if all are by
    # none
    clocks: Mapping[Decimal, int] = field(default_factory=dict, repr=False)
    last: int | None = None  # the last year that two digits stand for
    # by step and moment the ends of its period, as far as known
    _periods: dict[str, dict[Decimal, Ends]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(cls, form: str, texts: Iterable[str]) -> "TimeReading":
        """Return how times are read, with what all texts of a column tell.

        >>> TimeReading.of("%H:%M:%S.%f%z", ["07:00:00.25+02:00"])
        TimeReading(form='%H:%M:%S.%f%z', digits=2, last=None)
        """
        last = None
        if found := re.fullmatch(r"(.*%y.*) to (\d{4})", form, re.ASCII | re.DOTALL):
            form, last = found[1], int(found[2])
        digits, clocks = 0, dict[Decimal, int]()
        if "%f" in form or "%z" in form or form.startswith("duration"):
            for text in texts:
                if not (parts := _parts_of(form).fullmatch(text)):
                    continue
                digits = max(digits, len(parts["f"] or ""))
                moment, ahead = _moment(form, text, last), _ahead(parts["z"])
                if "%z" in form and moment is not None:
                    clocks[moment] = max(ahead, clocks.get(moment, ahead))
        return cls(form, digits, clocks, last)

    @property
    def sample(self) -> tuple[str, str]:  # type: ignore[override]
        """A cell and a range, for messages."""
        return f"a time of the form {self.form}", "a range of such joined by .."

    def ends(self, text: Text) -> Ends | None:
        return _ends(self.form, text or "", self.last)

    def is_range(self, text: Text) -> bool:
        return ".." in (text or "") and self.ends(text) is not None

    def is_rounded(self, text: Text, step: str) -> bool:
        low, _, high = (text or "").partition("..")
        ends = self.ends(text)
        if ends is None:
            return False
        shown = [
            end + _ahead(found["z"])
            if (found := _parts_of(self.form).fullmatch(each))
            else end
            for end, each in zip(ends, (low, high or low), strict=True)
        ]
        return self._rounded(shown[0], shown[1], step) == (shown[0], shown[1])

    def rounded(self, ends: Ends, step: str) -> Ends:
        low, high = (self._period_of(end, step) for end in ends)
        return low[0], high[1]

    def _period_of(self, moment: Decimal, step: str) -> Ends:
        """Return the ends of the period of a moment, as clocks of the column show them.

        Its first time in the column has the clock of its begin, its last the other. If
        periods are not in order then, and there are several clocks, it is universal
        time.
        """
        if step not in self._periods:
            self._periods[step] = self._clocked(step)
        aheads = {*self.clocks.values()}
        ahead = aheads.pop() if len(aheads) == 1 else 0
        low, high = self._rounded(moment + ahead, moment + ahead, step)
        return self._periods[step].get(moment) or (low - ahead, high - ahead)

    def _clocked(self, step: str) -> dict[Decimal, Ends]:
        """Return the ends of the periods of all moments, if they are in order."""
        found = dict[Decimal, Ends]()
        shown = (
            (self._rounded(each + ahead, each + ahead, step), each, ahead)
            for each, ahead in sorted(self.clocks.items())
        )
        for (begin, end), group in groupby(shown, key=lambda told: told[0]):
            inside = [told[1:] for told in group]
            both = begin - inside[0][1], end - inside[-1][1]
            found |= dict.fromkeys((each for each, _ in inside), both)
        order = [found[each] for each in sorted(found)]
        ordered = all(a <= c and b <= d for (a, b), (c, d) in pairwise(order))
        return found if ordered else {}

    def tick(self, number: Decimal) -> Decimal:
        return Decimal(self._months) or self._tick

    def step_for(self, ends: Ends) -> str:
        """Return a period that is longer than the least step.

        >>> year = TimeReading("%Y-%m-%d").ends("2024-01-01..2024-12-31")
        >>> TimeReading("%Y-%m-%d").step_for(year)
        'month'
        """
        if self._months:
            lengths = {name: Decimal(n) for name, n in _MONTHS.items()}
            tick = Decimal(self._months)
        else:
            tick = self._tick
            lengths = {name: Decimal(size) for name, size in _SECONDS.items()}
            if not self.form.startswith("duration"):
                year = {name: Decimal(n * 365 * 7_200) for name, n in _MONTHS.items()}
                lengths |= year | {"month": Decimal(31 * 86_400)}
            if not {"%d", "duration"} & {self.form[:8], *re.findall("%.", self.form)}:
                lengths = {name: lengths[name] for name in ("second", "minute", "hour")}
        width = (ends[1] - ends[0]) / STEPS
        longer = [name for name, n in lengths.items() if n > tick and n >= width]
        return longer[0] if longer else [*lengths][-1]

    @property
    def _months(self) -> int:
        """How many months there are between times without days; 0: there are days."""
        if not re.search("%[Yy]", self.form) or "%d" in self.form:
            return 0
        if re.search("%[mbB]", self.form):
            return 1
        return 3 if "%q" in self.form else 12

    @property
    def _tick(self) -> Decimal:
        """The least step between two times."""
        if "%f" in self.form:
            return Decimal(1).scaleb(-self.digits)
        for sign, seconds in (("%S", 1), ("%M", 60), ("%H", 3600), ("%I", 3600)):
            if sign in self.form:
                return Decimal(seconds)
        return Decimal(86_400)

    def _rounded(self, low: Decimal, high: Decimal, step: str) -> Ends:
        """Return the ends, as clocks show them, rounded outwards."""
        count, name = re.fullmatch(r"(\d*)(\w+)", step).groups()  # type: ignore[union-attr]
        many = int(count or 1)
        if self._months:
            length = many * _MONTHS[name]
            first, last = int(low) // length * length, int(high) // length * length
            end = min(last + length, 12 * 10_000) - self._months
            return Decimal(max(first, 12)), Decimal(end)
        if name in _SECONDS:
            size = many * _SECONDS[name]
            begin, end_of = low // size * size, high // size * size
            if begin > low:  # of negative numbers it is rounded towards 0
                begin -= size
            if end_of > high:
                end_of -= size
            if self.form.startswith("duration"):
                return begin, end_of if end_of == high else end_of + size
            return begin, min(end_of + size, _LAST) - self._tick
        length = many * _MONTHS[name]
        return _month(low, length, 0), _month(high, length, length) - self._tick


def _month(moment: Decimal, length: int, later: int) -> Decimal:
    """Return when a period of months begins, or one so many months later."""
    day = _FIRST + timedelta(days=int(moment // 86_400))
    month = (12 * day.year + day.month - 1) // length * length + later
    if month >= 12 * 10_000:
        return _LAST
    year, month = divmod(max(month, 12), 12)
    return Decimal((datetime(year, month + 1, 1) - _FIRST).days * 86_400)


@lru_cache(2**16)  # the same cell comes with many values
def _ends(form: str, text: str, year: int | None) -> Ends | None:
    low, to, high = text.partition("..")
    first = _moment(form, low, year)
    last = _moment(form, high, year) if to else first
    return None if first is None or last is None else (first, last)


def _moment(form: str, text: str, year: int | None) -> Decimal | None:
    """Return the number that one time stands for; two digits end with a year."""
    found = _parts_of(form).fullmatch(text)
    if found is None:
        return None
    if form.startswith("duration"):
        return _duration(form.partition(":")[2], text)
    fraction = Decimal(f"0.{found['f'] or 0}")
    signs = re.sub(r"[.,]?%f|%z", "", form).replace("%q", "%m")
    rest = "".join(
        f"{3 * int(each) - 2:02}" if name == "q" else each
        for name, each in found.groupdict().items()
        if name[0] in "qr"
    )
    try:
        moment = datetime.strptime(rest, signs)
        if year is not None:
            moment = moment.replace(year=year - (year - moment.year) % 100)
    except ValueError:
        return None
    if not {"%d", "%H", "%I"} & {*re.findall("%.", form)}:
        return Decimal(12 * moment.year + moment.month - 1)
    since = moment - _FIRST
    days = since.days if "%d" in form else 0
    return days * 86_400 + since.seconds + fraction - _ahead(found["z"])


@lru_cache
def _parts_of(form: str) -> re.Pattern[str]:
    """Return what splits a text into what the library reads and what it does not."""
    if form.startswith("duration"):
        return re.compile(r"[^.]*(?:\.(?P<f>\d{1,9})S?)?(?P<z>)", re.ASCII)
    made, names = "", 0
    for piece in re.split(r"([.,]?%f|%z|%q)", form):
        if piece.endswith("%f"):
            mark = re.escape(piece[:-2])
            made += rf"(?:{mark}(?P<f>\d{{1,9}}))?"
        elif piece == "%z":
            made += _ZONE
        elif piece == "%q":
            made += "(?P<q>[1-4])"
        elif piece:
            made += f"(?P<r{names}>.+?)"
            names += 1
    made += "" if "%f" in form else "(?P<f>)"
    made += "" if "%z" in form else "(?P<z>)"
    return re.compile(made, re.ASCII | re.DOTALL)


def _ahead(zone: str | None) -> int:
    """Return by how many seconds clocks of a zone are before universal time."""
    if not zone or zone == "Z":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return int(zone[0] + "1") * 60 * (60 * int(digits[:2]) + int(digits[2:]))


def _duration(kind: str, text: str) -> Decimal | None:
    """Return the seconds of a length of time."""
    if kind == "iso":
        sign, text = (-1, text[1:]) if text.startswith("-") else (1, text)
        days, t, clock = text.removeprefix("P").partition("T")
        by = {"W": 604_800, "D": 86_400}, {"H": 3600, "M": 60, "S": 1}
        total, read = Decimal(0), "P"
        for part, units in zip((days, clock), by, strict=True):
            for number, unit in _PART.findall(part):
                if unit not in units:
                    return None
                total += Decimal(number) * units[unit]
                read += number + unit
            read += t if part is days else ""
        return sign * total if read == text and len(text) > 1 else None
    days, clock = "0", text
    if kind == "days":
        found = re.fullmatch(r"(-?\d+) days?(?:,? (.+))?", text, re.ASCII)
        if found is None:
            return None
        days, clock = found[1], found[2] or "0:00"
    found = re.fullmatch(
        r"([+-]?)(\d+):([0-5]\d)(?::([0-5]\d(?:\.\d{1,9})?))?", clock, re.ASCII
    )
    if found is None or (kind == "clock" and found[1] == "+"):
        return None
    seconds = 3600 * int(found[2]) + 60 * int(found[3]) + Decimal(found[4] or 0)
    return 86_400 * int(days) + (-seconds if found[1] == "-" else seconds)


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
