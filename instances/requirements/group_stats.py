"""What requirements may ask of the groups of a partition."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.instances.requirements.sensitive import SensitiveCounts
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class GroupStats:
    """Sizes of groups and, counted when first asked for, their values by column.

    Attributes
    ----------
    sizes
        Rows of each group; no group is empty.
    sensitive
        The sensitive columns.
    tally
        Counts the values of the named column by group.

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

    @classmethod
    def of(
        cls,
        table: Table,
        groups: npt.NDArray[np.integer],
        rows: npt.NDArray[np.integer] | None = None,
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

        sizes = np.bincount(groups, copies).astype(np.int64)
        return cls(sizes, table.sensitive, tally)

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

    @cached_property
    def counts(self) -> tuple[SensitiveCounts, ...]:
        """The values of each sensitive column by group."""
        return tuple(self.tally(column) for column in self.sensitive)
