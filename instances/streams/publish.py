"""Write a release by stars of files of any size, batch by batch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from instances.releases.partition import Partition
from instances.releases.release import check_star
from instances.streams.codes import GrowingCodes, coded
from instances.streams.deal import Dealer, RowIndex
from instances.streams.side_by_side import answers
from instances.streams.source import Source
from instances.tables.table import Table

Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Draws = Callable[[int], npt.NDArray[np.uint64]]


def publish_rows(
    source: Source,
    table: Table,
    partition: Partition,
    write: Callable[[Table], object],
    drop: Sequence[str] = (),
    star: str = "*",
    draws: Draws | None = None,
) -> None:
    """Write the release of a partition of a counted table, rows in their order.

    Each row of the input is given the group of one of the copies of its type, and its
    quasi-identifiers are starred as the group says; all other cells stay.

    Parameters
    ----------
    source
        The files that the table was counted from.
    table, partition
        The counted table, and its groups.
    write
        Takes the release, part after part.
    drop
        Columns that are not published.
    star
        The symbol for a suppressed cell.
    draws
        Returns random numbers, as many as are asked for, to deal equal rows by;
        default: they are dealt in the order of the groups.

    Raises
    ------
    TableError
        A cell is the star symbol, or the files changed since they were counted.

    Notes
    -----
    A search among the distinct rows for those of each batch; memory for the table, the
    partition and a few batches.
    """
    check_star(table, star)
    starred = partition.starred(table)
    known = GrowingCodes(table.names, table.name)
    known.begin_with(table.dictionaries)
    sizes = [len(values) for values in table.dictionaries]
    index, dealer = RowIndex(table.codes, sizes), Dealer(table, partition)
    names = tuple(name for name in source.names if name not in drop)
    texts = {
        column: (*table.dictionary(column), *((star,) if column in table.qi else ()))
        for column in table.names
    }

    def located(batch: Any) -> tuple[Any, list[Codes], Ints]:
        counted = known.of_batch(batch)
        return batch, counted, index.find(counted)

    # Rows are looked up ahead; only to deal their copies takes the order of the input.
    batches = answers(located, ((batch,) for batch in source.batches(names)))
    for batch, counted, rows in batches:
        random = None if draws is None else draws(batch.num_rows)
        groups = dealer.groups_of(rows, random)
        by_name = dict(zip(table.names, counted, strict=True))
        for j, column in enumerate(table.qi):
            stars = starred[groups, j]
            by_name[column][stars] = len(texts[column]) - 1
        dictionaries = dict(texts)
        for column in names:
            if column not in by_name:
                values, codes = coded(batch.column(column), column, table.name)
                dictionaries[column], by_name[column] = tuple(values), codes
        write(
            Table(
                names,
                np.array([by_name[column] for column in names]),
                tuple(dictionaries[column] for column in names),
                table.qi,
                table.sensitive,
                table.name,
            )
        )
    dealer.expect_all()
