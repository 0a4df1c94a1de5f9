"""Groups in blocks of groups: some columns are published by block."""

from dataclasses import dataclass, field, replace

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.releases.partition import Levels, Partition
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import Requirement, part_of
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.table import Table

# Groups that publish less of some columns than their rows ask for.


@dataclass(frozen=True, eq=False)
class PaddedPartition(Partition):
    """A partition, some of whose groups hide a column in which their rows agree.

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


@dataclass(frozen=True, eq=False)
class NestedPartition(Partition):
    """A group and a block for each row; a block has whole groups.

    In the shared columns the groups of a block are published alike, as what all of its
    rows have in common. So households of a block can be shown with their region, and
    their members with ages by group. Raises ValueError where a group is in two blocks,
    or the table is counted.

    >>> rows = [["n", "1"], ["n", "1"], ["s", "2"], ["s", "2"]]
    >>> table = Table.from_rows(["region", "age"], rows, ["region", "age"])
    >>> groups, blocks = np.array([0, 0, 1, 1]), np.zeros(4, np.int32)
    >>> nested = NestedPartition(groups, blocks=blocks, shared=("region",))
    >>> nested.starred(table).tolist(), nested.value(table)
    ([[True, False], [True, False]], 4)
    """

    # the block of each row, 0, 1, .. without gaps
    blocks: Int32s = None  # type: ignore[assignment]
    shared: tuple[str, ...] = ()  # the QI columns that are published by block

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rows is not None or self.blocks is None:
            raise ValueError("Expected a block for each row.")
        if (self.blocks != self.block_of[self.groups]).any():
            raise ValueError("Expected blocks of whole groups.")

    @property
    def block_of(self) -> Int32s:
        """The block of each group."""
        found = np.empty(self.size, np.int32)
        found[self.groups] = self.blocks
        return found

    @property
    def levels(self) -> Levels:
        return ((self.groups, None), (self.blocks, self.shared))

    def by_first_rows(self) -> Partition:
        groups = super().by_first_rows().groups
        return replace(self, groups=groups)

    def starred(self, table: Table) -> Bools:
        starred = super().starred(table)
        shared = self._places(table)
        of_blocks = Partition(self.blocks).starred(table)
        starred[:, shared] = of_blocks[self.block_of][:, shared]
        return starred

    def ranges(self, table: Table, scales: Scales) -> tuple[Int32s, Int32s]:
        ends, shared = super().ranges(table, scales), self._places(table)
        of_blocks = Partition(self.blocks).ranges(table, scales)
        for end, of_block in zip(ends, of_blocks, strict=True):
            end[:, shared] = of_block[self.block_of][:, shared]
        return ends

    def _places(self, table: Table) -> Ints:
        return np.array([table.qi.index(column) for column in self.shared], np.int64)


def coarsest_blocks(
    table: Table, requirement: Requirement, objective: Objective = STARS
) -> Partition:
    """Make the coarsest groups of all, households that share columns in whole blocks.

    Rows may have to be apart, by columns to be kept or highest nodes; of a household
    they may in its own columns alone, and what they share is published by block.

    >>> from starmin.instances.requirements.k_anonymity import KAnonymity
    >>> rows = [["n", "M", "1"], ["n", "F", "1"], ["s", "M", "2"], ["n", "F", "3"]]
    >>> table = Table.from_rows(["region", "sex", "home"], rows, ["region", "sex"])
    >>> asked = Persons.of(table, KAnonymity(2), "home", "household")
    >>> coarsest_blocks(table, asked, Objective(keep=["sex"])).starred(table).tolist()
    [[True, False], [True, False]]
    """
    groups = Partition.coarsest(table, objective)
    asked = part_of(requirement, Persons)
    if asked is None or asked.whole or not asked.alike or groups.size == 1:
        return groups
    blocks = Partition.coarsest(table, objective, asked.alike).groups
    return NestedPartition(groups.groups, blocks=blocks, shared=asked.alike)
