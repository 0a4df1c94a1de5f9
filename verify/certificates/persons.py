"""What is proven where persons count: groups with enough different ids."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from starmin.instances import Objective, Table, group_by
from starmin.instances.requirements.id_columns import first_two
from starmin.verify.certificates.untrusted import (
    RefusalError,
    check_keys,
    check_mapping,
    whole,
)

UNITS = ("person", "household")
NO_RELEASE = "persons of the table are too few or too much alike for any release"
_ASKED = {"k", "l", "alpha"}
_MORE = {"diversity", "c"}
_FORMS = ("distinct", "entropy", "recursive")


class Counted(NamedTuple):
    """What a requirement states that counts ids."""

    column: str  # of the ids
    least: int  # how many of them every group has at least
    together: bool  # whether all rows of each are published alike
    # the greatest share of them in a group that may have one sensitive value
    share: Fraction
    values: int  # how many sensitive values every group has at least
    # quasi-identifiers in which all rows of an id are published alike
    alike: tuple[str, ...] = ()


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
    asked = [_asked(part, units[0]) for part in parts]
    least, shares, values = zip(*asked, strict=True)
    alike = content.get("alike", [])
    if not isinstance(alike, list | tuple) or not all(c in table.qi for c in alike):
        raise RefusalError("the columns that are alike are no quasi-identifiers")
    together = content.get("pseudonym") is True or set(alike) == set(table.qi)
    told = max(least), together, min(shares), max(values), tuple(alike)
    return Counted(column, *told)


def _asked(part: object, unit: str) -> tuple[int, Fraction, int]:
    """Return what a part asks of every group: persons, a share of them, values."""
    content: Mapping[str, Any] = check_mapping(part, "its requirement")
    known = _ASKED | _MORE | {unit, "pseudonym", "alike"}
    check_keys(content, "its requirement", set(), known)
    if not _ASKED & set(content):
        raise RefusalError("its requirement is empty")
    if content.get("diversity", "distinct") not in _FORMS:
        raise RefusalError("its diversity is of no known form")
    k, l = (
        whole(content[key], f"{key} of its requirement", 2) if key in content else 1
        for key in ("k", "l")
    )
    share, by_values = Fraction(1), "diversity" in content
    if "alpha" in content:
        told = content["alpha"]
        if type(told) not in (int, float) or not 0 < told <= 1:
            raise RefusalError("its share is not above 0 and at most 1")
        share = Fraction(str(told))
    least = max(k, l, math.ceil(1 / share))
    return (least, share, l) if by_values else (least, min(share, Fraction(1, l)), 1)


def expect_release(table: Table, counted: Counted, objective: Objective) -> None:
    """Refuse a table that fails as a whole, or whose rows do that may share a class.

    A person has several rows, so that groups of a table may satisfy what the table does
    not: it is asked beside, of the rows as well that agree on what is to be kept.
    """
    ids = [table.column(counted.column)], [len(table.dictionary(counted.column))]
    told = [(column, table.column(column)) for column in objective.keep]
    if objective.scales is not None:
        roofs = objective.scales.roofs
        told += [(c, roof[table.column(c)]) for c, roof in roofs.items()]
    apart = [of_row for _, of_row in told]
    for column, of_row in told:
        if column in counted.alike and first_two(table, counted.column, of_row):
            raise RefusalError("rows of one id differ too much for any release")
    classes = [np.zeros(table.n, np.int32)]
    if apart:
        sizes = [int(column.max()) + 1 for column in apart]
        classes.append(group_by(apart, sizes).inverse)
    for groups in classes:
        many = int(groups.max()) + 1
        of_ids = group_by([groups, *ids[0]], [many, *ids[1]])
        persons = np.bincount(groups[of_ids.first], minlength=many)
        if persons.min() < counted.least:
            raise RefusalError(NO_RELEASE)
        for column in table.sensitive:
            cells, size = table.column(column), len(table.dictionary(column))
            each = group_by([groups, cells, *ids[0]], [many, size, *ids[1]])
            pairs = group_by([groups[each.first], cells[each.first]], [many, size])
            of_group = groups[each.first][pairs.first]
            values = np.bincount(of_group, minlength=many)
            most = np.zeros(many, np.int64)
            np.maximum.at(most, of_group, np.bincount(pairs.inverse))
            fits = zip(most.tolist(), persons.tolist(), strict=True)
            if any(top > counted.share * all_ for top, all_ in fits):
                raise RefusalError(NO_RELEASE)
            if values.min() < counted.values:
                raise RefusalError(NO_RELEASE)


def table_of_ids(table: Table, counted: Counted) -> Table:
    """Return the table with the ids in the place of sensitive values."""
    if counted.column in table.qi:
        raise RefusalError("its requirement counts a quasi-identifier")
    return table.with_roles(table.qi, (counted.column,))
