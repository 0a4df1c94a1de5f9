"""Numbers as texts write them, alone or as the ends of a range."""

import re
from fractions import Fraction
from typing import Any

from starmin.verify.checker.words import RefusalError

DECIMAL = r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?0*[0-9]{1,3})?"


def band(text: str, form: Any) -> tuple[str, str]:
    """Return the ends of a value that is a range itself."""
    number = "([0-9]+(?:[.][0-9]+)?)"
    pattern = rf"{number}-{number}"
    if isinstance(form, str) and re.fullmatch(r"[(\[][)\]]", form):
        pattern = rf"\{form[0]}([^,;]+), ?([^,;]+)\{form[1]}"
    elif form != "-":
        raise RefusalError("the form of its ranges is not known")
    if (found := re.fullmatch(pattern, text)) is None:
        raise RefusalError(f"{text!r} is no range of the form {form}")
    return found[1], found[2]


def exact(text: Any) -> Fraction:
    """Return the number that a text writes, with a decimal point or comma."""
    if not isinstance(text, str) or not re.fullmatch(DECIMAL, text):
        raise RefusalError(f"{text!r} is no number")
    try:
        return Fraction(text.replace(",", "."))
    except (ValueError, ZeroDivisionError):
        raise RefusalError(f"{text!r} is no number") from None
