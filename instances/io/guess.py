"""What a text is written like: a number, a date, a truth value."""

import math
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

from starmin.instances.io.frames import days_text, plain_number

_EXACT = 2**53  # whole numbers below it are exact in floating point


def guess(text: str | None) -> Any:
    """Return what a text is written like, if it is read back as the same text.

    Examples
    --------
    >>> [guess(text) for text in ("42", "007", "1.5", "true", None)]
    [42, '007', 1.5, True, None]
    """
    if text is None or text in ("true", "false"):
        return None if text is None else text == "true"
    kinds: tuple[Callable[[str], Any], ...] = (int, float, date.fromisoformat)
    for kind in kinds:
        try:
            value = kind(text)
        except ValueError:
            continue
        if text_of(value) == text and fits(value):
            return value
    return text


def fits(value: Any) -> bool:
    """Check whether a spreadsheet holds a number or a date exactly."""
    if isinstance(value, date):
        return value.year > 1900
    return math.isfinite(value) and (isinstance(value, float) or abs(value) < _EXACT)


def has_clock(cells: Iterable[Any]) -> bool:
    """Check whether a column of a spreadsheet has a date with a time of the day.

    Then all its dates are written with one, as in any column of such times.

    Examples
    --------
    >>> column = [date(2024, 5, 31), datetime(2024, 5, 31, 7, 5)]
    >>> [text_of(cell, has_clock(column)) for cell in column]
    ['2024-05-31 00:00:00', '2024-05-31 07:05:00']
    """
    return any(
        isinstance(cell, datetime) and cell.time().replace(tzinfo=None) != time()
        for cell in cells
    )


def text_of(value: Any, clock: bool = False) -> str | None:
    """Return the text of a cell of a spreadsheet; None for an empty one.

    ``clock`` says whether a date is written with its time of the day, be it midnight.
    """
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() else plain_number(repr(value))
    if isinstance(value, timedelta):
        text = days_text(value // timedelta(microseconds=1), 10**6)
        return text.removesuffix(".000000")
    if clock and isinstance(value, date):
        whole = isinstance(value, datetime)
        return str(value if whole else datetime.combine(value, time()))
    if isinstance(value, datetime) and (value.hour, value.minute) == (0, 0):
        return str(value.date()) if not value.second else str(value)
    return str(value)
