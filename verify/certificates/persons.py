"""What is proven where persons count: groups with enough different ids."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from starmin.instances import Table
from starmin.verify.certificates.untrusted import (
    RefusalError,
    check_keys,
    check_mapping,
    whole,
)

UNITS = ("person", "household")
_ASKED = {"k", "l", "alpha"}
_MORE = {"diversity", "c"}
_FORMS = ("distinct", "entropy", "recursive")


class Counted(NamedTuple):
    """What a requirement states that counts ids.

    Attributes
    ----------
    column
        Of the ids.
    least
        How many of them every group has at least.
    together
        Whether all rows of each are published alike.
    """

    column: str
    least: int
    together: bool = False


def read_counted(stated: object, table: Table) -> Counted:
    """Read a requirement that counts ids; refuse it where it is none.

    A group with P persons is required to have k of them; or each value for at most
    P / l or alpha P of them, hence at least l or 1 / alpha persons, as somebody has a
    value; or l different values, and l persons. Entropy and recursive diversity imply l
    values where each person has one. So each group has as many different ids, whether
    rows of a person may be parted or not.
    """
    content = check_mapping(stated, "its requirement")
    units = [unit for unit in UNITS if unit in content]
    if len(units) > 1:
        raise RefusalError("its requirement counts persons and households")
    needed = {units[0], *(["all_of"] if "all_of" in content else [])}
    further = set() if "all_of" in content else _ASKED | _MORE
    check_keys(content, "its requirement", needed, {"pseudonym", "alike", *further})
    column = content[units[0]]
    if not isinstance(column, str) or column not in table.names:
        raise RefusalError("its requirement counts ids of a column that is not there")
    parts = content.get("all_of", [content])
    if not isinstance(parts, list) or not parts:
        raise RefusalError("its requirement is empty")
    least = max(_least(part, units[0]) for part in parts)
    alike = content.get("alike", [])
    if not isinstance(alike, list | tuple):
        raise RefusalError("the columns that are alike are no list")
    together = content.get("pseudonym") is True or set(alike) == set(table.qi)
    return Counted(column, least, together)


def _least(part: object, unit: str) -> int:
    """Return how many persons a part asks of every group."""
    content: Mapping[str, Any] = check_mapping(part, "its requirement")
    known = _ASKED | _MORE | {unit, "pseudonym", "alike"}
    check_keys(content, "its requirement", set(), known)
    if not _ASKED & set(content):
        raise RefusalError("its requirement is empty")
    if content.get("diversity", "distinct") not in _FORMS:
        raise RefusalError("its diversity is of no known form")
    counts = [
        whole(content[key], f"{key} of its requirement", 2)
        for key in ("k", "l")
        if key in content
    ]
    if "alpha" in content:
        share = content["alpha"]
        if type(share) not in (int, float) or not 0 < share <= 1:
            raise RefusalError("its share is not above 0 and at most 1")
        counts.append(math.ceil(1 / Fraction(str(share))))
    return max(counts)


def table_of_ids(table: Table, counted: Counted) -> Table:
    """Return the table with the ids in the place of sensitive values."""
    if counted.column in table.qi:
        raise RefusalError("its requirement counts a quasi-identifier")
    return table.with_roles(table.qi, (counted.column,))
