"""The least and the greatest length of ranges that are published."""

import re
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from starmin.instances.errors import TableError
from starmin.instances.scales.numbers import FLOAT, short_text


@dataclass(frozen=True)
class Width:
    """How long a range may be: a shorter one is widened, a longer one hidden.

    Attributes
    ----------
    least
        The length to which shorter ranges are widened; None: they are not.
    most
        The length of the longest range; where a group needs a longer one, a star is
        published. None: any.

    Examples
    --------
    >>> Width.parse("5..20"), str(Width.parse((None, 20.0)))
    (Width(least='5', most='20'), '..20')
    """

    least: str | None = None
    most: str | None = None

    @classmethod
    def parse(cls, given: object) -> "Width":
        """Read a least and a greatest length as LOW..HIGH; one may be left out.

        A pair of numbers is read, too, with None for what is left out.

        Raises
        ------
        TableError
            It is something else, or the first is greater than the second.
        """
        text = str(given)
        if isinstance(given, tuple | list):
            text = "..".join("" if end is None else str(end) for end in given)
        low, dots, high = text.partition("..")
        least, most = _length(low, text), _length(high, text)
        if not dots or least == most is None:
            raise _unclear(text)
        if least and most and Fraction(least) > Fraction(most):
            raise TableError(
                f"expected a least width of at most the greatest, got {text}"
            )
        return cls(least, most)

    def __str__(self) -> str:
        """Return the text that it is read from."""
        return f"{self.least or ''}..{self.most or ''}"

    def in_steps(self, step: str | None) -> "Width":
        """Return it with a least length that is a multiple of the step of rounding.

        Raises
        ------
        TableError
            The next multiple is above the greatest length.
        """
        if step is None or self.least is None:
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


def _length(number: str, text: str) -> str | None:
    """Return a length above 0, written shortly; None if it is left out."""
    if not number:
        return None
    if len(number) > 100 or not re.fullmatch(FLOAT, number) or Fraction(number) <= 0:
        raise _unclear(text)
    return short_text(Fraction(number))


def _unclear(text: str) -> TableError:
    return TableError(f"expected widths above 0 as 5..20, 5.. or ..20, got {text!r}")
