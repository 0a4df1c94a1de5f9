"""What a requirement asks of each group: rows, frequency, and different values."""

import math
from fractions import Fraction
from typing import Any

from starmin.verify.checker.reading import listed_in, whole
from starmin.verify.checker.words import BeyondError, Content, RefusalError

UNITS = ("person", "household")  # whose ids may count instead of rows
WITHIN = "within"  # names the classes of an earlier release
FORMS = ("distinct", "entropy", "recursive")


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


def ids(wanted: Content, unit: str) -> int:
    """Return how many persons, or households, every group has at least.

    A group in which no value is had by more than 1/l of the persons has l of them.
    """
    asked, named = {"k", "l", "alpha"}, {unit, "pseudonym", "alike"}
    parts = listed_in(wanted.get("all_of", [wanted]))
    if "all_of" in wanted and not set(wanted) <= named | {"all_of"}:
        raise RefusalError("its requirement has an entry of unknown name")
    least = []
    for part in parts:
        if not isinstance(part, dict) or not asked & set(part):
            raise RefusalError("its requirement is empty")
        if not set(part) <= asked | named | {"diversity", "c"}:
            raise RefusalError("its requirement has an entry of unknown name")
        if part.get("diversity", "distinct") not in FORMS:
            raise RefusalError("its diversity is of no known form")
        least += [whole(part[x], 2) for x in "kl" if x in part]
        if "alpha" in part:
            share = part["alpha"]
            if type(share) not in (int, float) or not 0 < share <= 1:
                raise RefusalError("its share is not above 0 and at most 1")
            least.append(math.ceil(1 / Fraction(str(share))))
    if not least:
        raise RefusalError("its requirement is empty")
    return max(least)


def rows_together(wanted: Content, qi: list[str]) -> bool:
    """Return whether a requirement has all rows of a person published alike."""
    alike = listed_in(wanted.get("alike", []))
    return wanted.get("pseudonym") is True or set(alike) == set(qi)
