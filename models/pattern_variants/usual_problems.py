"""State deletion, and missing sensitive values, as problems of the usual kind."""

from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

import numpy as np

from starmin.instances import (
    Certificate,
    DistinctDiversity,
    IntArray,
    KAnonymity,
    LDiversity,
    MissingValues,
    Objective,
    Partition,
    Reading,
    Requirement,
    Table,
)
from starmin.instances.releases.partial_partition import PartialPartition, price_of
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.runs.certificate import describe_table

# Deletion as a usual problem: of a table with a few rows that are like no others.

ADDED = "added_rows"  # the entry of a certificate's data: how many there are


def takes_added(table: Table, asked: DeletedRows, objective: Objective) -> bool:
    r"""Check whether added rows make a usual problem of one with deleted rows.

    That is so for k-anonymity and stars where a deleted row costs as much as one that
    shows nothing, w. To the table come k rows that differ from all others and from each
    other in every column. A group that has one of them shows nothing, so that each of
    its rows costs w: those of the table are deleted in its place, and the added rows
    cost w each in any release. The other way round, deleted rows and all added ones are
    a group of k or more. So the optimum of the larger table is that of the smaller one
    and k w.
    """
    plain = all(isinstance(part, KAnonymity) for part in asked.inner.parts)
    if not plain or not objective.by_star or objective.keep or table.floors:
        return False
    dear = DeletedRows(asked.inner)
    return price_of(asked, table, objective) == price_of(dear, table, objective)


def with_added(table: Table, many: int) -> Table:
    """Return a table with so many more rows, which are like no others.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"]], qi=["a", "b"])
    >>> [row[0] for row in with_added(table, 2).rows()]
    ['0', '\\x00added 1', '\\x00added 2']
    """
    texts = tuple(f"\0added {place + 1}" for place in range(many))
    dictionaries, codes = list[tuple[str | None, ...]](), []
    for column, old in zip(table.names, table.dictionaries, strict=True):
        new = np.zeros(many, table.codes.dtype)
        if column in table.qi:
            new = len(old) + np.arange(many, dtype=table.codes.dtype)
            old = (*old, *texts)
        dictionaries.append(old)
        codes.append(np.concatenate([table.column(column), new]))
    return replace(table, codes=np.array(codes), dictionaries=tuple(dictionaries))


def without_added(partition: Partition, n: int, price: int) -> Partition:
    """Return the release of a table that one with added rows stands for.

    ``partition`` is of the larger table, ``n`` the number of rows of the smaller one,
    and ``price`` that of a deleted row.
    """
    groups, added = partition.groups[:n], partition.groups[n:]
    kept = ~np.isin(groups, added)
    return PartialPartition.keeping(Partition.from_labels(groups), kept, price)


def certificate_of(
    found: Certificate, table: Table, asked: DeletedRows, less: int
) -> Certificate:
    """Return the certificate of a table of that of one with added rows.

    ``found`` is of the larger table, ``less`` what the added rows cost.
    """
    return replace(
        found,
        table=describe_table(table),
        requirement=asked.as_json(),
        bound=max(0, found.bound - less),
        data={**found.data, ADDED: asked.least},
    )


# Usual problems that bound those with missing sensitive values.


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
