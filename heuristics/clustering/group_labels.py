"""A group for each row, while changes that the requirement allows are made."""

import numpy as np

from starmin.heuristics.clustering.cluster_groups import Groups, deal, losses_of_groups
from starmin.heuristics.ruin_and_recreate.row_losses import losses_of
from starmin.instances import (
    GroupStats,
    KAnonymity,
    Partition,
    Requirement,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Ints


class GroupLabels:
    """The groups of a release, as labels of the rows.

    Changes are found by loops on the groups as they are, no two of which share a group;
    then all groups that change are shown to the requirement at once. The groups of
    ``start`` satisfy the requirement, and no group has fewer rows than ``least``.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["0"], ["1"]], qi=["a"])
    >>> labels = GroupLabels(Run(table, KAnonymity(2)), Partition.single(table))
    >>> labels.allow(np.array([[1, 3], [1, 1], [0, 0]]), 1)
    1
    >>> labels.allow(np.array([[2], [2], [0]]), 1)
    0
    >>> labels.partition().groups.tolist()
    [0, 1, 0, 1]
    """

    def __init__(self, run: Run, start: Partition) -> None:
        self.run, table = run, run.table
        self.groups = start.groups.astype(np.int64)
        self.scales = run.objective.scales_of(table)
        self.positions = self.scales.row_positions(table)
        self.losses = losses_of(table, run.objective)
        self.most = 1.0 if run.objective.once else np.inf
        self.twin = _twins(table, run.requirement)
        self.least = max(run.requirement.core.size, run.requirement.core.diversity)

    def partition(self) -> Partition:
        """Return the groups."""
        return Partition.from_labels(self.groups)

    def state(self) -> Groups:
        """Return the groups as they are now, for loops; labels become their numbers."""
        used = np.bincount(self.groups) > 0
        self.groups = (np.cumsum(used) - 1)[self.groups]
        count, (n, d) = int(used.sum()), self.positions.shape
        starts, members = np.empty(count + 1, np.int64), np.empty(n, np.int64)
        low, high = np.empty((2, count, d), np.int32)
        deal(self.groups, self.positions, starts, members, low, high)
        low, high = self.scales.spans(self.scales.nodes(low, high))
        lost = losses_of_groups(self.losses, low, high)
        row_cost = np.minimum(lost.sum(axis=1), self.most)
        return Groups(
            positions=self.positions,
            losses=self.losses,
            most=self.most,
            twin=self.twin,
            group=self.groups,
            starts=starts,
            members=members,
            low=low,
            high=high,
            lost=lost,
            row_cost=row_cost,
            by_cost=np.argsort(row_cost, kind="stable"),
        )

    def allow(self, found: Ints, changes: int) -> int:
        """Give rows new labels, but for changes that the requirement forbids.

        ``found`` has three lines: rows, their new labels, and the number of the change
        of each. Returns how many of the ``changes`` were allowed.
        """
        if changes == 0:
            return 0
        rows, labels, of = found
        after = self.groups.copy()
        after[rows] = labels
        change = np.full(max(int(after.max()), int(self.groups.max())) + 1, -1)
        change[self.groups[rows]] = change[labels] = of
        touched = np.flatnonzero(change[after] >= 0)
        present, compact = np.unique(after[touched], return_inverse=True)
        stats = GroupStats.of(self.run.table, compact, touched)
        holds = self.run.requirement.holds(stats)
        allowed = np.ones(changes, bool)
        allowed[change[present[~holds]]] = False
        good = allowed[of]
        self.groups[rows[good]] = labels[good]
        return int(allowed.sum())


def _twins(table: Table, requirement: Requirement) -> Ints:
    """Return numbers that rows share which the requirement cannot tell apart."""
    plain = all(isinstance(part, KAnonymity) for part in requirement.parts)
    columns = [] if plain else [c for c in table.names if c not in table.qi]
    if not columns:
        return np.zeros(table.n, np.int64)
    sizes = [len(table.dictionary(c)) for c in columns]
    grouping = group_by([table.column(c) for c in columns], sizes)
    return grouping.inverse.astype(np.int64)
