"""Usual problems that bound those with missing sensitive values."""

from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

import numpy as np

from starmin.instances import (
    DistinctDiversity,
    IntArray,
    KAnonymity,
    LDiversity,
    MissingValues,
    Reading,
    Requirement,
    Table,
)


@dataclass(frozen=True, eq=False)
class Easier:
    """A problem whose optimum is not above that of another one."""

    table: Table
    requirement: Requirement
    # those of the other table that it has; None: all of them
    rows: IntArray | None = None


def easier(table: Table, requirement: Requirement) -> Easier | None:
    """Return a problem of k-anonymity and diversity that is not harder, or None.

    Where a missing value may be any value, it may be one of its own: the same table,
    diversity of the usual kind.

    Where it counts for nobody, let l be the largest that is asked. (1) If k >= l, each
    missing value is replaced by one that nobody else has. A group with known values has
    as many rows of each of them as before, of more rows; and each group has k >= l
    rows, hence no value of its own in more than 1/l of them, and l different values if
    it had l known ones or none. (2) If k < l, the rows with a missing value are left
    out. What is left of a group is diverse, and has l > k rows, or none; it costs no
    more. With several sensitive columns this is done for the one that has most known
    values, and of the others nothing is asked.

    The check of certificates makes the same problem by code of its own.

    The requirement has ``MissingValues`` of diversity by frequency or by different
    values, with k-anonymity or without; None is returned for others, and for counted
    tables whose missing values would have to be told apart.

    Examples
    --------
    >>> table = Table.from_rows(["a", "s"], [["0", "x"], ["1", ""], ["1", "y"]],
    ...                         qi=["a"], sensitive=["s"])
    >>> asked = MissingValues(LDiversity(2), Reading("none", ("",)))
    >>> easier(table, asked).table.rows()
    [('0', 'x'), ('1', 'y')]
    """
    parts = [p for p in requirement.parts if isinstance(p, MissingValues)]
    others = [p for p in requirement.parts if not isinstance(p, MissingValues)]
    forms = (LDiversity, DistinctDiversity)
    inner = [part.inner for part in parts if isinstance(part.inner, forms)]
    if (
        not inner
        or len(inner) < len(parts)
        or not all(isinstance(part, KAnonymity) for part in others)
        or any(part.reading != parts[0].reading for part in parts)
    ):
        return None
    usual = reduce(and_, [*others, *inner])
    reading = parts[0].reading
    if reading.meaning == "any":
        return Easier(table, usual)
    l = max(
        part.l for part in inner if isinstance(part, LDiversity | DistinctDiversity)
    )
    if requirement.core.size >= l:
        own = None if table.counts is not None else _with_own_values(table, reading)
        return None if own is None else Easier(own, usual)
    known = [_known(table, column, reading) for column in table.sensitive]
    most = int(np.argmax([rows.sum() for rows in known]))
    rows = np.flatnonzero(known[most])
    if len(rows) == 0:
        return None
    left = table.with_roles(table.qi, (table.sensitive[most],)).take(rows)
    return Easier(left, reduce(and_, inner), rows)


def _known(table: Table, column: str, reading: Reading) -> np.ndarray:
    """Return in which rows a value is known."""
    unknown = {None, *reading.unknown}
    known = [text not in unknown for text in table.dictionary(column)]
    return np.array(known)[table.column(column)]


def _with_own_values(table: Table, reading: Reading) -> Table:
    """Return the table with a value of its own in each cell that is missing."""
    codes, dictionaries = table.codes.copy(), list(table.dictionaries)
    for column in table.sensitive:
        at = table.names.index(column)
        missing = np.flatnonzero(~_known(table, column, reading))
        begin = len(dictionaries[at])
        codes[at, missing] = begin + np.arange(len(missing), dtype=np.int32)
        # No text of a file has this character.
        own = tuple(f"\0{number}" for number in range(len(missing)))
        dictionaries[at] = (*dictionaries[at], *own)
    return replace(table, codes=codes, dictionaries=tuple(dictionaries))
