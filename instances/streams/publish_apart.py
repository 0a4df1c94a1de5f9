"""Write a release file by file, each as a task: in threads or on other machines."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints, Words
from starmin.instances.errors import TableError
from starmin.instances.releases.mask import Mask
from starmin.instances.releases.partition import Partition
from starmin.instances.releases.release import check_star
from starmin.instances.runs.places import Places
from starmin.instances.streams.count import FileByFile, GrowingCodes, answers, coded
from starmin.instances.streams.source import Source
from starmin.instances.streams.write_parts import ParquetPart, new_folder, part_file
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table

# Which row of the input is in which group: copies dealt batch after batch.

_KEY_LIMIT = 2**62


class RowIndex:
    """Finds rows among the distinct rows of a counted table.

    ``codes`` is columns x m, the distinct rows in lexicographic order; ``sizes`` tells
    how many codes each column has.

    >>> index = RowIndex(np.array([[0, 0, 1], [0, 2, 1]], np.int32), [2, 3])
    >>> index.find([np.array([1, 0], np.int32), np.array([1, 2], np.int32)]).tolist()
    [2, 1]
    """

    def __init__(self, codes: Int32s, sizes: Sequence[int]) -> None:
        self._sizes = list(sizes)
        self._ranked: dict[int, Ints] = {}  # by column: the keys of those before it
        key, width = np.zeros(codes.shape[1], np.int64), 1
        for j, (column, size) in enumerate(zip(codes, sizes, strict=True)):
            if width * size > _KEY_LIMIT:
                self._ranked[j] = known = np.unique(key)
                key, width = np.searchsorted(known, key), len(known)
            key = key * size + column
            width *= size
        self._keys = key

    def find(self, codes: Sequence[Int32s]) -> Ints:
        """Return the number of each row; -1 where it is none of them."""
        key = np.zeros(len(codes[0]), np.int64)
        lost = np.zeros(len(key), bool)
        for j, (column, size) in enumerate(zip(codes, self._sizes, strict=True)):
            if j in self._ranked:
                key, missing = _place(self._ranked[j], key)
                lost |= missing
            lost |= column >= size
            key = key * size + np.minimum(column, size - 1)
        # Sorted needles are found much faster.
        wanted, back = np.unique(key, return_inverse=True)
        place, missing = _place(self._keys, wanted)
        place[missing] = -1
        rows = place[back]
        rows[lost] = -1
        return rows


def _place(known: Ints, wanted: Ints) -> tuple[Ints, Bools]:
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return place, known[place] != wanted


def by_pattern(table: Table, best: Partition | Mask) -> tuple[Partition, Bools]:
    """Return groups of lines that are starred alike, and their stars: groups x QI.

    ``best`` has groups of the counted table, whose rows are starred alike already, or
    is its mask.
    """
    if isinstance(best, Partition):
        return best, best.starred(table)
    assert best.rows is not None
    found = group_by(list(best.starred.astype(np.int32).T))
    rows = best.rows.astype(np.int32)
    groups = Partition(found.inverse, rows, best.copies)
    return groups, best.starred[found.first]


class Dealer:
    """Deals the copies of each distinct row to its groups, one at a time.

    ``table`` is the counted table, and ``partition`` tells how many copies of which row
    go to which group; ``before`` is how many copies of each row were dealt before, by
    default none.

    >>> from starmin.instances.releases.partition import Partition
    >>> table = Table(("a",), np.array([[0, 1]], np.int32), (("x", "y"),), ("a",),
    ...               counts=np.array([3, 1]))
    >>> groups, rows = np.array([0, 1, 1], np.int32), np.array([0, 0, 1], np.int32)
    >>> dealer = Dealer(table, Partition(groups, rows, np.array([1, 2, 1])))
    >>> dealer.groups_of(np.array([0, 1, 0, 0])).tolist()
    [0, 1, 1, 1]
    >>> Dealer(table, Partition(groups, rows, np.array([1, 2, 1])),
    ...        np.array([2, 0])).groups_of(np.array([0, 1])).tolist()
    [1, 1]
    """

    def __init__(
        self, table: Table, partition: Partition, before: Ints | None = None
    ) -> None:
        assert partition.rows is not None and partition.copies is not None
        order = np.argsort(partition.rows, kind="stable")
        self._groups = partition.groups[order]
        self._left = partition.copies[order].copy()
        rows = partition.rows[order]
        self._starts = np.searchsorted(rows, np.arange(table.codes.shape[1] + 1))
        self._next = self._starts[:-1].copy()
        if before is not None:
            ends = np.concatenate([[0], np.cumsum(self._left)])
            dealt = before[rows] + ends[self._starts[rows]]
            self._left = np.clip(ends[1:] - dealt, 0, self._left)
        self._name = table.name

    def groups_of(self, rows: Ints, draws: Words | None = None) -> Int32s:
        """Return the groups of further rows of the input.

        ``rows`` are their numbers among the distinct rows. ``draws`` are random
        numbers, one a row, by which a copy is chosen among those that are left; if it
        is None, the copies are dealt in the order of the groups. Raises TableError
        where a row is not in the table, or occurs more often.
        """
        from starmin.instances.tables.table_loops import deal

        groups = np.empty(len(rows), np.int32)
        random = np.zeros(0, np.uint64) if draws is None else draws
        wrong = deal(
            rows, self._starts, self._next, self._left, self._groups, random, groups
        )
        if wrong >= 0:
            raise _changed(self._name)
        return groups

    def expect_all(self) -> None:
        """Raise TableError where copies are left."""
        if self._left.any():
            raise _changed(self._name)


def _changed(name: str) -> TableError:
    return TableError(
        f"{name}: its rows are not those that were counted; it changed meanwhile"
    )


# Write a release by stars of files of any size, batch by batch.

Draws = Callable[[int], Words]


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
    dealer = Dealer(table, partition)
    # Rows are looked up ahead; only to deal their copies takes the order of the input.
    calls = ((batch,) for batch in source.batches(cells.names))
    for batch, counted, rows in answers(cells.located, calls):
        random = None if draws is None else draws(batch.num_rows)
        write(*cells.released(batch, counted, dealer.groups_of(rows, random)))
    dealer.expect_all()


class StarredCells:
    """Batches of the input, with the stars of their groups.

    ``table`` is the counted table, with the texts of its columns; ``starred``, groups x
    QI columns, tells where a group is published as a star, whose symbol is ``star``.
    ``drop`` are columns that are not published, and ``names`` those that are.
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
        self._index = RowIndex(table.codes, table.sizes(table.names))
        self._table, self._starred = table, starred
        hidden = dict(zip(table.qi, np.any(starred, axis=0).tolist(), strict=True))
        self._kept = [name for name in self.names if not hidden.get(name, False)]
        known = table.dictionaries
        self._known = GrowingCodes(table.names, table.name, known)
        self._texts = {
            name: (*table.dictionary(name), *((star,) if name in table.qi else ()))
            for name in table.names
        }

    def located(self, batch: Any) -> tuple[Any, list[Int32s], Ints]:
        """Return a batch, its codes in the columns of the table, and which rows it has.

        These are numbers among the distinct rows; -1 where a row is none of them.
        """
        counted = self._known.of_batch(batch)
        return batch, counted, self._index.find(counted)

    def released(
        self, batch: Any, counted: list[Int32s], groups: Int32s
    ) -> tuple[Table, dict[str, Any]]:
        """Return a batch as it is published: its cells, and columns kept with types.

        ``counted`` has its codes, which are changed in place, and ``groups`` the group
        of each of its rows. The dictionaries of the cells have their texts alone; the
        columns of Arrow, by name, are those in which the whole release hides nothing.
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
        return released.used(), kept


_LEAVING = 30.0  # seconds that tasks have to end where one has failed


class Released(NamedTuple):
    """What is published of the counted rows: their groups, and the stars of these."""

    partition: Partition
    starred: Bools
    drop: tuple[str, ...]
    star: str


Dictionaries = tuple[tuple[str | None, ...], ...]  # which files of tables leave out


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
    counted first: the copies that the files before it have are dealt already. Raises
    TableError: a cell is the star symbol, the files changed since they were counted, or
    the folder cannot be written.

    ``source`` has the files that the table was counted from, and ``best`` its groups or
    its mask. The folder ``path`` appears whole or not at all, and workers reach it by
    this path; ``where`` is where files are counted and written. Columns of ``drop`` are
    not published, and ``star`` is the symbol for a suppressed cell.
    """
    check_star(table, star)
    partition, starred = by_pattern(table, best)
    assert table.counts is not None
    released = Released(partition, starred, tuple(drop), star)
    counted = table, tuple(table.dictionaries)
    files = FileByFile(source, here=False)
    parts = files.sources()
    before = np.zeros(len(table.counts), np.int64)
    changed = _changed(table.name)
    begun: list[Future[Any]] = []
    with new_folder(path) as folder:
        try:
            counts = [where.submit(_copies, *counted, part) for part in parts]
            begun += counts
            written = []
            for number, (part, future) in enumerate(zip(parts, counts, strict=True)):
                found, many = future.result()
                given = released, before, part, folder / part_file(number)
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
    table: Table, dictionaries: Dictionaries, source: Source
) -> tuple[Int32s, Ints]:
    """Return which of the distinct rows a file has, and how often."""
    table = replace(table, dictionaries=dictionaries)
    nothing = np.zeros((0, table.d), bool)
    cells = StarredCells(source, table, nothing, (), "")
    many = np.zeros(table.codes.shape[1], np.int64)
    for batch in source.batches(table.names):
        _, _, rows = cells.located(batch)
        if (rows < 0).any():
            raise TableError(f"{table.name}: it changed since its rows were counted")
        np.add.at(many, rows, 1)
    found = np.flatnonzero(many).astype(np.int32)
    return found, many[found]


def _write(
    table: Table,
    dictionaries: Dictionaries,
    released: Released,
    before: Ints,
    source: Source,
    path: Path,
) -> None:
    """Write the release of a file, some copies being dealt before."""
    table = replace(table, dictionaries=dictionaries)
    cells = StarredCells(source, table, released.starred, released.drop, released.star)
    dealer = Dealer(table, released.partition, before)
    with ParquetPart(path, source.schema) as file:
        for batch in source.batches(cells.names):
            _, counted, rows = cells.located(batch)
            file.write(*cells.released(batch, counted, dealer.groups_of(rows)))
