"""Groups of the rows that are kept; the others are deleted, each at a price."""

from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.errors import TableError
from starmin.instances.releases.coding import SUPPRESSION, Coding
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.releases.partition import Partition
from starmin.instances.requirements.deleted_rows import ROW, DeletedRows, number
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.requirement import Requirement, of_kind
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class PartialPartition(Partition):
    """A group for each row that is kept; the rows of the last group are deleted.

    Raises ValueError where the table is counted.

    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["0"]], qi=["a"])
    >>> partial = PartialPartition(np.array([0, 1, 0]), price=3)
    >>> partial.deleted, partial.value(table), partial.kept.tolist()
    (1, 3, [0, 2])
    """

    price: int = 0  # what a deleted row costs, in the unit of the objective

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rows is not None:
            raise ValueError("Expected a group for each row.")

    @classmethod
    def keeping(cls, partition: Partition, kept: Bools, price: int) -> Partition:
        """Return the groups of a partition without the rows that are not kept."""
        if kept.all():
            return partition
        labels = np.where(kept, partition.groups, partition.size)
        return cls(Partition.from_labels(labels).groups, price=price)

    @property
    def kept(self) -> Ints:
        """The rows that are not."""
        return np.flatnonzero(self.groups < self.size - 1)

    @property
    def deleted(self) -> int:
        """How many rows are deleted."""
        return int(self.sizes[-1])

    @property
    def paying(self) -> Ints:
        """How many rows of each group pay for what it publishes: none of the last."""
        return np.append(self.sizes[:-1], 0)

    @property
    def of_kept(self) -> Partition:
        """The groups of the kept rows, among themselves."""
        return Partition(self.groups[self.kept])

    def by_first_rows(self) -> Partition:
        groups = self.of_kept.by_first_rows().groups
        labels = np.full(len(self.groups), self.size - 1, np.int32)
        labels[self.kept] = groups
        return PartialPartition(labels, price=self.price)

    def starred(self, table: Table) -> Bools:
        starred = super().starred(table)
        starred[-1] = True
        return starred

    def value(self, table: Table, objective: Objective = STARS) -> int:
        return super().value(table, objective) + self.price * self.deleted

    def violation(
        self, table: Table, requirement: Requirement, objective: Objective = STARS
    ) -> str | None:
        if len(self.groups) != table.n or table.counts is not None:
            return f"it has {len(self.groups)} rows, the table {table.n}"
        asked = of_kind(requirement, DeletedRows)
        if asked is None:
            return "it deletes rows, and all of them are to be kept"
        if self.price != price_of(asked, table, objective):
            return f"it deletes rows at a price of {self.price}, which is another one"
        stats = GroupStats.of(table, self.groups)
        failing = ~asked.inner.holds(stats)
        failing[-1] = False
        if failing.any():
            group = int(np.flatnonzero(failing)[0])
            return f"group {group}: {asked.inner.why_not(group, stats)}"
        return None


def price_of(asked: DeletedRows, table: Table, objective: Objective) -> int:
    """Return what a deleted row costs, in the unit of the objective.

    Raises TableError where it is no whole number of stars, or of units of loss.

    >>> from starmin.instances import KAnonymity
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> heavy = Objective(weights={"a": 4})
    >>> [price_of(DeletedRows(KAnonymity(2), told), table, heavy)
    ...  for told in ("row", "3")]
    [5, 3]
    """
    row = objective.whole(table) // max(1, table.n)
    if asked.price == ROW:
        return row
    told = number(asked.price)
    if not objective.by_node and told.denominator != 1:
        raise TableError(
            f"--delete-rows: expected a whole number of stars, got {asked.price!r}"
        )
    cost = told * (row if objective.by_node else 1)
    if cost.denominator != 1:
        raise TableError(
            f"--delete-rows: expected a multiple of 1/{row}, as a row has so many "
            f"units of loss, got {asked.price!r}"
        )
    return int(cost)


def expect_stars(coding: Coding) -> None:
    """Raise TableError where cells may be something else than values and stars."""
    if coding.recoding not in (None, SUPPRESSION) or coding.told:
        raise TableError(
            "--delete-rows: is for --recoding suppression without ranges, hierarchies "
            "and floors"
        )


def expect_deletable(table: Table, asked: Requirement, objective: Objective) -> None:
    """Raise TableError where rows of this problem cannot be deleted."""
    deletable = of_kind(asked, DeletedRows)
    if deletable is None:
        return
    several = deletable.inner.core.diversity > 1 and len(table.sensitive) > 1
    for unfit, why in (
        (table.counts is not None, "for tables that are read as a whole"),
        (objective.once, "for the objectives stars and gcp"),
        (objective.keep, "not for columns that are kept (--keep)"),
        (table.floors, "not for floors (--min-level, --top, --bottom)"),
        (objective.roofs, "not for highest levels (--max-level)"),
        (several, "for one sensitive column"),
    ):
        if unfit:
            raise TableError(f"--delete-rows: is {why}")
    price_of(deletable, table, objective)
