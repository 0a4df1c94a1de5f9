"""Columns of ids, of persons or households, and what differs in rows of one id."""

from collections.abc import Collection

import numpy as np

from starmin.instances.arguments import expect_kind, nearest
from starmin.instances.arrays import Bools, IntArray, Ints
from starmin.instances.errors import TableError
from starmin.instances.requirements.requirement import Unit
from starmin.instances.tables.table import Table


def expect_ids(
    table: Table, column: str, unit: Unit, missing: Collection[str | None]
) -> None:
    """Raise TableError where a column cannot be that of ids."""
    expect_kind("column", column, str)
    if column not in table.names:
        raise TableError(
            f"{table.name}: no column {column!r} of ids of {unit}s"
            f"{nearest(column, table.names)}"
        )
    if column in table.qi + table.sensitive:
        raise TableError(
            f"{table.name}: column {column!r} has the ids of {unit}s; it can be "
            "neither a quasi-identifier nor sensitive"
        )
    if table.counts is not None:
        raise TableError(f"{table.name}: {unit}s are not counted in batches")
    texts = table.dictionary(column)
    empty = np.array([text in (None, "", *missing) for text in texts], bool)
    rows = np.flatnonzero(empty[table.column(column)])
    if len(rows):
        text = texts[table.column(column)[rows[0]]]
        told = f" but {text!r}, a missing value," if text else ""
        raise TableError(
            f"{table.name}: row {rows[0] + 1} has no id{told} in column {column!r}: it "
            f"is not said whose row it is; give each {unit} an id"
        )


def two_rows(
    table: Table, column: str, other: str | IntArray
) -> tuple[int, int] | None:
    """Return two rows with one id that differ in another column; None: there are none.

    Or in values by row, in the place of a column.

    >>> rows = [["p", "x"], ["q", "y"], ["p", "z"]]
    >>> table = Table.from_rows(["id", "a"], rows, qi=["a"])
    >>> two_rows(table, "id", "a"), two_rows(table, "id", np.array([0, 1, 0]))
    ((0, 2), None)
    """
    first, differing = _differing(table, column, other)
    return (int(first[0]), int(differing[0])) if len(differing) else None


def mixed_ids(table: Table, column: str, other: str) -> Bools:
    """Return which ids, in their order, have rows that differ in another column.

    >>> rows = [["q", "y"], ["p", "x"], ["p", "z"]]
    >>> table = Table.from_rows(["id", "a"], rows, qi=["a"])
    >>> mixed_ids(table, "id", "a").tolist()
    [False, True]
    """
    ids = table.grouped([column])
    mixed = np.zeros(ids.size, bool)
    mixed[ids.inverse[_differing(table, column, other)[1]]] = True
    return mixed


def _differing(table: Table, column: str, other: str | IntArray) -> tuple[Ints, Ints]:
    """Return the rows that differ from the first one of their id, that one before."""
    values = _texts(table, other) if isinstance(other, str) else other
    ids = table.grouped([column])
    where = ids.first[ids.inverse].astype(np.int64)
    differs = np.flatnonzero(values != values[where])
    return where[differs], differs


def told_difference(
    table: Table, column: str, other: str, values: IntArray | None = None
) -> str:
    """Say of the first household whose rows differ in a column which ones do.

    ``column`` is of the ids, ``other`` where their rows differ; ``values`` has by row
    in what they are to differ, by default their cells.

    >>> rows = [["p", "x"], ["q", "y"], ["p", "z"]]
    >>> table = Table.from_rows(["id", "a"], rows, qi=["a"])
    >>> told_difference(table, "id", "a")
    "'p' has 'x' in row 1 and 'z' in row 3"
    """
    rows = two_rows(table, column, other if values is None else values)
    assert rows is not None
    cells, who = table.cells(other), table.cells(column)[rows[0]]
    one, two = (f"{cells[row]!r} in row {row + 1}" for row in rows)
    return f"{who!r} has {one} and {two}"


def _texts(table: Table, column: str) -> Ints:
    """Return for each row the first code of its text."""
    first: dict[str | None, int] = {}
    texts = table.dictionary(column)
    codes = np.array([first.setdefault(t, c) for c, t in enumerate(texts)], np.int64)
    return np.asarray(codes[table.column(column)])
