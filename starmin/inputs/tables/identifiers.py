"""Columns that look like identifiers, of rows or of persons who have several rows."""

import re
from collections.abc import Collection, Iterator

import numpy as np

from starmin.instances import Requirement, Table, as_number
from starmin.instances.requirements.id_columns import two_rows
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import part_of
from starmin.instances.tables.grouping import codes_that_occur, first_rows

SIGN = "different values"  # by which the warning is known among others

_SHARE = 0.95  # of the rows have a value of their own
_MANY, _FEW = 20, 10  # rows from which this says something: always, for text
# What a column of ids is called: such a word alone, at an end, or with "id" beside it.
_ID = re.compile(r"(^|[_ .-])(id|ids|pid|uid|idnr|id_?no)$|^id[_ .-]|[a-z]I[Dd]$")
_WHO = re.compile(
    r"(^|[_ .-])(person|patient|subject|member|client|customer|user|participant|"
    r"respondent|student|pupil|employee|household|family|animal|child|mother)"
    r"(?P<number>[_ .-]?(id|nr|no|num|number|code|key))?$",
    re.IGNORECASE,
)
_REPEATS = 1.2  # rows that each value has on average, at least
_MANY_IDS = 10  # different values, from which a column is looked at whatever its name
_FEW_IDS, _SEVERAL = 3, 6  # values, and rows of each, for a name that may be a property
_LARGE = 200_000  # rows; in larger tables names alone are looked at
_CELLS = 4_000_000  # that are looked at together


def identifiers(table: Table, ranged: Collection[str] = ()) -> list[str]:
    """Return a warning for each quasi-identifier that no two rows can share.

    Such a column, as a name or a number of a person, ends as one of stars: it should be
    left out. Told are columns with at least 0.95 n different values in n >= 20 rows,
    and those of text (not of numbers alone, which in few rows differ by chance) with n
    values in n >= 10 rows.

    Parameters
    ----------
    ranged
        Columns that are published as ranges or nodes, which rows can share.

    Notes
    -----
    O(n) for a column with that many values in its dictionary; else none.

    Examples
    --------
    >>> rows = [[chr(i), str(i % 2)] for i in range(97, 109)]
    >>> table = Table.from_rows(["name", "sex"], rows, qi=["name", "sex"])
    >>> [line.split(",")[0] for line in identifiers(table)]
    ["table: column 'name' has 12 different values in 12 rows"]
    """
    found = []
    for column in table.qi:
        least, labels = _SHARE * table.n, table.dictionary(column)
        if table.n < _FEW or column in ranged or len(labels) < least:
            continue
        used = np.flatnonzero(np.bincount(table.column(column)))
        if len(used) < least:
            continue
        if table.n < _MANY and all(as_number(labels[i]) is not None for i in used):
            continue
        found.append(
            f"{table.name}: column {column!r} has {len(used):,} {SIGN} in "
            f"{table.n:,} rows, as an identifier has: hardly any two rows can share "
            f"one; leave it out (--drop {column}) if it identifies people"
        )
    return found


def repeated_ids(table: Table, requirement: Requirement | None = None) -> list[str]:
    """Return a warning for each column that has ids of persons with several rows.

    Each row counts as a person otherwise, so that a person may hide among own rows.
    Told are columns whose values repeat and that are called like an id; and those of
    many values, each of which has one value of all other quasi-identifiers alone. The
    table has all columns that are read; where the requirement counts persons or
    households nothing is told.

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
    looked_at = [c for c in wanted if c not in called and values[c] >= _MANY_IDS]
    if table.n <= _LARGE:
        called |= _determining(table, looked_at, varying)
    yield from ((column, values[column]) for column in wanted if column in called)


def _is_called_so(column: str, many: int, rows: int) -> bool:
    """Check whether a column is called as ids of persons are."""
    called = _WHO.search(column)
    few = many < _MANY_IDS and (many < _FEW_IDS or rows > _SEVERAL * many)
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
