"""A non-homogeneous release by generalization: each row with ranges of its own."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from starmin.instances.arrays import Bools
from starmin.instances.releases.by_row.nonhomogeneous import NonHomogeneous
from starmin.instances.releases.generalization import check_symbols
from starmin.instances.releases.objective import Objective
from starmin.instances.releases.range_texts import RangeTexts
from starmin.instances.releases.release import ReleasedTable
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class NonHomogeneousRanges(ReleasedTable):
    """A table in which each row stands for the originals that are matched to it.

    Where they agree their value is published; else the range ``[least-greatest]`` in a
    column of numbers, the lowest common ancestor in one with a taxonomy, and a star in
    any other (Murakami and Uno 2018, section 3.2.4). Raises TableError where a
    published cell could not be told from another one, and ValueError where the
    matchings are not known.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["7"]], qi=["a"])
    >>> records = NonHomogeneous.from_matchings(
    ...     table, np.array([[0, 1, 2], [1, 2, 0]], np.int32))
    >>> release = NonHomogeneousRanges(table, records, Scales.of(table, ["a"]))
    >>> release.published.rows(), release.stars
    ([('[1-7]',), ('[1-2]',), ('[2-7]',)], 0)
    """

    table: Table  # the original
    records: NonHomogeneous  # with its matchings
    scales: Scales  # what is known of the columns
    star: str = "*"  # the symbol for a suppressed cell
    groups: ClassVar[None] = None  # there are none

    def __post_init__(self) -> None:
        self.scales.check(self.table)
        check_symbols(self.table, self.scales, self.star)
        _ = self._texts

    @property
    def gcp(self) -> float:
        """The mean loss of a QI cell."""
        objective = Objective("gcp", scales=self.scales)
        value = self.records.value(self.table, objective)
        return value / objective.whole(self.table)

    @cached_property
    def starred(self) -> Bools:
        """n x d: which QI cells are stars."""
        return self._texts.starred(self.star)

    @property
    def stars(self) -> int:
        """Number of suppressed cells."""
        return int(np.count_nonzero(self.starred))

    @property
    def suppressed_tuples(self) -> int:
        """Number of rows with a suppressed cell."""
        return int(np.count_nonzero(self.starred.any(axis=1)))

    @cached_property
    def published(self) -> Table:
        """The released table; all cells but those of QI columns as they were."""
        return self._texts.published(self.table, np.arange(self.table.n))

    @cached_property
    def _texts(self) -> RangeTexts:
        """What the rows publish."""
        low, high = self.records.ranges(self.table, self.scales)
        return RangeTexts.of(self.table, self.scales, low, high, self.star)
