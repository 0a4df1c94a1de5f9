"""What the cells of a column of numbers or times stand for: the ends of ranges."""

import re
from abc import ABC, abstractmethod
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import ClassVar

Text = str | None

Ends = tuple[Decimal, Decimal]

MAX_LENGTH = 1000  # of a number; what is longer is refused
MAX_DIGITS = 4000  # of the end of a range, which may be written without exponent
STEPS = 16  # of a suggested rounding, in the domain of a column, at most
EXACT = 4 * MAX_DIGITS  # digits that sums and differences of such numbers need

NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?0*\d{1,3})?", re.ASCII)
RANGE = re.compile(rf"\[({NUMBER.pattern})-({NUMBER.pattern})\]", re.ASCII)


class Reading(ABC):
    """How the cells of a column are read."""

    sample: tuple[str, str]  # a cell and a range, for messages
    of_bands: ClassVar[bool] = False  # whether values are ranges themselves

    @abstractmethod
    def ends(self, text: Text) -> Ends | None:
        """Return the least and the greatest number that a cell stands for."""

    @abstractmethod
    def is_range(self, text: Text) -> bool:
        """Check whether a cell is written as a range."""

    def holds(self, text: Text, value: Text) -> bool:
        """Check whether a range may stand for a value."""
        ends, known = self.ends(text), self.ends(value)
        if ends is None or known is None:
            return False
        return ends[0] <= known[0] and known[1] <= ends[1]

    def is_lossy(self, text: Text) -> bool:
        """Check whether a cell with two ends is no value of the column."""
        return True

    def within(self, ends: Ends, domain: Ends) -> Ends:
        """Return the ends of what of a range is counted, given those of the domain."""
        return ends

    @abstractmethod
    def is_rounded(self, text: Text, step: str) -> bool:
        """Check whether both ends of a range are as a step of rounding asks."""

    @abstractmethod
    def rounded(self, ends: Ends, step: str) -> Ends:
        """Return the ends rounded outwards."""

    @abstractmethod
    def tick(self, number: Decimal) -> Decimal:
        """Return the least step to another number that is written with as many digits.

        >>> NUMBERS.tick(Decimal("2.50")), NUMBERS.tick(Decimal(30))
        (Decimal('0.01'), Decimal('1'))
        """

    @abstractmethod
    def step_for(self, ends: Ends) -> str:
        """Return a step of rounding: about a sixteenth of a domain with these ends."""


class NumberReading(Reading):
    """Numbers, and ranges as ``[35-45]``."""

    sample = ("a number", "a range as [35-45]")

    def ends(self, text: Text) -> Ends | None:
        return ends_of(text)

    def is_range(self, text: Text) -> bool:
        return RANGE.fullmatch(text or "") is not None

    def is_rounded(self, text: Text, step: str) -> bool:
        ends = self.ends(text)
        return ends is not None and all(
            Fraction(end) % Fraction(step) == 0 for end in ends if end.is_finite()
        )

    def rounded(self, ends: Ends, step: str) -> Ends:
        unit = Fraction(step)
        with localcontext(prec=EXACT):
            least = floor(Fraction(ends[0]) / unit) * Decimal(step)
            return least, ceil(Fraction(ends[1]) / unit) * Decimal(step)

    def tick(self, number: Decimal) -> Decimal:
        exponent = number.as_tuple().exponent
        return Decimal(1).scaleb(min(0, exponent) if isinstance(exponent, int) else 0)

    def step_for(self, ends: Ends) -> str:
        """Return 1, 2 or 5 times a power of ten.

        >>> NUMBERS.step_for((Decimal(17), Decimal(90)))
        '5'
        >>> NUMBERS.step_for((Decimal("0.5"), Decimal("2.1")))
        '0.1'
        """
        with localcontext(prec=EXACT, Emax=MAX_EMAX, Emin=MIN_EMIN):
            width = (ends[1] - ends[0]) / STEPS
            steps = (Decimal(digit).scaleb(width.adjusted()) for digit in (1, 2, 5, 10))
            step = next(step for step in steps if step >= width)
            return f"{step.normalize():f}"


NUMBERS = NumberReading()


def ends_of(text: Text) -> Ends | None:
    """Return the least and the greatest number that a numeric cell stands for."""
    number = _number(text)
    return _range(text) if number is None else (number, number)


def is_open(text: Text, bottom: bool = True, top: bool = True) -> bool:
    """Check whether a cell is a number and all above it, or all below it.

    >>> is_open("90+"), is_open("<=18"), is_open("<=18", bottom=False), is_open("90")
    (True, True, False, False)
    """
    if text is None or _number(number_of(text)) is None:
        return False
    return (top and text.endswith("+")) or (bottom and text.startswith("<="))


def number_of(text: Text) -> str:
    """Return the number of such a cell."""
    return (text or "").removeprefix("<=").removesuffix("+")


def decimal(number: str) -> Decimal:
    """Return a number that is written with a decimal point or a decimal comma."""
    return Decimal(number.replace(",", "."))


def _number(text: Text) -> Decimal | None:
    if text is None or len(text) > MAX_LENGTH or not NUMBER.fullmatch(text):
        return None
    return decimal(text)


@lru_cache  # the same range comes with many values
def _range(text: Text) -> Ends | None:
    if text is None or len(text) > 2 * MAX_DIGITS + 3 or text[:1] != "[":
        return None
    found = RANGE.fullmatch(text)
    return (decimal(found[1]), decimal(found[3])) if found else None
