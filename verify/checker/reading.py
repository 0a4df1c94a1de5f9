"""Read what anyone may have written: numbers, lists, objects, what is required."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeVar

# Words that all families share: what an object of a file is, and why it is refused.

STAR = None  # the node above all values of a column without a hierarchy

Content = dict[str, Any]  # an object of the file
Node = str | tuple[int, int] | None  # a value or name, a span of places, a star
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


def priced(data: Content, many: int, things: str, what: str = "it") -> list[int]:
    """Return a price for each of so many things."""
    prices = [whole(price, None) for price in listed_in(data["prices"])]
    if len(prices) != many:
        raise RefusalError(f"{what} has {len(prices)} prices for {many} {things}")
    return prices


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


def split_on(content: Any, numbered: Sequence[Item]) -> tuple[Item, int]:
    """Return what a node is split on, and the most of it in the first child."""
    place, most = pair(content)
    (chosen,) = numbers([place], numbered)
    return chosen, whole(most, 0)


def parted(low: int, high: int, most: int) -> list[tuple[int, int]]:
    """Return both sides of a split of numbers: so many at most, or more."""
    return [(low, min(high, most)), (max(low, most + 1), high)]


def walked(
    ahead: list[Item], nodes: Any, names: set[str]
) -> Iterator[tuple[Item, Content]]:
    """Visit the nodes of a tree, each before its children, with what holds there.

    ``ahead`` has what holds at the root. Where a node is split, the caller adds what
    holds at its children, the first one last. Nodes have entries of these ``names``.
    """
    for node in listed_in(nodes):
        if not ahead:
            raise RefusalError("there are nodes beyond its tree")
        if not isinstance(node, dict) or not set(node) <= names:
            raise RefusalError("a node has an entry of unknown name")
        yield ahead.pop(), node
    if ahead:
        raise RefusalError("a node of its tree is missing")


def named_once(pairs: list[tuple[str, Any]]) -> Content:
    """Return an object of which no entry is named twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an entry is named twice")
    return dict(pairs)


# What a requirement asks of each group: rows, frequency, and different values.

UNITS = ("person", "household")  # whose ids may count instead of rows
WITHIN = "within"  # names the classes of an earlier release
FORMS = ("distinct", "entropy", "recursive")

# How many persons, the greatest share of them with one value, how many values.
Persons = tuple[int, Fraction, int]


def required(part: Any) -> tuple[int, int, int]:
    """Return k, l and distinct values of a requirement, or of one of several."""
    if isinstance(part, dict) and "missing_sensitive" in part:
        raise BeyondError("its missing sensitive values are no value of their own")
    asked = set(part) if isinstance(part, dict) else set()
    if not asked <= {"k", "l", "diversity"} or not asked & {"k", "l"}:
        raise RefusalError("only k-anonymity and l-diversity are checked")
    k, l = (whole(part.get(x, 1), 1) for x in "kl")
    if "diversity" not in part:
        return k, l, 1
    if part["diversity"] != "distinct" or l < 2:
        raise RefusalError("its diversity is neither by frequency nor distinct")
    return k, 1, l


def ids(wanted: Content, unit: str) -> Persons:
    """Return what is asked of the persons, or households, of every group.

    A group in which no value is had by more than 1/l of the persons has l of them.
    """
    asked, named = {"k", "l", "alpha"}, {unit, "pseudonym", "alike"}
    parts = listed_in(wanted.get("all_of", [wanted]))
    if "all_of" in wanted and not set(wanted) <= named | {"all_of"}:
        raise RefusalError("its requirement has an entry of unknown name")
    least, share, values = list[int](), Fraction(1), 1
    for part in parts:
        if not isinstance(part, dict) or not asked & set(part):
            raise RefusalError("its requirement is empty")
        if not set(part) <= asked | named | {"diversity", "c"}:
            raise RefusalError("its requirement has an entry of unknown name")
        if part.get("diversity", "distinct") not in FORMS:
            raise RefusalError("its diversity is of no known form")
        k, l = (whole(part[x], 2) if x in part else 1 for x in "kl")
        if "diversity" in part:
            values = max(values, l)
        else:
            share = min(share, Fraction(1, l))
        if "alpha" in part:
            told = part["alpha"]
            if type(told) not in (int, float) or not 0 < told <= 1:
                raise RefusalError("its share is not above 0 and at most 1")
            share = min(share, Fraction(str(told)))
        least += [k, l]
    if not least:
        raise RefusalError("its requirement is empty")
    return max(*least, math.ceil(1 / share)), share, values


def expect_release(
    asked: Persons, who: list[str], columns: list[list[str]], apart: list[list[str]]
) -> None:
    """Refuse a table that fails as a whole, or in rows that have to be apart.

    A person has several rows, so that groups may satisfy what the table does not: it is
    asked beside. Rows that differ in ``apart`` can share no group.
    """
    least, share, most = asked
    for keys in ([()] * len(who), [tuple(cells) for cells in apart]):
        persons, having = dict[Any, set[str]](), dict[Any, set[str]]()
        values = dict[Any, set[str]]()
        for key, each, *cells in zip(keys, who, *columns, strict=True):
            persons.setdefault(key, set()).add(each)
            for column, cell in enumerate(cells):
                having.setdefault((key, column, cell), set()).add(each)
                values.setdefault((key, column), set()).add(cell)
        few = any(len(some) < least for some in persons.values())
        few |= any(len(some) < most for some in values.values())
        if few or any(
            len(some) > share * len(persons[key]) for (key, *_), some in having.items()
        ):
            raise RefusalError(
                "persons of the table are too few or too much alike for any release"
            )


def expect_persons(
    wanted: Content, unit: str, table: Content, kept: list[str], rows: list[Content]
) -> None:
    """Refuse a table of which no release satisfies what is asked of its ids."""
    who = [row[wanted[unit]] for row in rows]
    for column in listed_in(wanted.get("alike", [])):
        if column not in table["qi"]:
            raise RefusalError("the columns that are alike are no quasi-identifiers")
        shown = {(each, row[column]) for each, row in zip(who, rows, strict=True)}
        if column in kept and len(shown) > len(set(who)):
            raise RefusalError("rows of one id differ too much for any release")
    columns = [[row[c] for row in rows] for c in table["sensitive"] or ()]
    apart = [[row[c] for c in kept] for row in rows]
    expect_release(ids(wanted, unit), who, columns, apart)


def rows_together(wanted: Content, qi: list[str]) -> bool:
    """Return whether a requirement has all rows of a person published alike."""
    alike = listed_in(wanted.get("alike", []))
    return wanted.get("pseudonym") is True or set(alike) == set(qi)


def by_person(rows: list[list[str]], places: list[int], of: int) -> Counter[Any]:
    """Count persons by their values and the number of their rows.

    The values stand at ``places`` of each row, the ids at ``of``.
    """
    values: dict[str, tuple[str, ...]] = {}
    many = Counter(row[of] for row in rows)
    for row in rows:
        seen = tuple(row[j] for j in places)
        if values.setdefault(row[of], seen) != seen:
            raise RefusalError("rows of a person differ, and cannot be alike")
    return Counter((*seen, many[who]) for who, seen in values.items())
