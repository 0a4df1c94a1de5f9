"""Texts of numbers as whole numbers in a common unit, exactly, and rounded ends."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, gcd
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arguments import nearest
from starmin.instances.arrays import Ints
from starmin.instances.errors import TableError
from starmin.instances.times.signs import PERIODS, SECOND, Period

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
FLOAT = NUMBER + r"(?:[eE][+-]?0*[0-9]{1,3})?"  # all doubles, as 1.5e-300
DECIMAL = FLOAT.replace(r"\.", "[.,]")  # with a decimal point or a decimal comma
MOST_LENGTH = 1000  # of the text of a number
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_MOST = 2**53  # wider domains are not exact in floating point
_PARTS = 2**32  # that the length of all is divided into, where it is wider
_INT64_DIGITS = 17  # of numbers whose differences, rounded, 64 bits hold


class WholeNumbers(NamedTuple):
    """Numbers in the greatest unit that makes all of them whole."""

    # the numbers, the least being 0; if ranges are rounded, 0 is its lower end; they
    # are integers of Python where 64 bits may be too few
    values: npt.NDArray[Any]
    # lower, upper: where a range begins and ends whose least, or greatest, number it is
    lower: npt.NDArray[Any]
    upper: npt.NDArray[Any]
    least: int = 0  # the least length of a range
    unit: Fraction = Fraction(1)  # what 1 stands for
    exact: bool = True  # whether ends are what they are; else they are rounded down

    @property
    def length(self) -> int:
        """The length of the range of all."""
        return int(self.upper.max(initial=0))

    def fitting(self) -> "WholeNumbers":
        """Return them in a unit in which lengths are exact in floating point.

        The unit is the greatest one that makes all ends whole. Where it is too small,
        it is 1/4,294,967,296 of the length of all, and ends are rounded down, so that
        ranges are off by less than one unit.

        >>> found = whole_numbers(["0", "1e-300", "0.75", "1"]).fitting()
        >>> found.upper.tolist(), found.unit * 2**32
        ([0, 0, 3221225472, 4294967296], Fraction(1, 1))
        """
        whole = [*self.lower.tolist(), *self.upper.tolist(), self.least]
        parts, length = 1, 1
        if self.length > _MOST:
            length = gcd(*whole)
        if self.length // length > _MOST:
            parts, length = _PARTS, self.length

        def fitted(numbers: npt.NDArray[Any]) -> Ints:
            wide = numbers.astype(object) if parts > 1 else numbers
            return np.asarray(wide * parts // length, np.int64)

        return WholeNumbers(
            *(fitted(self.values), fitted(self.lower), fitted(self.upper)),
            least=self.least * parts // length,
            unit=self.unit * Fraction(length, parts),
            exact=parts == 1,
        )


def whole_numbers(
    numbers: Sequence[str],
    step: str | None = None,
    least: str | None = None,
    ends: Sequence[str] = (),
) -> WholeNumbers:
    """Return numbers as whole ones, exactly.

    They are texts of at most ``MOST_LENGTH`` characters. Ends of ranges are multiples
    of ``step``, None: any number; ranges are at least as long as ``least``, a multiple
    of the step, None: of any length. ``ends`` are further numbers, which follow those
    and begin and end ranges as they are.

    >>> found = whole_numbers(["17", "20.0", "3.3e1"], "5")
    >>> found.values.tolist(), found.lower.tolist(), found.upper.tolist()
    ([2, 5, 18], [0, 5, 15], [5, 5, 20])
    """
    if not numbers:
        none = np.zeros(0, np.int64)
        return WholeNumbers(none, none, none)
    written = (*numbers, *ends, step or "0", least or "0")
    exact = [_parts(number) for number in written]
    digits = max(len(tail) for _, tail in exact)
    longest = max(len(head) for head, _ in exact) + digits
    whole = np.array(
        [int(head + tail.ljust(digits, "0")) for head, tail in exact],
        np.int64 if longest <= _INT64_DIGITS else object,
    )
    whole, unit, length = whole[:-2], whole[-2], int(whole[-1])
    lower = upper = whole
    if step:
        lower, upper = whole // unit * unit, -(-whole // unit) * unit
        lower[len(numbers) :] = upper[len(numbers) :] = whole[len(numbers) :]
    return in_common_unit(whole, lower, upper, length, Fraction(1, 10**digits))


def in_common_unit(
    values: npt.NDArray[Any],
    lower: npt.NDArray[Any],
    upper: npt.NDArray[Any],
    least: int,
    unit: Fraction,
) -> WholeNumbers:
    """Return whole numbers from 0 on in the greatest unit that keeps them whole.

    The arrays and ``least`` are as ``WholeNumbers`` has them, but that the least value
    is any number; ``unit`` is what 1 stands for.

    >>> ages = np.array([30, 42, 36])
    >>> found = in_common_unit(ages, ages, ages, 0, Fraction(1))
    >>> found.values.tolist(), found.unit
    ([0, 2, 1], Fraction(6, 1))
    """
    first = lower.min()
    length = np.array([least], values.dtype)
    found = [*(each - first for each in (values, lower, upper)), length]
    divisor = int(np.gcd.reduce(np.concatenate(found))) or 1
    values, lower, upper, length = (each // divisor for each in found)
    return WholeNumbers(values, lower, upper, int(length[0]), unit * divisor)


def ambiguity(numbers: Sequence[str]) -> str | None:
    """Return why commas in numbers may be no decimal ones; None: they are, or none.

    Each text is a number with a point or a comma.

    >>> ambiguity(["1,5", "2"]), ambiguity(["0,125"]), ambiguity(["1.234"])
    (None, None, None)
    >>> ambiguity(["1,5", "2.5"])
    "both '1,5' and '2.5'; write all decimals with the same mark"
    >>> ambiguity(["1,234", "2"])
    "'1,234' may be 1234 or 1.234; write thousands without a mark"
    """
    commas = [number for number in numbers if "," in number]
    points = [number for number in numbers if "." in number]
    if commas and points:
        return (
            f"both {commas[0]!r} and {points[0]!r}; write all decimals with the same "
            "mark"
        )
    if commas and all(map(_THOUSANDS.fullmatch, commas)):
        plain = commas[0].replace(",", ""), commas[0].replace(",", ".")
        return (
            f"{commas[0]!r} may be {' or '.join(plain)}; write thousands without a mark"
        )
    return None


def expect_step(step: object) -> str:
    """Return what ends of ranges are rounded to, written shortly.

    Of numbers it is a multiple, of times a period. Raises TableError where it is
    neither a number above 0, such as 5 or 0.25, nor a period, such as month.

    >>> expect_step("0.50"), expect_step(5), expect_step("15 minutes")
    ('0.5', '5', '15minute')
    """
    text = str(step)
    if period := Period.parse(text):
        return str(period)
    is_number = len(text) <= MOST_LENGTH and re.fullmatch(FLOAT, text)
    if is_number and (exact := Fraction(text)) > 0:
        return _text(exact, _digits(text))
    raise TableError(
        f"expected a step of rounding above 0, or of times a period as month or "
        f"15minute, got {step!r}{nearest(text, PERIODS)}"
    )


def rounded_ends(
    least: str, greatest: str, step: str, mark: str = "."
) -> tuple[str, str]:
    """Return the multiples of a step between which two numbers are.

    These are texts with a decimal point or comma, the step has a decimal point, and
    ``mark`` is put before the decimals.

    >>> rounded_ends("-3.5", "12", "5"), rounded_ends("1.3", "1.45", "0.25")
    (('-5', '15'), ('1.25', '1.50'))
    """
    unit, digits = Fraction(step), _digits(step)
    low = floor(Fraction(least.replace(",", ".")) / unit)
    high = ceil(Fraction(greatest.replace(",", ".")) / unit)
    return _text(low * unit, digits, mark), _text(high * unit, digits, mark)


def widened_ends(
    least: str, greatest: str, width: str, last: str, mark: str = "."
) -> tuple[str, str]:
    """Return the ends of a range that has at least some width, where it is too short.

    It ends later, but not after the last number; where that does not do, it begins
    earlier, too. The numbers are texts with a decimal point or comma; at least
    ``width``, with a decimal point, is between both ends. ``mark`` is put before the
    decimals.

    >>> widened_ends("17", "20", "5", "90"), widened_ends("88.5", "89", "5", "90")
    (('17', '22'), ('85.0', '90.0'))
    """
    low, high, end = (
        Fraction(text.replace(",", ".")) for text in (least, greatest, last)
    )
    if high - low >= Fraction(width):
        return least, greatest
    digits = max(map(_digits, (least, greatest, last, width)))
    high = min(low + Fraction(width), end)
    return _text(high - Fraction(width), digits, mark), _text(high, digits, mark)


def short_text(number: Fraction) -> str:
    """Write a number that has finitely many digits without needless ones.

    >>> short_text(Fraction("2.50")), short_text(Fraction(5))
    ('2.5', '5')
    """
    digits = 0
    while (number * 10**digits).denominator > 1:
        digits += 1
    return _text(number, digits)


def _text(number: Fraction, digits: int, mark: str = ".") -> str:
    """Write a number with so many digits after the mark."""
    whole = int(number * 10**digits)
    head, tail = divmod(abs(whole), 10**digits)
    sign = "-" if whole < 0 else ""
    return f"{sign}{head}" + (f"{mark}{tail:0{digits}}" if digits else "")


def _digits(number: str) -> int:
    """Return how many digits after the point a number needs."""
    return len(_parts(number)[1])


def _parts(number: str) -> tuple[str, str]:
    """Return its digits before the point, with the sign, and those after it."""
    plain = format(Decimal(number.replace(",", ".")), "f")
    head, _, tail = plain.partition(".")
    return head, tail.rstrip("0")


# How values are written that are ranges themselves, as ``(20, 30]`` or ``20-29``.

_FORMS = {f"{a}{b}": (a, b) for a in "[(" for b in ")]"}
_LIST = re.compile(r"([\[(])([^,;]+), ?([^,;]+)([\])])")
_DASH = re.compile(r"([0-9]+(?:\.[0-9]+)?)-([0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True)
class Band:
    """A value that is a range.

    >>> Band.parse("(20, 30]"), Band.parse("20-29").joined("60")
    (Band(form='(]', least='20', greatest='30'), '20-60')
    """

    form: str  # ``(]``, ``[)``, ``[]``, ``()``; or ``-`` for two numbers joined by it
    least: str  # least, greatest: the texts of its ends
    greatest: str

    @classmethod
    def parse(cls, text: str) -> "Band | None":
        """Read a band; None if it is none."""
        if found := _DASH.fullmatch(text):
            return cls("-", found[1], found[2])
        if found := _LIST.fullmatch(text):
            return cls(found[1] + found[4], found[2], found[3])
        return None

    def joined(self, greatest: str) -> str:
        """Return the band from its beginning to another end."""
        if self.form == "-":
            return f"{self.least}-{greatest}"
        begin, end = _FORMS[self.form]
        return f"{begin}{self.least}, {greatest}{end}"


def form_of(texts: Sequence[str]) -> str | None:
    """Return how most texts are written that are bands; None where few of all are.

    >>> form_of(["20-29", "30-39", "?"]), form_of(["20-29", "3", "4"])
    ('-', None)
    """
    forms = Counter(band.form for band in map(Band.parse, texts) if band is not None)
    form, many = forms.most_common(1)[0] if forms else ("", 0)
    return form if 2 * many > len(texts) else None


def is_finite(text: str) -> bool:
    """Check whether an end is no infinity, as ``pandas.cut`` has it.

    >>> is_finite("-inf"), is_finite("20")
    (False, True)
    """
    return re.fullmatch(DECIMAL, text) is not None or "inf" not in text.lower()


# The least and the greatest length of ranges that are published.


@dataclass(frozen=True)
class Width:
    """How long a range may be: a shorter one is widened, a longer one hidden.

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
