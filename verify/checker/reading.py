"""Read what anyone may have written: numbers, lists and objects; refuse all else."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

# Words that all families share: what an object of a file is, and why it is refused.

STAR = None  # the node above all values of a column without a hierarchy

Content = dict[str, Any]  # an object of the file
Node = str | None
Key = tuple[Node, ...]  # a pattern, or the nodes of its first columns
Chain = list[tuple[Node, int]]  # the nodes above a value, root first, and their losses
Trees = dict[str, list[list[str]]]  # by column, for each value the nodes above it
Values = tuple[str, ...]


class InputError(ValueError):
    """What is missing among the files, or broken: it says nothing of the claim."""


class RefusalError(Exception):
    """Why the certificate proves nothing."""


class BeyondError(RefusalError):
    """What of the certificate is not known here."""


# Numbers as texts write them, alone or as the ends of a range.

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


Item = TypeVar("Item")


def whole(number: Any, least: int | None) -> int:
    """Return a whole number that is at least ``least``."""
    if type(number) is not int or (least is not None and number < least):
        raise RefusalError(f"a number is not whole, or below {least}")
    return number


def listed_in(content: Any) -> list[Any]:
    """Return a list."""
    if isinstance(content, list):
        return content
    raise RefusalError("a list is none")


def entries(content: Content, name: str) -> Content:
    """Return an object of the certificate."""
    found = content[name]
    if isinstance(found, dict):
        return found
    raise RefusalError(f"{name} is not an object")


def priced_types(data: Content, types: int) -> tuple[int, list[int]]:
    """Return the denominator of a certificate's data, and a price for each type."""
    unit = whole(data["denominator"], 1)
    prices = [whole(price, None) for price in listed_in(data["prices"])]
    if len(prices) != types:
        raise RefusalError(f"it has {len(prices)} prices for {types} row types")
    return unit, prices


def pair(content: Any) -> list[Any]:
    """Return both entries of a list of two."""
    both = listed_in(content)
    if len(both) != 2:
        raise RefusalError("a cut or a split does not have two entries")
    return both


def numbers(places: Any, numbered: Sequence[Item]) -> list[Item]:
    """Return what stands at the places of a list."""
    for place in listed_in(places):
        if type(place) is not int or not 0 <= place < len(numbered):
            raise RefusalError(f"a number is not below {len(numbered)}")
    return [numbered[place] for place in places]


def changes(content: Any, numbered: Sequence[int], least: int | None) -> dict[int, int]:
    """Return the new values by number: numbers and values stand in turn."""
    if len(listed_in(content)) % 2:
        raise RefusalError("a number has no value")
    values = [whole(value, least) for value in content[1::2]]
    return dict(zip(numbers(content[::2], numbered), values, strict=True))


def named_once(pairs: list[tuple[str, Any]]) -> Content:
    """Return an object of which no entry is named twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an entry is named twice")
    return dict(pairs)
