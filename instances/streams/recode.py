"""Files whose cells are read as sets, or as floors leave them, batch by batch."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from starmin.instances.streams.source import Source
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table

Text = str | None


def recoded(source: Source, counted: Table, coarse: Table) -> tuple[Source, Table]:
    """Return files with other texts in place of their own, and their counted table.

    ``counted`` has their distinct rows, and ``coarse`` the same rows, in the same
    order, with the texts that are to be read.

    Examples
    --------
    >>> cells = ["17"], ["93"], ["95"]
    >>> table = Table.from_rows(["age"], cells, qi=["age"])
    >>> counted = replace(table, counts=np.array([1, 2, 3]))
    >>> floored = Table.from_rows(["age"], [["17"], ["90+"], ["90+"]], qi=["age"])
    >>> files = Source(None, (), ("age",), ",", "utf-8")
    >>> files, few = recoded(files, counted, floored)
    >>> files.recoded["age"], few.rows(), few.counts.tolist()
    ({'93': '90+', '95': '90+'}, [('17',), ('90+',)], [1, 5])
    """
    changed: dict[str, Mapping[Text, Text]] = {}
    for column in counted.names:
        told = _told(counted, coarse, column)
        if told:
            changed[column] = told
    if not changed:
        return source, replace(counted, floors=coarse.floors)
    assert counted.counts is not None
    sizes = [len(coarse.dictionary(column)) for column in counted.names]
    found = group_by([coarse.column(column) for column in counted.names], sizes)
    counts = np.bincount(found.inverse, counted.counts).astype(np.int64)
    table = replace(coarse.take(found.first), counts=counts)
    return replace(source, recoded=changed), table


def _told(counted: Table, coarse: Table, column: str) -> dict[Text, Text]:
    """Return by text what is read in its place, where that is another one."""
    texts = counted.dictionary(column)
    place = np.full(len(texts), -1, np.int64)
    place[counted.column(column)] = coarse.column(column)
    others = coarse.dictionary(column)
    pairs = ((texts[c], others[at]) for c, at in enumerate(place.tolist()) if at >= 0)
    return {text: other for text, other in pairs if text != other}
