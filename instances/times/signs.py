"""The signs of a format of times, as ``strptime`` has them, and what they match."""

import re
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


@lru_cache
def signs_of(form: str) -> tuple[str, ...]:
    """Return the signs of a format, in order.

    Raises
    ------
    TableError
        Another sign, or the same twice, or signs that make no time: days without
        months, minutes without hours.

    Examples
    --------
    >>> signs_of("%d.%m.%Y"), signs_of("%H:%M")
    (('d', 'm', 'Y'), ('H', 'M'))
    """
    why = f"expected a form of dates as %d.%m.%Y or %H:%M:%S, got {form!r}"
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
    date, clock = there & {"Y", "q", "m", "d"}, there & {"H", "M", "S", "f"}
    if (
        len(there) < len(kinds)
        or not there
        or (date and date not in _DATE)
        or clock not in _CLOCK
        or (date and clock and "d" not in date)
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
        form,
    )
