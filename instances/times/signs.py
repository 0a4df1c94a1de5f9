"""The signs of a format of times, as ``strptime`` has them, and what they match."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import groupby, pairwise
from types import MappingProxyType
from typing import ClassVar, Literal

from starmin.instances.errors import TableError

# How the times of a column are written, and what whole number each of them is.

Unit = Literal["second", "month"]

SECOND = 10**9  # in billionths, which times with a clock are counted in
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND

TO = ".."  # between the ends of a range


class Notation(ABC):
    """A way to write times, each of which is a whole number of parts of a unit.

    Lengths are told in the unit: seconds; or months, where there are no days.
    """

    text: str  # its name: for dates and times of the day the signs of ``strptime``
    # of a column with several: how far clocks are before universal time, by moment
    zones: Mapping[int, int] = MappingProxyType({})
    # whether a range ends with the last moment of a period, as a month ends with its
    # 31st day; else with a multiple, as numbers do
    ends_within: ClassVar[bool] = True

    @property
    @abstractmethod
    def unit(self) -> Unit:
        """What lengths are told in."""

    @property
    def parts(self) -> int:
        """How many of the whole numbers make one unit."""
        return SECOND if self.unit == "second" else 1

    @property
    @abstractmethod
    def tick(self) -> int:
        """The least step that can be written."""

    @property
    @abstractmethod
    def is_date(self) -> bool:
        """Whether there is a calendar: not for durations and times of the day."""

    @property
    @abstractmethod
    def example(self) -> str:
        """What messages show."""

    @abstractmethod
    def read(self, text: str) -> int | None:
        """Return the whole number that a text stands for; None if it is no time."""

    @abstractmethod
    def write(self, value: int, ahead: int | None = None) -> str:
        """Return the text of a whole number, which is a multiple of the tick.

        ``ahead`` is how far the clocks that show it are before universal time; None:
        as those of the column are.
        """

    @property
    def ahead(self) -> int:
        """How far clocks are before universal time; 0 where there are several zones."""
        return 0

    @abstractmethod
    def fitted(self, texts: list[str]) -> "Notation":
        """Return it with what only the texts of the column tell: digits and zone."""


# Periods of time, between which ends of ranges are rounded.

_CLOCKS = {
    "second": SECOND,
    "minute": MINUTE,
    "hour": HOUR,
    "day": DAY,
    "week": 7 * DAY,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
PERIODS = (*_CLOCKS, *_MONTHS)
_TEXT = re.compile(rf"([1-9][0-9]{{0,14}})? ?({'|'.join(PERIODS)})s?|centuries")
_FIRST = 12  # the first month of year 1
_LAST = 120_000  # the first one of year 10,000


@dataclass(frozen=True)
class Period:
    """Some hours, days, months or the like, counted from the first day of year 1.

    That is a Monday, on which weeks begin. Years are counted from 0, so that decades
    and the like begin with the years that end on 0.

    >>> Period.parse("months"), str(Period.parse("15 minutes"))
    (Period(count=1, name='month'), '15minute')
    """

    count: int
    name: str

    @classmethod
    def parse(cls, text: str) -> "Period | None":
        """Read a period; None if it is none."""
        if found := _TEXT.fullmatch(text):
            return cls(int(found[1] or 1), found[2] or "century")
        return None

    def __str__(self) -> str:
        return (str(self.count) if self.count > 1 else "") + self.name

    @property
    def of_calendar(self) -> bool:
        """Whether it is of months, which are of several lengths."""
        return self.name in _MONTHS

    @property
    def length(self) -> int:
        """How long it is: months, or billionths of seconds."""
        return self.count * (_MONTHS | _CLOCKS)[self.name]

    def expect_of(self, notation: Notation) -> None:
        """Raise TableError where times that are written so have no such periods."""
        fits = notation.is_date or not self.of_calendar
        if notation.unit == "month":
            fits = self.of_calendar and self.length % notation.tick == 0
        elif not self.of_calendar:
            fits = self.length % notation.tick == 0
            if not notation.is_date and notation.ends_within:  # times of the day
                fits = fits and DAY % self.length == 0
        if not fits:
            raise TableError(
                f"times as {notation.example} are not rounded to a period of {self}"
            )

    def span(self, notation: Notation, local: int) -> tuple[int, int]:
        """Return when a period and the next one begin, as clocks show it."""
        if notation.unit == "month":
            first = local // self.length * self.length
            return max(first, _FIRST), min(first + self.length, _LAST)
        if not self.of_calendar:
            first = local // self.length * self.length
            last = _midnight(_LAST) if notation.ends_within else first + self.length
            return first, min(first + self.length, last)
        day = date.fromordinal(local // DAY + 1)
        month = (12 * day.year + day.month - 1) // self.length * self.length
        return _midnight(month), _midnight(month + self.length)


class Rounding:
    """Rounds the ends of ranges of a column's times to a period.

    Where there are several zones, as summer time makes two of one, a period begins by
    the clock of its first time in the column and ends by that of its last. But if
    ranges of later periods would not begin and end later, clocks show universal time.
    """

    def __init__(self, period: Period, notation: Notation) -> None:
        self._period, self._notation = period, notation
        self._clocks = self._of_moments()

    def ends(self, low: int, high: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return where a range begins and ends that is rounded outwards.

        It ends with the last moment of a period that can be written; a range of
        durations with a multiple. Behind each end stands how far the clocks that show
        it are before universal time.
        """
        notation, usual = self._notation, (self._notation.ahead,) * 3
        own, ahead, _ = self._clocks.get(low, usual)
        begin = self._period.span(notation, low + own)[0] - ahead, ahead
        own, _, ahead = self._clocks.get(high, usual)
        first, following = self._period.span(notation, high + own)
        if notation.ends_within:
            return begin, (following - ahead - notation.tick, ahead)
        return begin, (high if first == high else following, ahead)

    def _of_moments(self) -> dict[int, tuple[int, int, int]]:
        """Return for each moment the clocks: its own, at its period's begin and end."""
        found: dict[int, tuple[int, int, int]] = {}
        ends = list[tuple[int, int]]()
        moments = sorted(self._notation.zones.items())
        spans = [self._period.span(self._notation, at + own) for at, own in moments]
        each = zip(moments, spans, strict=True)
        for (first, following), of_period in groupby(each, key=lambda pair: pair[1]):
            members = [moment for moment, _ in of_period]
            begin, end = members[0][1], members[-1][1]
            ends.append((first - begin, following - end))
            found |= {at: (own, begin, end) for at, own in members}
        later = all(a <= c and b <= d for (a, b), (c, d) in pairwise(ends))
        return found if later else {}


def _midnight(month: int) -> int:
    """Return the first moment of a month, from year 1 to 9999."""
    if month >= _LAST:
        return DAY * date.max.toordinal()
    year, month = divmod(max(month, _FIRST), 12)
    return DAY * (date(year, month + 1, 1).toordinal() - 1)


MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
ZONE = r"Z|[+-][0-9]{2}(?::?[0-9]{2})?"
_SIGNS = {
    "Y": r"[0-9]{4}",
    "y": r"[0-9]{2}",
    "q": r"[1-4]",
    "m": r"1[0-2]|0[1-9]|[1-9]",
    "b": "|".join(month[:3] for month in MONTHS),
    "B": "|".join(MONTHS),
    "d": r"3[01]|[12][0-9]|0[1-9]|[1-9]",
    "H": r"2[0-3]|[01][0-9]|[0-9]",
    "I": r"1[0-2]|0[1-9]|[1-9]",
    "p": "[AaPp][Mm]",
    "M": r"[0-5][0-9]|[0-9]",
    "S": r"[0-5][0-9]|[0-9]",
    "f": r"[0-9]{1,9}",
    "z": ZONE,
}
_DATE = ({"Y"}, {"Y", "q"}, {"Y", "m"}, {"Y", "m", "d"})
_CLOCK = (set[str](), {"H"}, {"H", "M"}, {"H", "M", "S"}, {"H", "M", "S", "f"})
SAME = {"y": "Y", "b": "m", "B": "m", "I": "H"}
_PIECE = re.compile(r"%(.)|([^%]+)", re.DOTALL)
_SIGNS_LAST = re.compile(r"(.*%y.*) to ([0-9]{4})", re.DOTALL)


def parted(form: str) -> tuple[str, int | None]:
    """Return a format, and the last year that its two digits may stand for.

    >>> parted("%d.%m.%y to 2026"), parted("%d.%m.%Y")
    (('%d.%m.%y', 2026), ('%d.%m.%Y', None))
    """
    found = _SIGNS_LAST.fullmatch(form)
    return (found[1], int(found[2])) if found else (form, None)


def full_year(digits: int, last: int | None) -> int:
    """Return the year that two digits stand for: none after the last one, or today's.

    >>> full_year(65, 2026), full_year(26, 2026), full_year(27, 2026)
    (1965, 2026, 1927)
    """
    last = last or date.today().year
    return last - (last - digits) % 100


def with_last_year(form: str, texts: Iterable[str]) -> str:
    """Return a format of two digits of years with the last year that they stand for.

    No year that occurs is after this one. So many years are left before the first one
    that occurs as after the last, so that ends of ranges can be rounded.

    >>> with_last_year("%d.%m.%y", ["1.1.01", "1.1.20"])
    '%d.%m.%y to 2060'
    """
    if not _is_open(form):
        return form
    first, last = _years(form, texts)
    return f"{form} to {last + (99 - (last - first)) // 2}"


def told_years(form: str, texts: Iterable[str]) -> str | None:
    """Say which years two digits are read as, where the format does not.

    >>> told_years("%d.%m.%y", ["1.1.01", "1.1.20"])  # doctest: +ELLIPSIS
    "years of two digits are read as 2001 to 2020, none in the future; the form ..."
    """
    if not _is_open(form):
        return None
    first, last = _years(form, texts)
    return (
        f"years of two digits are read as {first} to {last}, none in the future; the "
        f"form {form + ' to 2050'!r} would read them as 1951 to 2050"
    )


def _is_open(form: str) -> bool:
    """Check whether years have two digits, and it is not said which they are."""
    return parted(form)[1] is None and "y" in signs_of(form)


def _years(form: str, texts: Iterable[str]) -> tuple[int, int]:
    """Return the first and the last year of some texts; this year if none has one."""
    found = filter(None, map(pattern_of(form).fullmatch, texts))
    years = {full_year(int(each["y"]), None) for each in found} or {date.today().year}
    return min(years), max(years)


@lru_cache
def signs_of(form: str) -> tuple[str, ...]:
    """Return the signs of a format, in order.

    Raises TableError for another sign, or the same twice, or signs that make no time:
    days without months, minutes without hours.

    >>> signs_of("%d.%m.%Y"), signs_of("%H:%M")
    (('d', 'm', 'Y'), ('H', 'M'))
    """
    why = f"expected a form of dates as %d.%m.%Y or %H:%M:%S, got {form!r}"
    form, last = parted(form)
    if last is not None and last < 100:
        raise TableError(f"{why}; years of two digits end in 100 or later")
    pieces = list(_PIECE.finditer(form))
    if "".join(piece[0] for piece in pieces) != form or TO in form:
        raise TableError(why)
    signs = tuple(piece[1] for piece in pieces if piece[1] and piece[1] != "%")
    for sign in signs:
        if sign not in _SIGNS:
            known = " ".join("%" + each for each in _SIGNS)
            raise TableError(f"{why}; known signs: {known}")
    kinds = [SAME.get(sign, sign) for sign in signs if sign not in ("p", "z")]
    there = set(kinds)
    days, clock = there & {"Y", "q", "m", "d"}, there & {"H", "M", "S", "f"}
    if (
        len(there) < len(kinds)
        or not there
        or (days and days not in _DATE)
        or clock not in _CLOCK
        or (days and clock and "d" not in days)
        or ("I" in signs) != ("p" in signs)
        or ("z" in signs and not clock)
    ):
        raise TableError(why)
    return signs


@lru_cache
def pattern_of(form: str) -> re.Pattern[str]:
    """Return what texts of a format match; decimals of seconds may be left out.

    >>> pattern_of("%H:%M:%S.%f").fullmatch("07:05:00").groupdict()
    {'H': '07', 'M': '05', 'S': '00', 'f': None}
    """
    signs_of(form)
    form, _ = parted(form)
    made = ""
    for piece in _PIECE.finditer(form):
        sign, rest = piece[1], piece[2]
        if rest is not None or sign == "%":
            made += re.escape(rest or "%")
        elif sign == "f" and made.endswith((r"\.", ",")):
            mark = r"\." if made.endswith(r"\.") else ","
            made = made.removesuffix(mark) + rf"(?:{mark}(?P<f>{_SIGNS[sign]}))?"
        else:
            made += f"(?P<{sign}>{_SIGNS[sign]})"
    names = re.IGNORECASE if {"b", "B"} & {*signs_of(form)} else 0
    return re.compile(made, re.ASCII | names)


def filled(form: str, fields: dict[str, str]) -> str:
    """Return a format with the text of each sign in its place.

    >>> filled("%d.%m.%Y", {"Y": "2024", "m": "03", "d": "05"})
    '05.03.2024'
    """
    return _PIECE.sub(
        lambda piece: piece[2] or ("%" if piece[1] == "%" else fields[piece[1]]),
        parted(form)[0],
    )
