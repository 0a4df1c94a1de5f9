"""Groups in blocks of groups: some columns are published by block."""

from dataclasses import dataclass, replace

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.releases.partitions.partition import Levels, Partition
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import Requirement, part_of
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class NestedPartition(Partition):
    """A group and a block for each row; a block has whole groups.

    In the shared columns the groups of a block are published alike, as what all of its
    rows have in common. So households of a block can be shown with their region, and
    their members with ages by group. Raises ValueError where a group is in two blocks,
    or the table is counted.

    Examples
    --------
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

    Examples
    --------
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
