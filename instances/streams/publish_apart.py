"""Write a release file by file, each as a task: in threads or on other machines."""

from collections.abc import Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.errors import TableError
from starmin.instances.releases.by_row.mask import Mask
from starmin.instances.releases.partitions.partition import Partition
from starmin.instances.releases.release import check_star
from starmin.instances.runs.workers.places import Places
from starmin.instances.streams.deal import Dealer, RowIndex, by_pattern
from starmin.instances.streams.file_by_file import FileByFile
from starmin.instances.streams.publish_batches import StarredCells
from starmin.instances.streams.source import Source
from starmin.instances.streams.write_parts import ParquetPart, new_folder, part_file
from starmin.instances.tables.table import Table

_LEAVING = 30.0  # seconds that tasks have to end where one has failed


class Texts(NamedTuple):
    """What a table has beside the codes and the counts of its rows."""

    names: tuple[str, ...]
    dictionaries: tuple[tuple[str | None, ...], ...]
    qi: tuple[str, ...]
    sensitive: tuple[str, ...]
    name: str

    def table(self, codes: Int32s, counts: Ints) -> Table:
        """Return the table."""
        given = self.dictionaries, self.qi, self.sensitive, self.name
        return Table(self.names, codes, *given, counts)


class Released(NamedTuple):
    """What is published of the counted rows: their groups and copies, and the stars."""

    groups: Int32s
    rows: Int32s
    copies: Ints
    starred: Bools
    drop: tuple[str, ...]
    star: str


def publish_apart(
    source: Source,
    table: Table,
    best: Partition | Mask,
    path: Path,
    where: Places,
    drop: Sequence[str] = (),
    star: str = "*",
) -> None:
    """Write the release of a counted table to a folder, a file for each of the input.

    Row by row it is what ``publish_rows`` writes. For that, the rows of each file are
    counted first: the copies that the files before it have are dealt already.

    Parameters
    ----------
    source
        The files that the table was counted from.
    table, best
        The counted table, and its groups or its mask.
    path
        The folder, which appears whole or not at all. Workers reach it by this path.
    where
        Where files are counted and written.
    drop
        Columns that are not published.
    star
        The symbol for a suppressed cell.

    Raises
    ------
    TableError
        A cell is the star symbol, the files changed since they were counted, or the
        folder cannot be written.
    """
    check_star(table, star)
    partition, starred = by_pattern(table, best)
    assert partition.rows is not None and table.counts is not None
    assert partition.copies is not None
    order = np.argsort(partition.rows, kind="stable")
    groups, rows = partition.groups[order], partition.rows[order]
    copies = partition.copies[order]
    released = Released(groups, rows, copies, starred, tuple(drop), star)
    counted = table.codes, table.counts
    texts = Texts(
        table.names, tuple(table.dictionaries), table.qi, table.sensitive, table.name
    )
    files = FileByFile(source, here=False)
    parts = files.sources()
    before = np.zeros(len(table.counts), np.int64)
    changed = TableError(
        f"{table.name}: its rows are not those that were counted; it changed meanwhile"
    )
    begun: list[Future[Any]] = []
    with new_folder(path) as folder:
        try:
            counts = [where.submit(_copies, *counted, texts, part) for part in parts]
            begun += counts
            written = []
            for number, (part, future) in enumerate(zip(parts, counts, strict=True)):
                found, many = future.result()
                given = released, before, texts, part, folder / part_file(number)
                written.append(where.submit(_write, *counted, *given))
                begun.append(written[-1])
                before = before.copy()  # the task has the other one
                before[found] += many
                if (before > table.counts).any():
                    raise changed
            if not np.array_equal(before, table.counts):
                raise changed
            for part, future_file in zip(parts, written, strict=True):
                future_file.result()
                files.done(part)
        finally:
            # What goes on would write to a folder that is gone.
            wait([each for each in begun if not each.cancel()], _LEAVING)


def _copies(
    codes: Int32s, counts: Ints, texts: Texts, source: Source
) -> tuple[Int32s, Ints]:
    """Return which of the distinct rows a file has, and how often."""
    table = texts.table(codes, counts)
    nothing = np.zeros((0, table.d), bool)
    cells = StarredCells(source, table, nothing, (), "")
    index, many = RowIndex(codes, cells.sizes), np.zeros(len(counts), np.int64)
    for batch in source.batches(table.names):
        rows = index.find(cells.codes_of(batch))
        if (rows < 0).any():
            raise TableError(f"{table.name}: it changed since its rows were counted")
        np.add.at(many, rows, 1)
    found = np.flatnonzero(many).astype(np.int32)
    return found, many[found]


def _write(
    codes: Int32s,
    counts: Ints,
    released: Released,
    before: Ints,
    texts: Texts,
    source: Source,
    path: Path,
) -> None:
    """Write the release of a file, some copies being dealt before."""
    table = texts.table(codes, counts)
    cells = StarredCells(source, table, released.starred, released.drop, released.star)
    index = RowIndex(codes, cells.sizes)
    partition = Partition(released.groups, released.rows, released.copies)
    dealer = Dealer(table, partition, before)
    with ParquetPart(path, source.schema) as file:
        for batch in source.batches(cells.names):
            counted = cells.codes_of(batch)
            at = dealer.groups_of(index.find(counted))
            file.write(*cells.released(batch, counted, at))
