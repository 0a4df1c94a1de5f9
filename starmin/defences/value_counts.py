"""Whether classes hold, known by how often they have each combination of values."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.instances import Requirement, Table, group_by
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.requirements.group_stats import GroupStats


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """The combinations of values that a requirement asks about.

    Examples
    --------
    >>> from starmin.instances import LDiversity
    >>> rows = [["1", "flu"], ["1", "flu"], ["2", "cold"]]
    >>> table = Table.from_rows(["age", "s"], rows, ["age"], ["s"])
    >>> values = ValueCounts.of(table, LDiversity(2))
    >>> two = values.count(np.array([0, 2]))
    >>> values.hold(two), values.hold_with(two, values.of_row, 1).tolist()
    (True, [False, False, False])
    """

    table: Table
    requirement: Requirement
    of_row: Int32s  # by row: its combination
    example: Ints  # by combination: a row that has it

    @classmethod
    def of(cls, table: Table, requirement: Requirement) -> "ValueCounts":
        """Take the combinations of a table of classes; rows count."""
        columns = dict.fromkeys(requirement.columns + table.sensitive)
        widths = [len(table.dictionary(column)) for column in columns]
        groups = group_by([table.column(column) for column in columns], widths)
        return cls(table, requirement, groups.inverse, groups.first)

    def count(self, rows: Ints) -> Ints:
        """Return how often some rows have each combination."""
        counts = np.bincount(self.of_row[rows], minlength=len(self.example))
        return counts.astype(np.int64)

    def hold(self, counts: Ints) -> bool:
        """Check whether rows with these combinations may be a class."""
        return bool(self._hold(counts[None])[0])

    def hold_with(self, counts: Ints, which: Ints | Int32s, more: int) -> Bools:
        """Check whether a class holds with one row more, or less, of some combinations.

        ``counts`` is by combination; ``more`` is 1 or -1, for one of ``which`` at a
        time. A class of which no row is left at last holds.
        """
        every = np.repeat(counts[None], len(which), axis=0)
        every[np.arange(len(which)), which] += more
        return self._hold(every)

    def hold_since(
        self, before: Ints, after: Ints, which: Ints | Int32s, more: int
    ) -> Bools:
        """Check likewise whether a class holds after decoys, and did not before."""
        holds = self.hold_with(after, which, more)
        return holds & ~self.hold_with(before, which, more)

    def _hold(self, every: Ints) -> Bools:
        holds = every.sum(axis=1) == 0
        labels, which = np.nonzero(every[~holds])
        if len(labels):
            copies = every[~holds][labels, which]
            rows = self.example[which]
            stats = GroupStats.of(self.table, labels, rows, copies)
            holds[~holds] = self.requirement.holds(stats)
        return np.asarray(holds)


class FormerClasses(NamedTuple):
    """The classes before there were decoys."""

    values: ValueCounts  # combinations of values that count
    groups: Ints  # by row: its group
    positions: Ints | Int32s  # by row: its place in each column
    # low, high, costs: by group: its least and greatest places, and what a row of it
    # costs
    low: Int32s
    high: Int32s
    costs: Floats
