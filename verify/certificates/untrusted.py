"""Read what anyone may have written: each entry of a file is checked before use."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeVar

from starmin.verify.exact import expect_time

# Whole numbers from here on do not fit the arithmetic.
LARGEST = 2**62
# Nor, where it is that of Python, is there a use for these.
ENDLESS = 2**4096


class RefusalError(Exception):
    """What is wrong with a certificate, in words."""


def check_mapping(content: object, what: str) -> Mapping[str, Any]:
    """Return the content, refused if it is no JSON object."""
    if not isinstance(content, Mapping):
        raise RefusalError(f"{what} is not an object with named entries")
    return content


def check_keys(
    stated: object,
    what: str,
    needed: Set[str] = frozenset(),
    possible: Set[str] = frozenset(),
) -> Mapping[str, Any]:
    """Return an object, refused if it lacks an entry or has one of another name.

    ``what`` is what the object is called in the refusal. It must have the entries
    ``needed``, and may have those that are ``possible`` as well.
    """
    content = check_mapping(stated, what)
    if missing := needed - set(content):
        raise RefusalError(f"{what}: no entry {min(missing)!r}")
    if set(content) - needed - possible:
        raise RefusalError(f"{what}: an entry of unknown name")
    return content


def whole(number: object, what: str, least: int, beyond: int = LARGEST) -> int:
    """Return the number, refused if it is not whole, from ``least`` to ``beyond``."""
    if type(number) is not int or number < least:
        raise RefusalError(f"{what} is not a whole number from {least}")
    if number >= beyond:
        bits = beyond.bit_length() - 1
        raise RefusalError(f"{what} is 2^{bits} or more, beyond what is checked")
    return number


def same(one: object, other: object) -> bool:
    """Check whether both are the same as JSON, where 1 is neither 1.0 nor true."""
    try:
        return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return False


def changes(
    content: object,
    what: str,
    numbered: Sequence[int],
    least: int,
    beyond: int = LARGEST,
) -> dict[int, int]:
    """Read numbers and what they get in turn."""
    flat = listed(content, what)
    if len(flat) % 2:
        raise RefusalError(f"{what}: a number without its value")
    values = [whole(value, what, least, beyond) for value in flat[1::2]]
    return dict(zip(numbers(flat[::2], what, numbered), values, strict=True))


def numbers(content: object, what: str, numbered: Sequence[int]) -> list[int]:
    """Read places in a list; return what stands there."""
    places = listed(content, what)
    for place in places:
        if type(place) is not int or not 0 <= place < len(numbered):
            raise RefusalError(f"{what}: not a number below {len(numbered)}")
    return [numbered[place] for place in places]


def listed(content: object, what: str) -> Sequence[Any]:
    """Return the content, refused if it is no list."""
    if not isinstance(content, list):
        raise RefusalError(f"{what}: not a list")
    return content


def split_on(content: object, numbered: Sequence[int]) -> tuple[int, int]:
    """Read what a node is split on, and the most of it in the first child."""
    both = listed(content, "a split")
    if len(both) != 2:
        raise RefusalError("a split does not have two entries")
    (number,) = numbers(both[:1], "a split", numbered)
    return number, whole(both[1], "the number of a split", 0)


def texts_in(content: object, what: str) -> list[str | None]:
    """Return the content, refused if it is no list of texts, or of missing ones."""
    if not isinstance(content, list) or not all(
        isinstance(text, str | None) for text in content
    ):
        raise RefusalError(f"{what} are not a list of texts")
    return content


def parts_of(stated: object) -> list[Any]:
    """Return the parts of a requirement, which may be one."""
    content = check_mapping(stated, "its requirement")
    if "all_of" not in content:
        return [content]
    parts = check_keys(content, "its requirement", {"all_of"})["all_of"]
    if not isinstance(parts, list) or not parts:
        raise RefusalError("its requirement is empty")
    return parts


def least_of(part: Mapping[str, Any], name: str) -> int:
    """Return k or l of a part of a requirement; 1 where it has none."""
    return whole(part[name], f"{name} of its requirement", 2) if name in part else 1


_State = TypeVar("_State")
_Node = TypeVar("_Node")


def walked(
    ahead: list[_State], nodes: Iterable[_Node]
) -> Iterator[tuple[_State, _Node]]:
    """Visit the nodes of a tree, each before its children, with what holds there.

    ``ahead`` has what holds at the root. Where a node is split, the caller adds what
    holds at its children, the first one last. Refuses nodes that are not one tree.
    """
    for node in nodes:
        expect_time()
        if not ahead:
            raise RefusalError("there are nodes beyond its tree")
        yield ahead.pop(), node
    if ahead:
        raise RefusalError("a node of its tree is missing")
