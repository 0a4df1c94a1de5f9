"""The signs of a format of times, as ``strptime`` has them, and what they match."""

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from starmin.instances.errors import TableError
from starmin.instances.times.notation import TO

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
_SAME = {"y": "Y", "b": "m", "B": "m", "I": "H"}
_PIECE = re.compile(r"%(.)|([^%]+)", re.DOTALL)
_LAST = re.compile(r"(.*%y.*) to ([0-9]{4})", re.DOTALL)


def parted(form: str) -> tuple[str, int | None]:
    """Return a format, and the last year that its two digits may stand for.

    Examples
    --------
    >>> parted("%d.%m.%y to 2026"), parted("%d.%m.%Y")
    (('%d.%m.%y', 2026), ('%d.%m.%Y', None))
    """
    found = _LAST.fullmatch(form)
    return (found[1], int(found[2])) if found else (form, None)


def full_year(digits: int, last: int | None) -> int:
    """Return the year that two digits stand for: none after the last one, or today's.

    Examples
    --------
    >>> full_year(65, 2026), full_year(26, 2026), full_year(27, 2026)
    (1965, 2026, 1927)
    """
    last = last or date.today().year
    return last - (last - digits) % 100


def with_last_year(form: str, texts: Iterable[str]) -> str:
    """Return a format of two digits of years with the last year that they stand for.

    No year that occurs is after this one. So many years are left before the first one
    that occurs as after the last, so that ends of ranges can be rounded.

    Examples
    --------
    >>> with_last_year("%d.%m.%y", ["1.1.01", "1.1.20"])
    '%d.%m.%y to 2060'
    """
    if not _is_open(form):
        return form
    first, last = _years(form, texts)
    return f"{form} to {last + (99 - (last - first)) // 2}"


def told_years(form: str, texts: Iterable[str]) -> str | None:
    """Say which years two digits are read as, where the format does not.

    Examples
    --------
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

    Examples
    --------
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
    kinds = [_SAME.get(sign, sign) for sign in signs if sign not in ("p", "z")]
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

    Examples
    --------
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

    Examples
    --------
    >>> filled("%d.%m.%Y", {"Y": "2024", "m": "03", "d": "05"})
    '05.03.2024'
    """
    return _PIECE.sub(
        lambda piece: piece[2] or ("%" if piece[1] == "%" else fields[piece[1]]),
        parted(form)[0],
    )
