"""Write a release by stars of files of any size, batch by batch."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints, Words
from starmin.instances.releases.by_row.mask import Mask
from starmin.instances.releases.partitions.partition import Partition
from starmin.instances.releases.release import check_star
from starmin.instances.streams.deal import Dealer, RowIndex, by_pattern
from starmin.instances.streams.file_by_file import answers
from starmin.instances.streams.growing_codes import GrowingCodes, coded
from starmin.instances.streams.source import Source
from starmin.instances.tables.table import Table

Draws = Callable[[int], Words]


class Part(NamedTuple):
    """Some rows of a release."""

    # its cells as text; the dictionaries have the texts of these rows alone
    table: Table
    # by name the columns of Arrow, with their types, in which nothing is hidden in the
    # whole release
    kept: dict[str, Any]


def publish_rows(
    source: Source,
    table: Table,
    best: Partition | Mask,
    write: Callable[[Table, Mapping[str, Any]], object],
    drop: Sequence[str] = (),
    star: str = "*",
    draws: Draws | None = None,
) -> None:
    """Write the release of a counted table by groups or a mask, rows in their order.

    Each row of the input is given the group of one of the copies of its type, and its
    quasi-identifiers are starred as the group says; all other cells stay. That takes a
    search among the distinct rows for those of each batch, and memory for the table,
    the partition and a few batches.

    ``table`` was counted from ``source``, and ``best`` has its groups or is its mask;
    columns of ``drop`` are not published, and ``star`` is the symbol for a suppressed
    cell. ``write`` takes the release, part after part: its cells, and by name the
    columns of Arrow in which nothing is hidden. ``draws`` returns random numbers, as
    many as are asked for, to deal equal rows by; by default they are dealt in the order
    of the groups. Raises TableError where a cell is the star symbol, or the files
    changed since they were counted.
    """
    check_star(table, star)
    partition, starred = by_pattern(table, best)
    cells = StarredCells(source, table, starred, drop, star)
    index = RowIndex(table.codes, cells.sizes)
    dealer = Dealer(table, partition)

    def located(batch: Any) -> tuple[Any, list[Int32s], Ints]:
        counted = cells.codes_of(batch)
        return batch, counted, index.find(counted)

    # Rows are looked up ahead; only to deal their copies takes the order of the input.
    batches = answers(located, ((batch,) for batch in source.batches(cells.names)))
    for batch, counted, rows in batches:
        random = None if draws is None else draws(batch.num_rows)
        write(*cells.released(batch, counted, dealer.groups_of(rows, random)))
    dealer.expect_all()


class StarredCells:
    """Batches of the input, with the stars of their groups.

    ``table`` is the counted table, with the texts of its columns; ``starred``, groups x
    QI columns, tells where a group is published as a star, whose symbol is ``star``.
    ``drop`` are columns that are not published, and ``names`` those that are; ``sizes``
    tells how many codes each column of the table has.
    """

    def __init__(
        self,
        source: Source,
        table: Table,
        starred: Bools,
        drop: Sequence[str],
        star: str,
    ) -> None:
        self.names = tuple(name for name in source.names if name not in drop)
        self.sizes = [len(values) for values in table.dictionaries]
        self._table, self._starred = table, starred
        hidden = dict(zip(table.qi, np.any(starred, axis=0).tolist(), strict=True))
        self._kept = [name for name in self.names if not hidden.get(name, False)]
        self._known = GrowingCodes(table.names, table.name)
        self._known.begin_with(table.dictionaries)
        self._texts = {
            name: (*table.dictionary(name), *((star,) if name in table.qi else ()))
            for name in table.names
        }

    def codes_of(self, batch: Any) -> list[Int32s]:
        """Return the codes of a batch in the columns of the table."""
        return self._known.of_batch(batch)

    def released(self, batch: Any, counted: list[Int32s], groups: Int32s) -> Part:
        """Return a batch as it is published.

        ``counted`` has its codes, which are changed in place, and ``groups`` the group
        of each of its rows.
        """
        table, texts = self._table, self._texts
        by_name = dict(zip(table.names, counted, strict=True))
        for j, column in enumerate(table.qi):
            stars = self._starred[groups, j]
            by_name[column][stars] = len(texts[column]) - 1
        dictionaries = dict(texts)
        for column in self.names:
            if column not in by_name:
                values, codes = coded(batch.column(column), column, table.name)
                dictionaries[column], by_name[column] = tuple(values), codes
        released = Table(
            self.names,
            np.array([by_name[column] for column in self.names]),
            tuple(dictionaries[column] for column in self.names),
            table.qi,
            table.sensitive,
            table.name,
        )
        kept = {column: batch.column(column) for column in self._kept}
        return Part(released.used(), kept)
