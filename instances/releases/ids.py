"""Columns of ids: what is published of them, and how a release is checked by them."""

import numpy as np

from starmin.instances.errors import TableError
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import Requirement, part_of
from starmin.instances.requirements.within import CLASS
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.random_orders import secret_order
from starmin.instances.tables.row_types import merge_equal_values
from starmin.instances.tables.table import Table


def public_table(table: Table, requirement: Requirement) -> Table:
    """Return a table as it may be published where nothing of it is hidden.

    Without the classes of an earlier release. Without the ids of persons or households;
    or, with a pseudonym, with random numbers in their place, drawn from the system's
    entropy: neither the id nor the order of rows tells them.

    >>> from starmin.instances import KAnonymity
    >>> rows = [["x", "Ann"], ["x", "Bob"], ["x", "Ann"]]
    >>> table = Table.from_rows(["a", "who"], rows, ["a"])
    >>> public_table(table, Persons.of(table, KAnonymity(2), "who")).names
    ('a',)
    >>> asked = Persons.of(table, KAnonymity(2), "who", pseudonym=True)
    >>> sorted(set(public_table(table, asked).cells("who")))
    ['1', '2']
    """
    asked = part_of(requirement, Persons)
    if asked is None or not asked.pseudonym:
        return without_columns(table, requirement)
    column = asked.column
    found = table.grouped([column])
    numbers = tuple(str(number + 1) for number in range(found.size))
    return table.recoded({column: (secret_order(found.size)[found.inverse], numbers)})


def without_columns(table: Table, requirement: Requirement) -> Table:
    """Return a table without the ids, and the classes of an earlier release."""
    left = without_ids(table, part_of(requirement, Persons))
    return left.drop([CLASS]) if CLASS in left.names else left


def with_classes_of(released: Table, original: Table) -> Table:
    """Return a release with the classes that its original has, if it has them."""
    if CLASS not in original.names or CLASS in released.names:
        return released
    return released.beside(original, [CLASS])


def without_ids(table: Table, asked: Persons | None) -> Table:
    """Return a table without the ids, if it has them."""
    if asked is None or asked.column not in table.names:
        return table
    return table.drop([asked.column])


def with_ids_of(released: Table, original: Table, asked: Persons) -> Table:
    """Return a release with the ids of its original, whose rows are in its order."""
    return without_ids(released, asked).beside(original, [asked.column])


def why_not_renamed(released: Table, original: Table, column: str) -> str | None:
    """Say where pseudonyms do not stand for the ids of the original, one for each.

    Both tables have the same rows in the same order; ``column`` is that of pseudonyms
    and ids. None is returned where they do.
    """
    both = [merge_equal_values(each).column(column) for each in (released, original)]
    pairs = group_by(both)
    for codes, what in zip(both, ("pseudonym", "id"), strict=True):
        if len(np.unique(codes)) < pairs.size:
            of_pair = codes[pairs.first]
            twice = np.flatnonzero(np.bincount(of_pair) > 1)[0]
            one, two = np.sort(pairs.first[of_pair == twice])[:2]
            other = "ids" if what == "pseudonym" else "pseudonyms"
            return (
                f"rows {one + 1} and {two + 1} have one {what} in column {column!r} "
                f"and two {other}"
            )
    return None


def expect_recoding(asked: Persons, recoding: str | None) -> None:
    """Raise TableError where persons are not counted in releases of this kind."""
    if recoding not in (None, "suppression", "generalization"):
        raise TableError(
            f"--{asked.unit}: is for --recoding suppression and generalization, not "
            f"{recoding}"
        )
