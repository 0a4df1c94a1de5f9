"""Columns that look like ids of persons who have several rows."""

import re
from collections.abc import Iterator

import numpy as np

from starmin.instances import Requirement, Table
from starmin.instances.releases.ids import ids_of
from starmin.instances.requirements.persons import two_rows

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
    if ids_of(requirement) is not None or table.counts is not None:
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
    varying = [c for c in table.qi if _values(table, c) > 1]
    for column in table.names:
        if column in table.sensitive:
            continue
        many = _values(table, column)
        if many < 2 or table.n < _REPEATS * many:
            continue
        others = [c for c in varying if c != column]
        if _looks_so(table, column, many, others):
            yield column, many


def _values(table: Table, column: str) -> int:
    """Count the different values of a column."""
    return int(np.count_nonzero(np.bincount(table.column(column))))


def _looks_so(table: Table, column: str, many: int, others: list[str]) -> bool:
    called = _WHO.search(column)
    few = many < _MANY and (many < _FEW or table.n > _SEVERAL * many)
    if _ID.search(column) or (called and (called["number"] or not few)):
        return True
    if many < _MANY or len(others) < 2 or table.n > _LARGE:
        return False
    return all(two_rows(table, column, other) is None for other in others)
