"""Columns that look like ids of persons who have several rows."""

import re
from collections.abc import Iterator

import numpy as np

from starmin.instances import Requirement, Table
from starmin.instances.requirements.persons import Persons, two_rows
from starmin.instances.requirements.requirement import part_of
from starmin.instances.tables.occurring import codes_that_occur, first_rows

# What a column of ids is called: such a word alone, at an end, or with "id" beside it.
_ID = re.compile(r"(^|[_ .-])(id|ids|pid|uid|idnr|id_?no)$|^id[_ .-]|[a-z]I[Dd]$")
_WHO = re.compile(
    r"(^|[_ .-])(person|patient|subject|member|client|customer|user|participant|"
    r"respondent|student|pupil|employee|household|family|animal|child|mother)"
    r"(?P<number>[_ .-]?(id|nr|no|num|number|code|key))?$",
    re.IGNORECASE,
)
_REPEATS = 1.2  # rows that each value has on average, at least
_MANY = 10  # different values, from which a column is looked at whatever its name
_FEW, _SEVERAL = 3, 6  # values, and rows of each, for a name that may be a property
_LARGE = 200_000  # rows; in larger tables names alone are looked at
_CELLS = 4_000_000  # that are looked at together


def repeated_ids(table: Table, requirement: Requirement | None = None) -> list[str]:
    """Return a warning for each column that has ids of persons with several rows.

    Each row counts as a person otherwise, so that a person may hide among own rows.
    Told are columns whose values repeat and that are called like an id; and those of
    many values, each of which has one value of all other quasi-identifiers alone.

    Parameters
    ----------
    table
        With all columns that are read.
    requirement
        Where persons or households are counted nothing is told.

    Examples
    --------
    >>> rows = [["p1", "50"], ["p1", "50"], ["p2", "61"], ["p2", "61"]]
    >>> table = Table.from_rows(["pid", "age"], rows, qi=["age"])
    >>> [line.split(", ")[0] for line in repeated_ids(table)]
    ["table: column 'pid' has 2 different values in 4 rows"]
    """
    if part_of(requirement, Persons) is not None or table.counts is not None:
        return []
    return [
        f"{table.name}: column {column!r} has {many:,} different values in "
        f"{table.n:,} rows, each in several, as an id of persons has; rows are "
        f"counted, and a person may hide among own rows: --person {column} counts "
        "persons"
        for column, many in person_columns(table)
    ]


def person_columns(table: Table) -> Iterator[tuple[str, int]]:
    """Yield each column that looks like ids of persons, and how many ids it has."""
    counts = codes_that_occur(table.codes, table.sizes(table.names))
    values = dict(zip(table.names, counts.tolist(), strict=True))
    repeated = (counts >= 2) & (table.n >= _REPEATS * counts)
    wanted = [table.names[j] for j in np.flatnonzero(repeated).tolist()]
    wanted = [column for column in wanted if column not in table.sensitive]
    called = {c for c in wanted if _is_called_so(c, values[c], table.n)}
    varying = [c for c in table.qi if values[c] > 1]
    looked_at = [c for c in wanted if c not in called and values[c] >= _MANY]
    if table.n <= _LARGE:
        called |= _determining(table, looked_at, varying)
    yield from ((column, values[column]) for column in wanted if column in called)


def _is_called_so(column: str, many: int, rows: int) -> bool:
    """Check whether a column is called as ids of persons are."""
    called = _WHO.search(column)
    few = many < _MANY and (many < _FEW or rows > _SEVERAL * many)
    return bool(_ID.search(column) or (called and (called["number"] or not few)))


def _determining(table: Table, columns: list[str], others: list[str]) -> set[str]:
    """Return the columns each value of which has one value of two or more others."""
    left = [c for c in columns if len(others) - (c in others) > 1]
    step = max(1, _CELLS // table.n)
    for other in others:
        values, kept = table.column(other), list[str]()
        texts = table.dictionary(other)
        by_text = len(set(texts)) < len(texts)  # two codes may be of one text
        for at in range(0, len(left), step):
            some = left[at : at + step]
            first = first_rows(table.codes[table.positions(some)])
            same = (values[first] == values).all(axis=1)
            kept += [
                column
                for column, alike in zip(some, same.tolist(), strict=True)
                if alike or (by_text and two_rows(table, column, other) is None)
            ]
        left = kept
    return {*left}
