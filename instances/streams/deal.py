"""Which row of the input is in which group: copies dealt batch after batch."""

from collections.abc import Sequence

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints, Words
from starmin.instances.errors import TableError
from starmin.instances.releases.by_row.mask import Mask
from starmin.instances.releases.partitions.partition import Partition
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table

_KEY_LIMIT = 2**62


class RowIndex:
    """Finds rows among the distinct rows of a counted table.

    ``codes`` is columns x m, the distinct rows in lexicographic order; ``sizes`` tells
    how many codes each column has.

    Examples
    --------
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
    columns = [column.astype(np.int32) for column in best.starred.T]
    found = group_by(columns, [2] * len(columns))
    rows = best.rows.astype(np.int32)
    groups = Partition(found.inverse, rows, best.copies)
    return groups, best.starred[found.first]


class Dealer:
    """Deals the copies of each distinct row to its groups, one at a time.

    ``table`` is the counted table, and ``partition`` tells how many copies of which row
    go to which group; ``before`` is how many copies of each row were dealt before, by
    default none.

    Examples
    --------
    >>> from starmin.instances.releases.partitions.partition import Partition
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
        from starmin.instances.streams.deal_loops import deal

        groups = np.empty(len(rows), np.int32)
        random = np.zeros(0, np.uint64) if draws is None else draws
        wrong = deal(
            rows, self._starts, self._next, self._left, self._groups, random, groups
        )
        if wrong >= 0:
            self._refuse()
        return groups

    def expect_all(self) -> None:
        """Raise TableError where copies are left."""
        if self._left.any():
            self._refuse()

    def _refuse(self) -> None:
        raise TableError(
            f"{self._name}: its rows are not those that were counted; it changed "
            "meanwhile"
        )
