"""Ranges of patterns: those that keep one column at some of its values."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Bools


class SetOfColumns(NamedTuple):
    """Patterns that star the same columns, and which of their pairs are listed."""

    starred: Bools  # by column
    cost: int  # what a row pays
    slack: int  # row types are listed whose own cost is less by this much at most
    # what a row costs at least beyond its price whose type fits but is not listed, in
    # units of ``PriceUnit``
    outside: int


class PatternRange(NamedTuple):
    """Patterns that star some columns, and keep another one at some of its values."""

    starred: tuple[int, ...]  # the columns
    kept: int  # the other one; -1 where all are starred
    low: int  # low, high: its values, by their codes: from ``low`` on, below ``high``
    high: int

    def has(self, starred: Bools) -> bool:
        """Check whether patterns that star these columns are in it."""
        all_before = bool(starred[list(self.starred)].all())
        return all_before and (self.kept < 0 or not starred[self.kept])


def pattern_ranges(table: Table, most: int) -> Iterator[PatternRange]:
    """Yield ranges of patterns; each pattern is in one of them.

    It is that of the first column which it keeps, of those with the most values first,
    and of the value that it has there. All distinct rows that fit it have this value.

    Parameters
    ----------
    table
        The counted table of the distinct rows.
    most
        Distinct rows of a range, where a value has no more.

    Examples
    --------
    >>> table = Table(("a", "b"), np.array([[0, 1, 1], [0, 1, 2]], np.int32),
    ...               (("x", "y"), ("u", "v", "w")), ("a", "b"),
    ...               counts=np.array([3, 1, 1]))
    >>> for each in pattern_ranges(table, 2):
    ...     print(tuple(each))
    ((), 1, 0, 2)
    ((), 1, 2, 3)
    ((1,), 0, 0, 1)
    ((1,), 0, 1, 2)
    ((1, 0), -1, 0, 0)
    """
    sizes = table.qi_cardinalities
    order = sorted(range(table.d), key=lambda j: -sizes[j])
    for place, column in enumerate(order):
        ends = np.cumsum(np.bincount(table.codes[column], minlength=sizes[column]))
        low = 0
        while low < sizes[column]:
            before = ends[low - 1] if low else 0
            high = int(np.searchsorted(ends, before + most, side="right"))
            high = max(low + 1, high)
            if ends[high - 1] > before:
                yield PatternRange(tuple(order[:place]), column, low, high)
            low = high
    yield PatternRange(tuple(order), -1, 0, 0)
