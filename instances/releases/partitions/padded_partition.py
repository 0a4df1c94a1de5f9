"""Groups that publish less of some columns than their rows ask for."""

from dataclasses import dataclass, field, replace

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.releases.partitions.partition import Levels, Partition
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class PaddedPartition(Partition):
    """A partition, some of whose groups hide a column in which their rows agree.

    Examples
    --------
    >>> rows = [["f", "1"], ["m", "1"], ["f", "2"]]
    >>> table = Table.from_rows(["sex", "age"], rows, ["sex", "age"])
    >>> groups = Partition(np.array([0, 0, 1], np.int32))
    >>> padded = PaddedPartition.of(groups, [(0, 1, 0, 1)])
    >>> padded.starred(table).tolist(), padded.value(table)
    ([[True, True], [False, False]], 4)
    """

    # the partition without what is hidden in addition; its groups are the same
    within: Partition = field(kw_only=True)
    # padded, columns: groups, and for each the place of a QI column of which it
    # publishes less
    padded: Ints = field(kw_only=True)
    columns: Ints = field(kw_only=True)
    # low, high: what it publishes there: the least and the greatest position
    low: Ints = field(kw_only=True)
    high: Ints = field(kw_only=True)

    @classmethod
    def of(
        cls, partition: Partition, further: list[tuple[int, int, int, int]]
    ) -> "PaddedPartition":
        """Hide more: of a group a column, from a least to a greatest position.

        ``further`` has groups, places of columns, least and greatest positions; some
        groups of the partition may be padded already.
        """
        within = partition
        if isinstance(partition, PaddedPartition):
            within = partition.within
            before = partition.padded, partition.columns, partition.low, partition.high
            further = [*zip(*(each.tolist() for each in before), strict=True), *further]
        padded, columns, low, high = np.array(further, np.int64).reshape(-1, 4).T
        return cls(
            *(within.groups, within.rows, within.copies),
            within=within,
            padded=padded,
            columns=columns,
            low=low,
            high=high,
        )

    @property
    def levels(self) -> Levels:
        return self.within.levels

    def by_first_rows(self) -> Partition:
        within = self.within.by_first_rows()
        number = np.empty(self.size, np.int64)
        number[self.groups] = within.groups
        padded = number[self.padded]
        return replace(self, groups=within.groups, within=within, padded=padded)

    def starred(self, table: Table) -> Bools:
        starred = self.within.starred(table)
        starred[self.padded, self.columns] = True
        return starred

    def ranges(self, table: Table, scales: Scales) -> tuple[Int32s, Int32s]:
        low, high = self.within.ranges(table, scales)
        at = self.padded, self.columns
        np.minimum.at(low, at, self.low.astype(low.dtype))
        np.maximum.at(high, at, self.high.astype(high.dtype))
        return low, high
