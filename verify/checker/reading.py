"""Read what anyone may have written: numbers, lists and objects of a certificate."""

from collections.abc import Sequence
from typing import Any, TypeVar

from starmin.verify.checker.words import Content, RefusalError

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
