"""The patterns of a large table in ranges, which are looked at side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from starmin.instances import RowTypes, Table
from starmin.instances.arrays import Ints
from starmin.instances.runs.places import Places
from starmin.instances.tables.row_types import table_of_types
from starmin.verify.certificates.patterns.batches import (
    BATCH,
    PatternList,
    StarredBatch,
    Walk,
    expect_work,
)

# Enumerate the patterns that can lower a price bound, column by column.

STAR = -1  # in the place of a node


class PricedPatterns(NamedTuple):
    """What says the patterns that may lower a price bound, beside table and prices."""

    # by column: what a star costs, -1 where none is allowed; in the unit of the prices
    star: list[int]
    k: int
    l: int
    sensitive: int  # the position of the sensitive column whose diversity counts


class PatternEnumeration(Walk):
    """Goes from the set of all types to the patterns of stars.

    With ``first_kept`` only those are visited that star the columns before this one,
    and keep it; the number of columns stands for the one that stars all.

    Why what is left out may be left out says docs/reference/certificate.md.

    Why no number wraps. Be M the greatest ``|price|`` plus the sum of all stars; the
    caller sees to ``M n < 2^62``, or below 2^61 where there is a slack, which is below
    that, too. A set has each type once, so its copies are at most n. Then every ``cost
    - price`` is at most M in size, and every sum of such numbers over copies of *one*
    set (``gain``, a choice) at most ``M n``. What runs over many sets is a sum of
    copies, at most n for each of the entries of a batch, or of lengths; a batch has at
    most ``2 max(BATCH, m)`` entries, so with fewer than 2^30 rows that is below 2^61;
    ``l h`` is at most ``3 n`` at every h that is tried. Values of patterns are added
    over many sets by ``exact_sum``.
    """

    def __init__(
        self,
        types: RowTypes,
        prices: Ints,
        asked: PricedPatterns,
        first_kept: int | None = None,
    ) -> None:
        super().__init__(types, prices, asked[1:])
        self.codes = np.ascontiguousarray(types.codes[self.order].T)
        self.star, self.first_kept = asked.star, first_kept

    def patterns(self, slack: int = 0) -> Iterator[StarredBatch]:
        waiting = [self._begin()]
        while waiting:
            column, batch = waiting.pop()
            if len(batch.members) > BATCH and len(batch.lengths) > 1:
                waiting += [(column, half) for half in batch.halves()]
                continue
            batch = self._prune(batch, slack)
            if len(batch.lengths) == 0:
                continue
            if column == len(self.star):
                batch = self.fills.settled(
                    batch, slack, lambda some: self._prune(some, slack)
                )
                if len(batch.lengths):
                    yield batch
                continue
            self.look_at(batch)
            below = self._kept(batch, column)
            if self.star[column] >= 0:
                below = StarredBatch.join([below, self._starred(batch, column)])
            waiting.append((column + 1, below))

    def listed(self, slack: int) -> Iterator[PatternList]:
        for batch in self.patterns(slack):
            starred = batch.starred[:, None] >> np.arange(len(self.star)) & 1 == 1
            codes = self.codes[:, batch.members[batch.starts]].T
            nodes = np.where(starred, STAR, codes).astype(np.int64)
            members = self.order[batch.members]
            yield PatternList(members, batch.lengths, batch.cost, nodes)

    def _begin(self) -> tuple[int, StarredBatch]:
        """Return sets that the patterns are found below, and the column to go on at."""
        before = self.first_kept or 0
        every, cost = np.arange(len(self.prices)), sum(self.star[:before])
        one = StarredBatch(
            every, np.array([len(every)]), np.array([cost]), np.array([2**before - 1])
        )
        if self.first_kept is None or before == len(self.star):
            return before, one
        return before + 1, self._kept(one, before)

    def _kept(self, batch: StarredBatch, column: int) -> StarredBatch:
        """Return the sets split by the values of a column."""
        return batch.divide(self.codes[column][batch.members])

    def _starred(self, batch: StarredBatch, column: int) -> StarredBatch:
        """Return the sets as they are, with a star in a column."""
        return StarredBatch(
            batch.members,
            batch.lengths,
            batch.cost + self.star[column],
            batch.starred | 1 << column,
        )

    def _prune(self, batch: StarredBatch, slack: int) -> StarredBatch:
        """Drop the types in no choice worth less than ``slack``, then empty sets."""
        batch = self.fills.prune(batch, slack)
        if len(batch.lengths) == 0:
            return batch
        good = self.fills.diverse(batch)
        for column in range(len(self.star)):
            starred = batch.starred >> column & 1 == 1
            if starred.any():
                low, high = batch.ends(self.codes[column])
                good &= ~(starred & (low == high))
        return batch.keep(good)


MOST_TYPES = 1_000_000  # of a range, where that can be; a range takes some 400 B each
_FEW_TYPES = 100_000  # of one, of a table that has no more than eight times as many


class PatternRange(NamedTuple):
    """Patterns that star the columns before one, and keep it at some of its values."""

    # the column; the number of columns stands for the pattern that stars all
    first_kept: int
    low: int  # low, high: its values, by their codes: from ``low`` on, below ``high``
    high: int


def total_of_ranges(
    table: Table, types: RowTypes, prices: Ints, asked: PricedPatterns, where: Places
) -> int:
    """Return the sum of the negative values of all patterns, range by range.

    Each pattern is in one range, that of the first column that it keeps and of the
    value that it has there, with all types that fit it. So the sum is that of
    ``PatternEnumeration.total``.

    ``where`` says where ranges are looked at. Raises ValueError where too many patterns
    cost less than the prices of their rows to be checked.
    """
    from starmin.instances.streams.count import answers

    few, asked = _widest_first(table_of_types(table, types), asked)
    most = min(MOST_TYPES, max(_FEW_TYPES, len(types) // 8))
    pieces = ranges(few, int(prices.max()), asked.star, most)
    calls = ((few, prices, asked, piece) for piece in pieces)
    total, work = 0, 0
    for found, looked_at in answers(total_of_range, calls, where, where.count):
        total, work = total + found, work + looked_at
        expect_work(work)
    return total


def ranges(
    table: Table, dearest: int, star: Sequence[int], most: int
) -> Iterator[PatternRange]:
    """Yield the ranges whose patterns cost less than the dearest price.

    Of the counted ``table`` of the types a range has ``most``, where a value has no
    more. ``star`` is as in ``PricedPatterns``.

    >>> table = Table(("a",), np.array([[0, 1, 2]], np.int32), (("x", "y", "z"),),
    ...               ("a",), counts=np.array([3, 1, 1]))
    >>> [tuple(each) for each in ranges(table, 2, [1], 2)]
    [(0, 0, 2), (0, 2, 3), (1, 0, 0)]
    """
    cost = 0
    for column, size in enumerate(table.qi_cardinalities):
        if cost >= dearest:
            return
        ends = np.cumsum(np.bincount(table.codes[column], minlength=size))
        low = 0
        while low < size:
            before = ends[low - 1] if low else 0
            high = int(np.searchsorted(ends, before + most, side="right"))
            high = max(low + 1, high)
            if ends[high - 1] > before:
                yield PatternRange(column, low, high)
            low = high
        if star[column] < 0:
            return
        cost += star[column]
    if cost < dearest:
        yield PatternRange(table.d, 0, 0)


def total_of_range(
    table: Table, prices: Ints, asked: PricedPatterns, piece: PatternRange
) -> tuple[int, int]:
    """Return the sum of the negative values of a range, and how many types it took."""
    codes, counts = table.codes, table.counts
    assert counts is not None
    if piece.first_kept < table.d:
        values = codes[piece.first_kept]
        rows = np.flatnonzero((values >= piece.low) & (values < piece.high))
        codes, counts, prices = codes[:, rows], counts[rows], prices[rows]
    every = np.arange(len(counts), dtype=np.int32)
    types = RowTypes(codes[: table.d].T, codes[table.d :].T, counts, every)
    walk = PatternEnumeration(types, prices, asked, piece.first_kept)
    return walk.total(), walk.work


def _widest_first(table: Table, asked: PricedPatterns) -> tuple[Table, PricedPatterns]:
    """Put the QI columns with the most values first.

    Then ranges are small: patterns that star all of these cost too much to matter.
    """
    order = sorted(range(table.d), key=lambda j: -table.qi_cardinalities[j])
    names = (*(table.qi[j] for j in order), *table.sensitive)
    table = replace(
        table,
        names=names,
        codes=table.codes[table.positions(names)],
        dictionaries=tuple(table.dictionary(name) for name in names),
        qi=names[: table.d],
    )
    return table, asked._replace(star=[asked.star[j] for j in order])
