"""Say what a requirement asks of each group: of rows, or of persons by their ids."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

from starmin.verify.checker.reading import (
    BeyondError,
    Content,
    RefusalError,
    listed_in,
    whole,
)

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
    if not isinstance(part, dict) or not set(part) <= {"k", "l", "diversity"}:
        raise RefusalError("only k-anonymity and l-diversity are checked")
    if not {"k", "l"} & set(part):
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


def expect_alike(
    wanted: Content, unit: str, qi: list[str], kept: list[str], rows: list[Content]
) -> None:
    """Refuse columns that are to be alike for each id, and are none or cannot be."""
    for column in listed_in(wanted.get("alike", [])):
        if column not in qi:
            raise RefusalError("the columns that are alike are no quasi-identifiers")
        first = dict[str, str]()
        if column in kept and any(
            first.setdefault(r[unit], r[column]) != r[column] for r in rows
        ):
            raise RefusalError("rows of one id differ too much for any release")


def expect_persons(
    wanted: Content, unit: str, table: Content, kept: list[str], rows: list[Content]
) -> None:
    """Refuse a table of which no release satisfies what is asked of its ids."""
    expect_alike(wanted, wanted[unit], table["qi"], kept, rows)
    columns = [[row[c] for row in rows] for c in table["sensitive"] or ()]
    apart = [[row[c] for c in kept] for row in rows]
    who = [row[wanted[unit]] for row in rows]
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
