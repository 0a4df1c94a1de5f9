"""Ranges of patterns: those that keep one column at some of its values."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from starmin.instances import (
    KAnonymity,
    Objective,
    Requirement,
    RowTypes,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.patterns.closed_listing import star_sets
from starmin.models.patterns.patterns import MOST_COLUMNS, star_pairs
from starmin.models.price_unit import INFEASIBLE, PriceUnit

# Sets of starred columns, and the row types that agree outside of one.

UNKNOWN = np.iinfo(np.int32).max
"""Stands for an own cost that is not known yet; more than any set costs."""


def sets_by_cost(run: Run) -> tuple[Bools, Ints]:
    """Return the sets of starred columns and what a row pays for each, cheapest first.

    The last one stars all columns that may be starred. Raises NotSupportedError where
    these are more than 12.
    """
    sets = np.array(star_sets(run.table, run.objective, MOST_COLUMNS))
    costs = run.objective.row_costs(run.table, sets)
    order = np.argsort(costs, kind="stable")
    return sets[order], costs[order]


def agreeing(
    columns: Sequence[Int32s], sizes: Sequence[int], starred: Bools
) -> tuple[Int32s, int]:
    """Group row types that agree on all columns but those starred.

    Returns the group of each type, and how many groups there are. ``columns`` are the
    codes of the row types, ``sizes`` how many codes there are, and ``starred`` a mask,
    all by column.

    Examples
    --------
    >>> columns = [np.array([0, 1, 1], np.int32), np.array([1, 0, 1], np.int32)]
    >>> agreeing(columns, [2, 2], np.array([False, True]))
    (array([0, 1, 1], dtype=int32), 2)
    >>> agreeing(columns, [2, 2], np.array([True, True]))
    (array([0, 0, 0], dtype=int32), 1)
    """
    kept = np.flatnonzero(~starred).tolist()
    if not kept:
        return np.zeros(len(columns[0]), np.int32), 1
    groups = group_by([columns[j] for j in kept], [sizes[j] for j in kept])
    return groups.inverse, groups.size


# For which tables the patterns near the least cost are listed.

MOST_TYPES = 4_500_000  # whose near patterns are listed at once, at about 2 kB each
MOST_PAIRS = 2**26  # of a set of starred columns and a row type


def takes_near(
    table: Table, types: RowTypes, requirement: Requirement, objective: Objective
) -> bool:
    """Check whether all patterns are too many to list, but the near ones are not."""
    plain = all(isinstance(part, KAnonymity) for part in requirement.parts)
    if not plain or not objective.by_star:
        return False
    return MOST_PAIRS < star_pairs(table, types, objective) < math.inf


class SetOfColumns(NamedTuple):
    """Patterns that star the same columns, and which of their pairs are listed."""

    starred: Bools  # by column
    cost: int  # what a row pays
    slack: int  # row types are listed whose own cost is less by this much at most
    # what a row costs at least beyond its price whose type fits but is not listed, in
    # units of ``PriceUnit``
    outside: int


def least_outside(own: Int32s, cost: int, slack: int, unit: PriceUnit) -> int | None:
    """Return ``outside`` of the sets of a cost; None where none of their pairs is near.

    ``own`` is by type the own cost, which prices exceed by ``slack`` at most.
    """
    far = own < cost - slack
    if far.all():
        return None
    if not far.any():
        return INFEASIBLE
    return (cost - slack - int(own[far].max())) * unit.per_cost


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
    table, most
        The counted table of the distinct rows; how many of these a range has, where a
        value has no more.

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
