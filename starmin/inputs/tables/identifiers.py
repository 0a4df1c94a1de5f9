"""Quasi-identifiers that look like identifiers: a value of its own for each row."""

from collections.abc import Collection

import numpy as np

from starmin.instances import Table, as_number

SIGN = "different values"  # by which the warning is known among others

_SHARE = 0.95  # of the rows have a value of their own
_MANY, _FEW = 20, 10  # rows from which this says something: always, for text


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
