"""Say what requirements may ask of groups: counts, ratios, rows kept together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Bools, Floats, IntArray, Ints
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table

# How often each sensitive value occurs in each group, sparsely.


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """Counts of one sensitive column's values by group, as triplets.

    >>> counts = SensitiveCounts.of([0, 0, 1], [1, 1, 0], ("flu", "gout"))
    >>> counts.largest().tolist(), counts.distinct().tolist()
    ([2, 1], [1, 1])
    """

    # group, value, count: one entry for each value that occurs in a group, sorted by
    # group then value
    group: Ints
    value: Ints
    count: Ints
    sizes: Ints  # rows of each group; no group is empty
    # the column's dictionary, to name a value in a message
    labels: tuple[str | None, ...]

    @classmethod
    def of(
        cls,
        groups: npt.ArrayLike,
        values: npt.ArrayLike,
        labels: Sequence[str | None],
        copies: Ints | None = None,
    ) -> "SensitiveCounts":
        """Count ``values`` (a code a row) by ``groups`` (0, 1, ..; none empty).

        ``copies`` says how often each row counts; default: once.
        """
        group, value = np.asarray(groups), np.asarray(values)
        sizes = np.bincount(group, copies).astype(np.int64)
        pairs = group_by([group, value])
        return cls(
            group[pairs.first].astype(np.int64),
            value[pairs.first].astype(np.int64),
            pairs.summed(copies),
            sizes,
            tuple(labels),
        )

    @property
    def starts(self) -> Ints:
        """Index of each group's first entry."""
        entries = np.bincount(self.group, minlength=len(self.sizes))
        return np.asarray(np.cumsum(entries) - entries, np.int64)

    def largest(self) -> Ints:
        """Count of the most frequent value of each group (its pillar height)."""
        return np.maximum.reduceat(self.count, self.starts)

    def distinct(self) -> Ints:
        """Count the different values in each group."""
        return np.bincount(self.group, minlength=len(self.sizes)).astype(np.int64)

    def only(self, entries: IntArray | Bools) -> "SensitiveCounts":
        """Return some of the entries, in this order."""
        group, value, count = (
            self.group[entries],
            self.value[entries],
            self.count[entries],
        )
        return replace(self, group=group, value=value, count=count)

    def entropy(self) -> Floats:
        """Compute the entropy of each group's distribution of values, in nats."""
        share = self.count / self.sizes[self.group]
        return np.bincount(
            self.group, -share * np.log(share), minlength=len(self.sizes)
        ).astype(np.float64)


@dataclass(frozen=True, eq=False)
class GroupStats:
    """Sizes of groups and, counted when first asked for, their values by column.

    Attributes
    ----------
    sizes
        Rows of each group; no group is empty.
    tally
        Counts the values of the named column by group.
    joint
        Counts by group, for each value of the second column, different values of the
        first one that it is beside; None where groups are known by counts alone.

    Examples
    --------
    >>> table = Table.from_rows(["a", "s"], [["0", "x"], ["0", "y"], ["1", "y"]],
    ...                         qi=["a"], sensitive=["s"])
    >>> stats = GroupStats.of(table, np.array([0, 0, 1]))
    >>> stats.sizes.tolist(), stats.counts[0].largest().tolist()
    ([2, 1], [1, 1])
    """

    sizes: Ints
    sensitive: tuple[str, ...]
    tally: Callable[[str], SensitiveCounts]
    joint: Callable[[str, str], SensitiveCounts] | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        groups: IntArray,
        rows: IntArray | None = None,
        copies: Ints | None = None,
    ) -> "GroupStats":
        """Count the rows and values of groups 0, 1, .. of some rows (default: all).

        ``copies`` says how often each of them is in its group; default: as often as it
        occurs in the table.
        """
        if copies is None and table.counts is not None:
            copies = table.counts if rows is None else table.counts[rows]

        def tally(column: str) -> SensitiveCounts:
            codes = table.column(column)
            return SensitiveCounts.of(
                groups,
                codes if rows is None else codes[rows],
                table.dictionary(column),
                copies,
            )

        def joint(unit: str, column: str) -> SensitiveCounts:
            names, values = table.column(unit), table.column(column)
            if rows is not None:
                names, values = names[rows], values[rows]
            first = group_by([groups, values, names]).first
            labels = table.dictionary(column)
            return SensitiveCounts.of(groups[first], values[first], labels)

        sizes = np.bincount(groups, copies).astype(np.int64)
        return cls(sizes, table.sensitive, tally, joint)

    @classmethod
    def given(
        cls,
        sizes: npt.ArrayLike,
        counts: Sequence[SensitiveCounts] = (),
        names: Sequence[str] = (),
    ) -> "GroupStats":
        """Take groups known by sizes and, in this order, counts of sensitive columns.

        ``names`` are those of the columns; default: their numbers.
        """
        labels = names or [str(j) for j in range(len(counts))]
        by_name = dict(zip(labels, counts, strict=True))
        return cls(np.asarray(sizes, np.int64), tuple(by_name), by_name.__getitem__)

    def of_units(self, column: str) -> "GroupStats":
        """Return the same groups where each value of a column counts once.

        So persons count, by the column of their ids, where they have several rows; for
        a sensitive value those persons count who have a row with it in the group.

        Examples
        --------
        >>> rows = [["0", "p", "x"], ["0", "p", "y"], ["0", "q", "y"]]
        >>> table = Table.from_rows(["a", "id", "s"], rows, ["a"], ["s"])
        >>> stats = GroupStats.of(table, np.zeros(3, np.int32)).of_units("id")
        >>> stats.sizes.tolist(), stats.counts[0].count.tolist()
        ([2], [1, 2])
        """
        if self.joint is None:
            raise ValueError(f"Expected rows with a column {column!r}, got counts.")
        joint, units = self.joint, self.tally(column).distinct()

        def tally(named: str) -> SensitiveCounts:
            return replace(joint(column, named), sizes=units)

        return GroupStats(units, self.sensitive, tally)

    @cached_property
    def counts(self) -> tuple[SensitiveCounts, ...]:
        """The values of each sensitive column by group."""
        return tuple(self.tally(column) for column in self.sensitive)


# What is measured of a release, whatever was asked of it.

Number: TypeAlias = int | float | None


@dataclass(frozen=True)
class Measure:
    """A number that tells how far a kind of requirement holds."""

    key: str  # in JSON
    title: str  # in reports
    meaning: str  # in reports, beside the title
    # what ``starmin verify`` calls it; measures of one line stand side by side
    line: str
    words: str  # its value on that line, as a format
    # whether a greater number asks for more; it is rounded down then
    more_is_better: bool = True


@dataclass(frozen=True)
class Measured:
    """What is counted in a release."""

    stats: GroupStats  # of its classes
    # counts of the sensitive columns, missing values read as they are to be; without
    # columns that have no known value
    known: tuple[SensitiveCounts, ...]


def least(columns: Sequence[npt.NDArray[Any]]) -> Number:
    """Return the least of some numbers by column and group, None without columns."""
    return min((column.min().item() for column in columns), default=None)


# Exact comparisons of counts with ratios that were given as decimals.

_MOST = 2**62


def exact(ratio: float) -> Fraction:
    """Return the decimal that ``ratio`` was written as.

    >>> exact(0.1)
    Fraction(1, 10)
    """
    return Fraction(str(ratio))


def floor_times(ratio: Fraction, counts: Ints) -> Ints:
    """Compute ``floor(ratio * count)`` for each count, without rounding errors.

    Beyond 2^62, more than any count, it is cut off.

    >>> floor_times(exact(0.3), np.array([10, 11, 13])).tolist()
    [3, 3, 3]
    """
    different, inverse = np.unique(counts, return_inverse=True)
    products = [
        max(-_MOST, min(ratio.numerator * int(count) // ratio.denominator, _MOST))
        for count in different
    ]
    return np.array(products, np.int64)[inverse]


def within(
    numerators: npt.NDArray[Any], ratio: Fraction, denominators: npt.NDArray[Any]
) -> Bools:
    """Check for each whether ``numerator <= ratio * denominator``, whatever the size.

    Arrays are of int64 or of Python's integers.

    >>> within(np.array([3, 4, 2**63 - 1]), exact(0.3), np.array([10, 10, 1])).tolist()
    [True, False, False]
    """
    different, inverse = np.unique(denominators, return_inverse=True)
    limits = np.empty(len(different), object)
    limits[:] = [ratio.numerator * int(each) // ratio.denominator for each in different]
    if numerators.dtype != object:
        # No numerator is beyond int64, so that a limit there is as good as any above.
        limits = np.minimum(limits, np.iinfo(np.int64).max).astype(np.int64)
    return np.asarray(numerators <= limits[inverse], bool)


# Rows that have to be published together: no value of a column is parted.


def parted(stats: GroupStats, column: str) -> Bools:
    """Find the groups with rows of some value that has rows in another one, too.

    ``column`` is the one whose values are to be together: ids, or classes.

    >>> from starmin.instances.tables.table import Table
    >>> rows = [["0", "p"], ["0", "p"], ["1", "q"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> parted(GroupStats.of(table, np.array([0, 1, 2])), "id").tolist()
    [True, True, False]
    """
    values = stats.tally(column)
    groups = np.bincount(values.value, minlength=len(values.labels))
    found = np.zeros(len(stats.sizes), bool)
    found[values.group[groups[values.value] > 1]] = True
    return found
