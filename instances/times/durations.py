"""Lengths of time: as days and a clock, as a clock alone, or by ISO 8601."""

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from starmin.instances.times.notation import DAY, HOUR, MINUTE, SECOND, Notation, Unit

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

    Examples
    --------
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
