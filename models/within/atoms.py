"""What is dealt where releases are nested: the classes of the earlier one, whole."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import Objective, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.requirements.within import CLASS


@dataclass(frozen=True, eq=False)
class Atoms:
    """Classes that are published whole, by their number.

    Examples
    --------
    >>> from starmin.instances import STARS, KAnonymity
    >>> from starmin.instances.requirements.within import nested_within
    >>> table = Table.from_rows(["a"], [["x"], ["y"], ["y"]], qi=["a"])
    >>> table, _ = nested_within(table, KAnonymity(2), np.array([5, 5, 3]))
    >>> atoms = Atoms.of(table, STARS)
    >>> atoms.low.tolist(), atoms.high.tolist(), atoms.size.tolist()
    ([[0], [1]], [[1], [1]], [2, 1])
    """

    # low, high: A x d: the least and the greatest position of their rows by column. An
    # atom fits a node that covers both.
    low: Ints
    high: Ints
    size: Ints  # how many rows each has
    of_row: Int32s  # the atom of each row

    def __len__(self) -> int:
        return len(self.size)

    @classmethod
    def of(cls, table: Table, objective: Objective) -> "Atoms":
        """Return the atoms of a table that has the column of classes."""
        places = objective.scales_of(table).row_positions(table).astype(np.int64)
        of_row = table.column(CLASS)
        size = np.bincount(of_row).astype(np.int64)
        low = np.full((len(size), table.d), np.iinfo(np.int64).max)
        high = np.full((len(size), table.d), -1)
        np.minimum.at(low, of_row, places)
        np.maximum.at(high, of_row, places)
        return cls(low, high, size, of_row)
