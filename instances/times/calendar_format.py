"""Dates, times of the day, and both, with zones or without, in a format of signs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import ClassVar

from starmin.instances.times.signs import (
    DAY,
    HOUR,
    MINUTE,
    MONTHS,
    SAME,
    SECOND,
    Notation,
    Unit,
    filled,
    full_year,
    parted,
    pattern_of,
    signs_of,
    with_last_year,
)

# Lengths of time: as days and a clock, as a clock alone, or by ISO 8601.

_CLOCK = (
    r"(?P<H>[0-9]+):(?P<M>[0-5][0-9])(?::(?P<S>[0-5][0-9])(?:\.(?P<f>[0-9]{1,9}))?)?"
)
_FORMS = {
    "days": rf"(?P<D>-?[0-9]+) days?(?:,? (?P<C>[+-]?){_CLOCK})?",
    "clock": rf"(?P<N>-?){_CLOCK}",
    "iso": r"(?P<N>-?)P(?=.)(?:(?P<W>[0-9]+)W)?(?:(?P<D>[0-9]+)D)?(?:T(?=.)"
    r"(?:(?P<H>[0-9]+)H)?(?:(?P<M>[0-9]+)M)?"
    r"(?:(?P<S>[0-9]+)(?:\.(?P<f>[0-9]{1,9}))?S)?)?",
}
FORMS = {name: re.compile(form, re.ASCII) for name, form in _FORMS.items()}


@dataclass(frozen=True)
class Duration(Notation):
    """Lengths of time, counted in billionths of seconds.

    >>> Duration("duration:days").read("-1 days +23:00:00") == -HOUR
    True
    >>> [Duration(f"duration:{form}").write(26 * HOUR) for form in FORMS]
    ['1 days 02:00:00', '26:00:00', 'P1DT2H']
    """

    # after ``duration:`` it is ``days`` for ``2 days 07:05:00``, ``clock`` for
    # ``55:05:00`` or ``iso`` for ``P2DT7H5M``
    text: str
    digits: int = 0  # the decimals of seconds that are written
    by_day: bool = False  # whether all are whole days, without a clock, as ``2 days``
    ends_within: ClassVar[bool] = False

    @property
    def form(self) -> str:
        """Which of the three it is."""
        return self.text.partition(":")[2]

    @property
    def unit(self) -> Unit:
        return "second"

    @property
    def tick(self) -> int:
        return DAY if self.by_day else SECOND // int(10**self.digits)

    @property
    def is_date(self) -> bool:
        return False

    @property
    def example(self) -> str:
        return self.write(2 * DAY + 7 * HOUR + 5 * MINUTE)

    def read(self, text: str) -> int | None:
        found = FORMS[self.form].fullmatch(text)
        if found is None:
            return None
        fields = {sign: part or "" for sign, part in found.groupdict().items()}
        by = {"W": 7 * DAY, "D": DAY, "H": HOUR, "M": MINUTE, "S": SECOND}
        parts = {sign: by[sign] * int(fields.get(sign) or 0) for sign in by}
        days = parts.pop("W") + parts.pop("D")
        clock = sum(parts.values()) + int((fields.get("f") or "0").ljust(9, "0"))
        total = days + (-clock if fields.get("C") == "-" else clock)
        return -total if fields.get("N") == "-" else total

    def write(self, value: int, ahead: int | None = None) -> str:
        sign = "-" if value < 0 and self.form != "days" else ""
        days, rest = divmod(value if self.form == "days" else abs(value), DAY)
        hours, minutes = rest // HOUR, rest // MINUTE % 60
        tail = f".{rest % SECOND:09}"[: self.digits + 1] if self.digits else ""
        seconds = f"{rest // SECOND % 60:02}{tail}"
        if self.by_day:
            return f"{days} days"
        if self.form == "days":
            return f"{days} days {hours:02}:{minutes:02}:{seconds}"
        if self.form == "clock":
            return f"{sign}{24 * days + hours:02}:{minutes:02}:{seconds}"
        parts = ((hours, "H"), (minutes, "M"))
        clock = "".join(f"{part}{name}" for part, name in parts if part)
        if rest % MINUTE:
            clock += seconds.removeprefix("0") + "S"
        date = f"{days}D" if days or not clock else ""
        return f"{sign}P{date}" + (f"T{clock}" if clock else "")

    def fitted(self, texts: list[str]) -> "Duration":
        found = [each for each in map(FORMS[self.form].fullmatch, texts) if each]
        digits = max((len(each["f"] or "") for each in found), default=0)
        by_day = self.form == "days" and all(each["H"] is None for each in found)
        return replace(self, digits=digits, by_day=by_day)


_SAMPLE = {"Y": 2024, "m": 5, "d": 31, "q": 2}


@dataclass(frozen=True)
class CalendarFormat(Notation):
    """Dates and times of the day, as the signs of ``strptime`` write them.

    ``%q`` is the quarter; behind a form with ``%y`` may stand the last year that its
    two digits stand for, as ``%d.%m.%y to 2026``. Whole numbers are billionths of
    seconds from the first day of year 1 on, in universal time; or months, where there
    are no days.

    >>> days = CalendarFormat("%d.%m.%Y")
    >>> days.read("05.03.2024") - days.read("4.3.2024") == DAY
    True
    >>> days.write(days.read("4.3.2024")), days.read("30.2.2024")
    ('04.03.2024', None)
    """

    text: str  # the signs
    digits: int = 0  # the decimals of seconds that are written
    # that of all moments; where they have several, universal time as they write it
    zone: str = ""
    # if so, how far clocks are before universal time, by moment
    zones: Mapping[int, int] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        signs_of(self.text)

    @cached_property
    def _signs(self) -> frozenset[str]:
        return frozenset(SAME.get(sign, sign) for sign in signs_of(self.text))

    @property
    def unit(self) -> Unit:
        return "month" if self.is_date and "d" not in self._signs else "second"

    @property
    def is_date(self) -> bool:
        return "Y" in self._signs

    @property
    def tick(self) -> int:
        if self.unit == "month":
            return 1 if "m" in self._signs else 3 if "q" in self._signs else 12
        if "f" in self._signs:
            return SECOND // int(10**self.digits)
        by = {"S": SECOND, "M": MINUTE, "H": HOUR}
        return next((by[sign] for sign in by if sign in self._signs), DAY)

    @property
    def example(self) -> str:
        shown = replace(self, digits=self.digits or 1, zone=self.zone or "Z")
        return shown.write(_moment(_SAMPLE, self.unit))

    def read(self, text: str) -> int | None:
        found = pattern_of(self.text).fullmatch(text)
        if found is None:
            return None
        fields = _fields(found, parted(self.text)[1])
        if not 1 <= fields.get("Y", 1) <= 9999:
            return None
        try:
            moment = _moment(fields, self.unit)
        except ValueError:  # as the 30th of February
            return None
        return moment - _offset(found.groupdict().get("z") or "")

    def write(self, value: int, ahead: int | None = None) -> str:
        ahead = self.ahead if ahead is None else ahead
        if self.unit == "month":
            year, month = divmod(value, 12)
            day = 1
        else:
            days, clock = divmod(value + ahead, DAY)
            day_of = date.fromordinal(max(days, 0) + 1)
            year, month, day = day_of.year, day_of.month - 1, day_of.day
        fields = {
            "Y": f"{year:04}",
            "y": f"{year % 100:02}",
            "q": str(month // 3 + 1),
            "m": f"{month + 1:02}",
            "b": MONTHS[month][:3],
            "B": MONTHS[month],
            "d": f"{day:02}",
        }
        if self.unit == "second":
            hour = clock // HOUR
            fields |= {
                "H": f"{hour:02}",
                "I": f"{(hour - 1) % 12 + 1:02}",
                "p": "AM" if hour < 12 else "PM",
                "M": f"{clock // MINUTE % 60:02}",
                "S": f"{clock // SECOND % 60:02}",
                "f": f"{clock % SECOND:09}"[: self.digits],
                "z": self._zone(ahead),
            }
        form = self.text
        if not self.digits:
            form = re.sub(r"[.,]?%f", "", form)
        return filled(form, fields)

    @property
    def ahead(self) -> int:
        return _offset(self.zone)

    def _zone(self, ahead: int) -> str:
        """Return a zone as the texts of the column write theirs."""
        if ahead == self.ahead:
            return self.zone
        hours, minutes = divmod(abs(ahead) // MINUTE, 60)
        mark = ":" if ":" in self.zone else ""
        text = f"{'-' if ahead < 0 else '+'}{hours:02}{mark}{minutes:02}"
        return text[: len(self.zone)]

    def fitted(self, texts: list[str]) -> "CalendarFormat":
        fit = replace(self, text=with_last_year(self.text, texts))
        if not self._signs & {"f", "z"}:
            return fit
        digits, written, moments = 0, dict[str, None](), dict[int, int]()
        for text in texts:
            if found := pattern_of(self.text).fullmatch(text):
                fields = found.groupdict()
                digits = max(digits, len(fields.get("f") or ""))
                zone = fields.get("z") or ""
                written[zone] = None
                if zone and (moment := fit.read(text)) is not None:
                    ahead = _offset(zone)
                    moments[moment] = max(ahead, moments.get(moment, ahead))
        zone = next(iter(written), "")
        if len({_offset(each) for each in written}) == 1:
            return replace(fit, digits=digits, zone=zone)
        zone = re.sub("[0-9]", "0", max(written, key=len, default="")).replace("-", "+")
        return replace(fit, digits=digits, zone=zone, zones=moments)


def _fields(found: re.Match[str], last: int | None) -> dict[str, int]:
    """Return the numbers that a text has, by sign; two digits of a year as four."""
    texts = {sign: text for sign, text in found.groupdict().items() if text}
    names = [month[:3].lower() for month in MONTHS]
    fields = {}
    for sign, text in texts.items():
        if sign == "y":
            fields["Y"] = full_year(int(text), last)
        elif sign in ("b", "B"):
            fields["m"] = names.index(text[:3].lower()) + 1
        elif sign == "I":
            fields["H"] = int(text) % 12 + (12 if texts["p"].lower() == "pm" else 0)
        elif sign == "f":
            fields["f"] = int(text.ljust(9, "0"))
        elif sign not in ("p", "z"):
            fields[sign] = int(text)
    return fields


def _moment(fields: dict[str, int], unit: Unit) -> int:
    """Return what fields stand for, as clocks show it."""
    if unit == "month":
        month = fields.get("m", 3 * fields.get("q", 1) - 2)
        return 12 * fields["Y"] + month - 1
    clock = HOUR * fields.get("H", 0) + MINUTE * fields.get("M", 0)
    clock += SECOND * fields.get("S", 0) + fields.get("f", 0)
    if "Y" not in fields:
        return clock
    day = date(fields["Y"], fields["m"], fields["d"]).toordinal() - 1
    return DAY * day + clock


def _offset(zone: str) -> int:
    """Return how far clocks of a zone are before universal time."""
    digits = zone.replace(":", "")[1:]
    if not digits:
        return 0
    ahead = HOUR * int(digits[:2]) + MINUTE * int(digits[2:] or 0)
    return -ahead if zone.startswith("-") else ahead
