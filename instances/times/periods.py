"""Periods of time, between which ends of ranges are rounded."""

import re
from dataclasses import dataclass
from datetime import date

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

    Attributes
    ----------
    count
        How many.
    name
        Of what.

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

    def ends(self, notation: Notation, low: int, high: int) -> tuple[int, int]:
        """Return where a range begins and ends that is rounded outwards.

        It ends with the last moment of a period that can be written; a range of
        durations with a multiple.
        """
        begin, end = self._start(notation, low), self._start(notation, high)
        if notation.ends_within:
            return begin, self._next(notation, end) - notation.tick
        return begin, end if end == high else end + self.length

    def _start(self, notation: Notation, value: int) -> int:
        """Return the first moment of the period of a moment."""
        if notation.unit == "month":
            return max(value // self.length * self.length, _FIRST)
        local = notation.local(value)
        if not self.of_calendar:
            return notation.universal(local // self.length * self.length)
        day = date.fromordinal(local // DAY + 1)
        month = 12 * day.year + day.month - 1
        return notation.universal(_midnight(month // self.length * self.length))

    def _next(self, notation: Notation, start: int) -> int:
        """Return the first moment of the next period."""
        if notation.unit == "month":
            return min(start // self.length * self.length + self.length, _LAST)
        local = notation.local(start)
        if not self.of_calendar:
            return notation.universal(min(local + self.length, _midnight(_LAST)))
        day = date.fromordinal(local // DAY + 1)
        month = (12 * day.year + day.month - 1) // self.length * self.length
        return notation.universal(_midnight(month + self.length))


def _midnight(month: int) -> int:
    """Return the first moment of a month, from year 1 to 9999."""
    if month >= _LAST:
        return DAY * date.max.toordinal()
    year, month = divmod(max(month, _FIRST), 12)
    return DAY * (date(year, month + 1, 1).toordinal() - 1)
