"""The least and the greatest length of ranges that are published."""

import re
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from starmin.instances.errors import TableError
from starmin.instances.scales.numbers import FLOAT, short_text
from starmin.instances.times.notation import SECOND
from starmin.instances.times.periods import Period


@dataclass(frozen=True)
class Width:
    """How long a range may be: a shorter one is widened, a longer one hidden.

    Examples
    --------
    >>> Width.parse("5..20"), str(Width.parse((None, 20.0)))
    (Width(least='5', most='20', unit=''), '..20')
    >>> Width.parse("7day.."), str(Width.parse("..2years"))
    (Width(least='604800', most=None, unit='second'), '..24month')
    """

    # the length to which shorter ranges are widened; None: they are not
    least: str | None = None
    # the length of the longest range; where a group needs a longer one, a star is
    # published; None: any
    most: str | None = None
    # what both are counted in: nothing for numbers; for times ``second``, or ``month``
    # where they were told in months or years
    unit: str = ""

    @classmethod
    def parse(cls, given: object) -> "Width":
        """Read a least and a greatest length as LOW..HIGH; one may be left out.

        A pair of numbers is read, too, with None for what is left out. Raises
        TableError where it is something else, or the first is greater than the second.
        """
        text = str(given)
        if isinstance(given, tuple | list):
            text = "..".join("" if end is None else str(end) for end in given)
        low, dots, high = text.partition("..")
        (least, unit), (most, other) = _length(low, text), _length(high, text)
        if not dots or least == most is None or (low and high and unit != other):
            raise _unclear(text)
        if least and most and Fraction(least) > Fraction(most):
            raise TableError(
                f"expected a least width of at most the greatest, got {text}"
            )
        return cls(least, most, unit or other)

    def __str__(self) -> str:
        """Return the text that it is read from."""
        ends = (f"{end}{self.unit}" if end else "" for end in (self.least, self.most))
        return "..".join(ends)

    def in_steps(self, step: str | None) -> "Width":
        """Return it with a least length that is a multiple of the step of rounding.

        Raises TableError where the next multiple is above the greatest length.
        """
        if step is None or self.least is None or self.unit or Period.parse(step):
            return self
        unit = Fraction(step)
        least = ceil(Fraction(self.least) / unit) * unit
        if self.most is not None and least > Fraction(self.most):
            raise TableError(
                f"no range with ends that are multiples of {step} has a width of {self}"
            )
        return Width(short_text(least), self.most)

    def fits(self, length: Fraction) -> bool:
        """Return whether a range of this length may be published."""
        return (self.least is None or length >= Fraction(self.least)) and (
            self.most is None or length <= Fraction(self.most)
        )


def _length(number: str, text: str) -> tuple[str | None, str]:
    """Return a length above 0, written shortly, and its unit; None if left out."""
    if not number:
        return None, ""
    if period := Period.parse(number):
        if period.of_calendar:
            return str(period.length), "month"
        return short_text(Fraction(period.length, SECOND)), "second"
    if len(number) > 100 or not re.fullmatch(FLOAT, number) or Fraction(number) <= 0:
        raise _unclear(text)
    return short_text(Fraction(number)), ""


def _unclear(text: str) -> TableError:
    return TableError(
        f"expected widths above 0 as 5..20, 5.. or ..20, of times as 7day..30day, got "
        f"{text!r}"
    )
