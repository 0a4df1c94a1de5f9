"""Deletion as a usual problem: of a table with a few rows that are like no others."""

from dataclasses import replace

import numpy as np

from starmin.instances import Certificate, KAnonymity, Objective, Partition, Table
from starmin.instances.releases.partitions.partial_partition import (
    PartialPartition,
    price_of,
)
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.runs.certificate import describe_table

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
