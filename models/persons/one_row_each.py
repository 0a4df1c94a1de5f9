"""Usual problems that are easier than one where persons count."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from operator import and_

import numpy as np

from starmin.instances import (
    DistinctDiversity,
    IntArray,
    KAnonymity,
    Persons,
    Requirement,
    Table,
    group_by,
)
from starmin.instances.requirements.id_columns import two_rows


def different_ids(table: Table, asked: Persons) -> tuple[Table, Requirement] | None:
    """Return the problem of groups with enough different ids, or None.

    A group where persons count has at least ``asked.least`` of them, whatever their
    rows are and wherever their other rows are. So distinct diversity in the column of
    ids is no more than that, and all of it where k-anonymity alone is required and rows
    of a person may be parted.

    The table has the column of ids. None is returned where one person is enough.

    Examples
    --------
    >>> rows = [["0", "p"], ["0", "p"], ["1", "q"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> easier, usual = different_ids(table, Persons.of(table, KAnonymity(2), "id"))
    >>> easier.sensitive, usual
    (('id',), DistinctDiversity(l=2))
    """
    if asked.least < 2:
        return None
    return table.with_roles(table.qi, (asked.column,)), DistinctDiversity(asked.least)


@dataclass(frozen=True, eq=False)
class OneRowEach:
    """A table with one row for each person, whose rows are alike."""

    table: Table  # the first row of each, under the roles that the requirement reads
    # what rows of it have to satisfy so that persons do; or k-anonymity alone, where
    # somebody has two sensitive values
    requirement: Requirement
    of_row: IntArray  # by row of the original its person
    copies: IntArray  # how many rows each of them has


def one_row_each(
    table: Table,
    asked: Persons,
    k: int | None = None,
    columns: Collection[str] | None = None,
) -> OneRowEach:
    """Return a table of persons instead of rows.

    Parameters
    ----------
    table
        With the column of ids.
    asked
        What is required.
    k
        Instead of it: how many persons a group has to have.
    columns
        The quasi-identifiers, of which each person has its first row; default: all.

    Examples
    --------
    >>> rows = [["0", "p"], ["0", "p"], ["1", "q"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> each = one_row_each(table, Persons.of(table, KAnonymity(2), "id"))
    >>> each.table.n, each.requirement, each.copies.tolist()
    (2, KAnonymity(k=2), [2, 1])
    """
    found = group_by(
        [table.column(asked.column)], [len(table.dictionary(asked.column))]
    )
    sensitive = table.sensitive
    varying = any(two_rows(table, asked.column, column) for column in sensitive)
    inner: Requirement = reduce(and_, asked.inner.parts)
    if k is not None or varying:
        sensitive, inner = (), KAnonymity(max(2, k or asked.least))
    qi = table.qi if columns is None else columns
    first = table.with_roles([*qi], sensitive).take(found.first)
    return OneRowEach(first, inner, found.inverse, found.counts)


def lifted(each: OneRowEach, groups: IntArray) -> IntArray:
    """Return the groups of rows by those of their persons."""
    return np.asarray(groups)[each.of_row]
