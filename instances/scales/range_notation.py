"""Ranges of numbers as different tools write them, each end open or closed."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from starmin.instances.scales.numbers import DECIMAL

RangeStyle = Literal["ours", "arx", "pandas", "sdcmicro", "auto"]

_LONGEST = 200  # characters of a range
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_NUMBER = re.compile(DECIMAL)
_INFINITE = re.compile(r"([+-]?)(?:inf|infinity|∞)", re.I)
_BRACKETS = re.compile(r"([\[(\]])(.*)([\])\[])", re.S)
_FROM = re.compile(
    r"(>=|≥|>)\s*(.+)|(.+?)\s*(?:\+|and (?:over|older|more|above)|or more)"
)
_UP_TO = re.compile(r"(<=|≤|<)\s*(.+)")
_SPLITS = ("-", "\u2013", ",", ";", "..", ":", " to ")
# What each tool puts between the ends of a range, and around them.
_BETWEEN: dict[str, tuple[str, ...]] = {
    "ours": ("-",),
    "arx": (",",),
    "pandas": (",",),
    "sdcmicro": (",", "-"),
    "auto": _SPLITS,
}
_AROUND: dict[str, tuple[str, ...]] = {
    "ours": ("[]",),
    "arx": ("[[", "[]", "]]", "]["),
    "pandas": ("(]", "[)", "[]", "()"),
    "sdcmicro": ("(]", "[)", "[]", "()", ""),
    "auto": ("[[", "[]", "]]", "][", "(]", "[)", "()", ""),
}
_SINGLE_ENDS = ("arx", "sdcmicro", "auto")


class Interval(NamedTuple):
    """A range of numbers."""

    low: Decimal | None  # low, high: its ends; None: none
    high: Decimal | None
    low_closed: bool = True  # low_closed, high_closed: whether it has them
    high_closed: bool = True

    def holds(self, number: Decimal) -> bool:
        """Return whether a number is in it.

        >>> half = Interval(Decimal(15), Decimal(20), True, False)
        >>> half.holds(Decimal(15)), half.holds(Decimal(20))
        (True, False)
        """
        if self.low is not None and number <= self.low:
            return self.low_closed and number == self.low
        if self.high is not None and number >= self.high:
            return self.high_closed and number == self.high
        return True


class AmbiguousRangeError(ValueError):
    """A text that is a range in several ways, or in none that has numbers in it."""


@lru_cache(maxsize=1 << 16)
def read_range(text: str, style: RangeStyle = "auto") -> Interval | None:
    """Return the range that a text is; None: it is none.

    ==========  ==================================================================
    style       ranges
    ==========  ==================================================================
    `ours`      ``[35-45]``, both ends closed
    `arx`       ``[15, 20[``, ``]15, 20]``, ``>=90``, ``<18``
    `pandas`    ``(19.9, 29.0]``, ``[0, 5)``, ``(90.0, inf]``
    `sdcmicro`  ``(0,5]`` and the like, as R cuts numbers, ``20-29``, ``>=90``
    `auto`      each of them, and ``90+``
    ==========  ==================================================================

    Raises AmbiguousRangeError where it is one in several ways, as ``[1,2,3]``, or ends
    before it begins.

    >>> read_range("[15, 20[")
    Interval(low=Decimal('15'), high=Decimal('20'), low_closed=True, high_closed=False)
    >>> read_range("90+").high is None, read_range("42"), read_range("90+", "pandas")
    (True, None, None)
    """
    text = text.strip()
    if len(text) > _LONGEST or _NUMBER.fullmatch(text):
        return None
    if style in _SINGLE_ENDS and (found := _one_end(text)) is not None:
        return found
    around, left, right, body = "", True, True, text
    if brackets := _BRACKETS.fullmatch(text):
        around, body = brackets[1] + brackets[3], brackets[2]
        left, right = brackets[1] == "[", brackets[3] == "]"
    if around not in _AROUND[style]:
        return None
    ends = _both_ends(text, body, style)
    if ends is None or (not around and None in ends):
        return None
    low, high = ends
    empty = False
    if low is not None and high is not None:
        empty = low > high or (low == high and not (left and right))
    if empty:
        raise AmbiguousRangeError(f"no number is in {text!r}: it ends before it begins")
    return Interval(low, high, left and low is not None, right and high is not None)


def _one_end(text: str) -> Interval | None:
    """Read ``>=90``, ``90+`` or ``<18``."""
    if found := _FROM.fullmatch(text):
        number = found[2] or found[3]
        if _NUMBER.fullmatch(number):
            return Interval(_decimal(text, number), None, found[1] != ">", False)
    if (found := _UP_TO.fullmatch(text)) and _NUMBER.fullmatch(found[2]):
        return Interval(None, _decimal(text, found[2]), False, found[1] != "<")
    return None


def _both_ends(
    text: str, body: str, style: RangeStyle
) -> tuple[Decimal | None, Decimal | None] | None:
    """Read the ends on both sides of what separates them; None: they are no numbers."""
    found: dict[tuple[Decimal | None, Decimal | None], None] = {}
    for sep in _BETWEEN[style]:
        parts = body.split(sep)
        for at in range(1, len(parts)):
            sides = sep.join(parts[:at]).strip(), sep.join(parts[at:]).strip()
            if all(_is_end(side) for side in sides):
                low, high = (
                    None if _INFINITE.fullmatch(side) else _decimal(text, side)
                    for side in sides
                )
                found[low, high] = None
    if len(found) > 1:
        ways = " or ".join(f"{low} to {high}" for low, high in found)
        raise AmbiguousRangeError(f"{text!r} may be {ways}")
    return next(iter(found), None)


def _is_end(text: str) -> bool:
    if text.endswith((",", ".")) or text.lstrip("+-").startswith(","):
        return False  # a comma between two numbers is a decimal one of neither
    return bool(_NUMBER.fullmatch(text) or _INFINITE.fullmatch(text))


def _decimal(text: str, number: str) -> Decimal:
    if _THOUSANDS.fullmatch(number):
        raise AmbiguousRangeError(
            f"{number!r} in {text!r} may be {number.replace(',', '')} or "
            f"{number.replace(',', '.')}; write thousands without a mark"
        )
    return Decimal(number.replace(",", "."))
