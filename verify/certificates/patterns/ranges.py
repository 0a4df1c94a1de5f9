"""The patterns of a large table in ranges, which are looked at side by side."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import NamedTuple

import numpy as np

from starmin.instances import RowTypes, Table
from starmin.instances.arrays import Ints
from starmin.instances.runs.workers.places import Places
from starmin.instances.tables.counted import table_of_types
from starmin.verify.certificates.patterns.enumeration import (
    PatternEnumeration,
    expect_work,
)

MOST_TYPES = 1_000_000  # of a range, where that can be; a range takes some 400 B each
_FEW_TYPES = 100_000  # of one, of a table that has no more than eight times as many


class PricedPatterns(NamedTuple):
    """What says the patterns that may lower a price bound, beside table and prices."""

    # by column: what a star costs, -1 where none is allowed; in the unit of the prices
    star: list[int]
    k: int
    l: int
    sensitive: int  # the position of the sensitive column whose diversity counts


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
    few, asked = _widest_first(table_of_types(table, types), asked)
    most = min(MOST_TYPES, max(_FEW_TYPES, len(types) // 8))
    running: deque[Future[tuple[int, int]]] = deque()
    total, work = 0, 0

    def take() -> None:
        nonlocal total, work
        found, looked_at = running.popleft().result()
        total, work = total + found, work + looked_at
        expect_work(work)

    try:
        for piece in ranges(few, int(prices.max()), asked.star, most):
            if len(running) == 2 * where.count:
                take()
            running.append(where.submit(total_of_range, few, prices, asked, piece))
        while running:
            take()
    finally:
        for future in running:
            future.cancel()
    return total


def ranges(
    table: Table, dearest: int, star: Sequence[int], most: int
) -> Iterator[PatternRange]:
    """Yield the ranges whose patterns cost less than the dearest price.

    Parameters
    ----------
    table
        The counted table of the types.
    dearest
        The greatest price.
    star
        What a star costs in each column, -1 where none is allowed.
    most
        Types of a range, where a value has no more.

    Examples
    --------
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
    walk = PatternEnumeration(types, prices, *asked)
    return walk.total(piece.first_kept), walk.work


def _widest_first(table: Table, asked: PricedPatterns) -> tuple[Table, PricedPatterns]:
    """Put the QI columns with the most values first.

    Then ranges are small: patterns that star all of these cost too much to matter.
    """
    order = sorted(range(table.d), key=lambda j: -table.qi_cardinalities[j])
    names = (*(table.qi[j] for j in order), *table.sensitive)
    table = Table(
        names,
        table.codes[table.positions(names)],
        tuple(table.dictionary(name) for name in names),
        names[: table.d],
        table.sensitive,
        table.name,
        table.counts,
    )
    return table, asked._replace(star=[asked.star[j] for j in order])
