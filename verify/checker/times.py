"""The times of a column, as numbers."""

import re
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Any

from starmin.verify.checker.reading import RefusalError

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
SIGNS = {
    **{"Y": "[0-9]{4}", "y": "[0-9]{2}", "q": "[1-4]", "m": "1[0-2]|0?[1-9]"},
    **{"b": "|".join(name[:3] for name in MONTHS), "B": "|".join(MONTHS)},
    **{"d": "3[01]|[12][0-9]|0?[1-9]", "H": "2[0-3]|[01]?[0-9]"},
    **{"I": "1[0-2]|0?[1-9]", "p": "[AaPp][Mm]"},
    **{"M": "[0-5]?[0-9]", "S": "[0-5]?[0-9]", "f": "[0-9]{1,9}"},
    "z": "Z|[+-][0-9]{2}(?::?[0-9]{2})?",
}  # of times
CLOCK = r"(?P<H>[0-9]+):(?P<M>[0-5][0-9])(:(?P<S>[0-5][0-9])(\.(?P<f>[0-9]{1,9}))?)?"
LENGTHS = {
    "duration:days": rf"(?P<D>-?[0-9]+) days?(,? (?P<minus>[+-]?){CLOCK})?",
    "duration:clock": rf"(?P<minus>-?){CLOCK}",
    "duration:iso": r"(?P<all>-?)P(?=.)((?P<W>[0-9]+)W)?((?P<D>[0-9]+)D)?(T(?=.)"
    r"((?P<H>[0-9]+)H)?((?P<M>[0-9]+)M)?((?P<S>[0-9]+)(\.(?P<f>[0-9]{1,9}))?S)?)?",
}
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
OF_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
PERIODS = SECONDS | OF_MONTHS
DAY, LAST_MONTH = 86_400, 120_000  # the second is that after the last of year 9999
Period = tuple[Fraction, Fraction]  # when one begins, and the next one


class Times:
    """The times of a column: seconds from year 1 on; months, where there are no days.

    ``tick`` is the least step that can be written, ``clocks`` the seconds by which
    clocks are before universal time, by time, ``ahead`` those of a zone that all have;
    ``last`` is the last year that two digits stand for, which the form says behind.
    """

    def __init__(self, form: Any, texts: set[str]) -> None:
        if not isinstance(form, str):
            raise RefusalError("the form of its times is no text")
        years = re.fullmatch("(.*%y.*) to ([0-9]{4})", form, re.DOTALL)
        form, self.last = (years[1], int(years[2])) if years else (form, 2068)
        told = [sign for sign in re.findall("%(.?)", form, re.DOTALL) if sign != "%"]
        self.form, self.signs = form, set(told)
        if form in LENGTHS:
            pattern = LENGTHS[form]
        elif not told or not self.signs <= set(SIGNS) or len(self.signs) < len(told):
            raise RefusalError("the form of its times is not known")
        else:
            pattern = re.sub(r"(\\\.|,)?%(.)", matched, re.escape(form))
        names = re.IGNORECASE if self.signs & set("bB") else 0
        self.pattern = re.compile(pattern, re.ASCII | names)
        found = {text: self.fields(text) for text in texts}
        self.months = 0
        if self.signs & set("Yy") and "d" not in self.signs:
            self.months = (
                1 if self.signs & set("mbB") else 3 if "q" in self.signs else 12
            )
        digits = max(
            (len(fields.get("f") or "") for fields in found.values()), default=0
        )
        self.tick = Fraction(self.months or DAY)
        for sign, size in (("H", 3600), ("I", 3600), ("M", 60), ("S", 1)):
            if sign in self.signs:
                self.tick = Fraction(size)
        if "f" in self.signs:
            self.tick = Fraction(1, 10**digits)
        self.clocks: dict[Fraction, int] = {}
        for text, fields in found.items() if "z" in self.signs else ():
            time, ahead = self.number(text), zone(fields["z"])
            self.clocks[time] = max(ahead, self.clocks.get(time, ahead))
        zones = {*self.clocks.values()}
        self.ahead = zones.pop() if len(zones) == 1 else 0
        self.periods: dict[str, dict[Fraction, Period]] = {}

    def fields(self, text: str) -> dict[str, str | None]:
        """Return the parts of a text, by their signs."""
        found = self.pattern.fullmatch(text)
        if found is None:
            raise RefusalError(f"{text!r} is no time of the form {self.form}")
        return found.groupdict()

    def number(self, text: str) -> Fraction:
        """Return the number that a text stands for."""
        got = {sign: each for sign, each in self.fields(text).items() if each}
        hour, decimals = int(got.get("H", 0)), got.get("f", "")
        if "I" in got:
            hour = int(got["I"]) % 12 + 12 * (got["p"].lower() == "pm")
        clock = 3600 * hour + 60 * int(got.get("M", 0)) + int(got.get("S", 0))
        parts = 10 ** len(decimals)
        many = clock * parts + int(decimals or 0)
        if self.form in LENGTHS:
            many = -many if got.get("minus") == "-" else many
            many += parts * DAY * (int(got.get("D", 0)) + 7 * int(got.get("W", 0)))
            return Fraction(-many if "all" in got else many, parts)
        year = int(got.get("Y", 1))
        if "y" in got:
            year = self.last - (self.last - int(got["y"])) % 100
        name = got.get("b") or got.get("B") or ""
        try:
            month = int(got.get("m") or 3 * int(got.get("q", 1)) - 2)
            if name:
                month = [each[:3] for each in MONTHS].index(name[:3].title()) + 1
            day = date(year, month, int(got.get("d", 1)))
        except ValueError:
            raise RefusalError(f"{text!r} is no time of the form {self.form}") from None
        if self.months:
            return Fraction(12 * year + month - 1)
        days = day.toordinal() - 1
        return Fraction(many + parts * (DAY * days - zone(got.get("z"))), parts)

    def begin(self, value: Fraction, step: Any) -> Fraction:
        """Return when a period begins."""
        return self.period(value, step)[0]

    def end(self, value: Fraction, step: Any) -> Fraction:
        """Return when a period ends."""
        return self.last_of(value, self.period(value, step))

    def last_of(self, value: Fraction, period: Period) -> Fraction:
        """Return the last time of its period; of lengths of time, the next multiple."""
        begin, following = period
        if self.form in LENGTHS:
            return value if begin == value else following
        return following - self.tick

    def period(self, value: Fraction, step: Any) -> Period:
        """Return when a period begins, and the next one, by the clocks of the column.

        A period begins by the clock of its first time, and ends by that of its last; if
        periods are not in order then, all are those of universal time.
        """
        if not isinstance(step, str):
            raise RefusalError("its times are rounded to no period")
        if step not in self.periods:
            groups = list[tuple[Period, list[tuple[Fraction, int]]]]()
            for time, ahead in sorted(self.clocks.items()):
                shown = self.shown(time + ahead, step)
                if not groups or groups[-1][0] != shown:
                    groups.append((shown, []))
                groups[-1][1].append((time, ahead))
            ends = [
                (begin - inside[0][1], following - inside[-1][1])
                for (begin, following), inside in groups
            ]
            later = all(a <= c and b <= d for (a, b), (c, d) in pairwise(ends))
            self.periods[step] = {
                time: both
                for both, (_, inside) in zip(ends, groups, strict=True)
                for time, _ in inside
                if later
            }
        begin, following = self.shown(value + self.ahead, step)
        usual = begin - self.ahead, following - self.ahead
        return self.periods[step].get(value, usual)

    def shown(self, local: Fraction, step: str) -> Period:
        """Return when a period begins, and the next one, as clocks show it."""
        found = re.fullmatch("([0-9]*)([a-z]+)", step)
        if found is None or found[2] not in PERIODS:
            raise RefusalError("its times are rounded to no period")
        size = int(found[1] or 1) * PERIODS[found[2]]
        if self.months:
            first = local // size * size
            return Fraction(max(first, 12)), Fraction(min(first + size, LAST_MONTH))
        if found[2] in SECONDS:
            first, last = local // size * size, midnight(LAST_MONTH)
            following = first + size
            if self.form not in LENGTHS:
                following = min(following, last)
        else:
            day = date.fromordinal(int(local // DAY) + 1)
            month = (12 * day.year + day.month - 1) // size * size
            first, following = midnight(month), midnight(month + size)
        return Fraction(first), Fraction(following)


def matched(found: re.Match[str]) -> str:
    """Return what a sign and the mark before it match; decimals may be left out."""
    mark, sign = found[1] or "", found[2]
    if sign == "%":
        return f"{mark}%"
    if sign == "f":
        return f"({mark}(?P<f>{SIGNS[sign]}))?"
    return f"{mark}(?P<{sign}>{SIGNS[sign]})"


def midnight(month: int) -> int:
    """Return the first second of a month, from year 1 to 9999."""
    if month >= LAST_MONTH:
        return DAY * date.max.toordinal()
    year, month = divmod(max(month, 12), 12)
    return DAY * (date(year, month + 1, 1).toordinal() - 1)


def zone(text: str | None) -> int:
    """Return by how many seconds clocks of a zone are before universal time."""
    digits = (text or "").strip("Z+-").replace(":", "")
    ahead = 3600 * int(digits[:2] or 0) + 60 * int(digits[2:] or 0)
    return -ahead if (text or "").startswith("-") else ahead
