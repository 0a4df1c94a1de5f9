"""Ends of published ranges as values: numbers, moments, durations."""

import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.instances.releases.generalization import RANGE
from starmin.instances.times.calendar_format import CalendarFormat
from starmin.instances.times.notation import TO, Notation
from starmin.instances.times.recognise import notation_of

Values = npt.NDArray[Any]

_SINCE = CalendarFormat("%Y-%m-%d").read("1970-01-01") or 0
_FINE = 1000  # billionths of a second in a millionth


def range_values(
    labels: Sequence[str | None], unknown: Collection[str | None], form: str | None
) -> tuple[Values, Values] | None:
    """Return the lower and the upper ends of cells; NaN or NaT for what is none.

    Parameters
    ----------
    labels
        Values, and ranges of them.
    unknown
        What is neither.
    form
        How times are written; None: found out.

    Returns
    -------
    Two arrays, or None for times of the day and months, which are no values of arrays.

    Examples
    --------
    >>> range_values(["3", "[4-5]", "*"], ["*"], None)
    (array([ 3.,  4., nan]), array([ 3.,  5., nan]))
    >>> range_values(["2024-05-01..2024-05-31"], ["*"], None)[1]
    array(['2024-05-31T00:00:00.000000'], dtype='datetime64[us]')
    """
    cells = [None if text in unknown else text for text in labels]
    pairs = [(text or "").partition(TO) for text in cells]
    ends = [(low, high if to else low) for low, to, high in pairs]
    known = [end for both in ends for end in both if end]
    plain = [x.removeprefix("<=").removesuffix("+") for x in known]
    numbers = form is None and all(re.fullmatch(RANGE, f"[{x}-{x}]") for x in plain)
    if numbers or any(re.fullmatch(RANGE, text or "") for text in cells):
        found = np.array([_numbers(text) for text in cells]).reshape(-1, 2)
        return found[:, 0], found[:, 1]
    notation, _ = notation_of(known, form)
    if notation is None or notation.unit == "month":
        return None
    if not notation.is_date and notation.ends_within:
        return None
    low, high = (_times([both[i] for both in ends], notation) for i in (0, 1))
    return low, high


def _numbers(text: str | None) -> tuple[float, float]:
    """Return the ends of a range or number, NaN for what is none."""
    if text is None:
        return np.nan, np.nan
    found = re.fullmatch(RANGE, text)
    least, greatest = (found[1], found[2]) if found else (text, text)
    if text.endswith("+"):  # a top has no end
        least, greatest = text[:-1], "inf"
    elif text.startswith("<="):
        least, greatest = "-inf", text[2:]
    return float(least.replace(",", ".")), float(greatest.replace(",", "."))


def _times(texts: Sequence[str], notation: Notation) -> Values:
    """Return moments in universal time, or durations."""
    since = _SINCE if notation.is_date else 0
    fine = notation.tick % _FINE
    unit, parts = ("ns", 1) if fine else ("us", _FINE)
    found = [notation.read(text) for text in texts]
    wide = [None if each is None else (each - since) // parts for each in found]
    kind = "datetime64" if notation.is_date else "timedelta64"
    least = np.iinfo(np.int64).min  # NaT
    numbers = np.array([least if each is None else each for each in wide], np.int64)
    return numbers.view(f"{kind}[{unit}]")
