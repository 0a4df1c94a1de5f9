"""A table published with stars of its own in each row."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from starmin.instances.releases.by_row.mask import Mask
from starmin.instances.releases.by_row.nonhomogeneous import NonHomogeneous
from starmin.instances.releases.release import ReleasedTable, check_star
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class NonHomogeneousRelease(ReleasedTable):
    """A table published with stars of its own in each row.

    Parameters
    ----------
    table
        The original.
    records
        Which cells are stars.
    star
        The symbol for a suppressed cell.

    Raises
    ------
    TableError
        A QI cell of the original is the star symbol already.
    ValueError
        The stars are not those of n rows and d QI columns.

    Examples
    --------
    >>> import numpy as np
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> records = NonHomogeneous(np.array([[True, False], [False, True]]))
    >>> NonHomogeneousRelease(table, records).published.rows()
    [('*', 'x'), ('1', '*')]
    """

    table: Table
    records: NonHomogeneous | Mask
    star: str = "*"
    groups: ClassVar[None] = None  # there are none

    def __post_init__(self) -> None:
        check_star(self.table, self.star)
        expected = (self._lines.codes.shape[1], self.table.d)
        if self.records.starred.shape != expected:
            raise ValueError(
                f"Expected stars {expected}, got {self.records.starred.shape}."
            )

    @property
    def _lines(self) -> Table:
        """What the lines of the records are of: rows, or copies of distinct ones."""
        records = self.records
        return records.lines(self.table) if isinstance(records, Mask) else self.table

    @property
    def stars(self) -> int:
        """Number of suppressed cells."""
        return self.records.stars

    @property
    def suppressed_tuples(self) -> int:
        """Number of rows with a suppressed cell."""
        return self.records.suppressed_tuples

    @property
    def gcp(self) -> float:
        """The share of QI cells that are suppressed."""
        return self.stars / (self.table.n * self.table.d)

    @cached_property
    def published(self) -> Table:
        """The released table: stars in QI cells, all other cells as they were."""
        lines = self._lines
        codes = lines.codes.copy()
        dictionaries = self.table.texts.copy()
        for a, at in enumerate(self.table.positions(self.table.qi)):
            codes[at, self.records.starred[:, a]] = len(dictionaries[at])
            dictionaries[at] = (*dictionaries[at], self.star)
        return replace(lines, codes=codes, dictionaries=dictionaries)
