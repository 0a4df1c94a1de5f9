"""Periods of time, between which ends of ranges are rounded."""

import re
from dataclasses import dataclass
from datetime import date
from itertools import groupby, pairwise

from starmin.instances.errors import TableError
from starmin.instances.times.notation import DAY, HOUR, MINUTE, SECOND, Notation

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

    Examples
    --------
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
