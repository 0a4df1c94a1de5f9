"""Repair step: merge groups that violate the requirement until none does."""

import numpy as np

from starmin.instances import GroupStats, Objective, Partition, Requirement, Table


def repair_by_merging(
    partition: Partition, table: Table, requirement: Requirement, objective: Objective
) -> Partition:
    """Merge each group that violates the requirement with one where that costs least.

    For requirements that a union satisfies if one of its groups does, or all do. At
    worst all rows that may be together end in one group.

    Parameters
    ----------
    partition
        Groups; few of them violate the requirement.
    table, requirement, objective
        The problem; no two groups are merged that differ in columns to be kept.

    Returns
    -------
    A partition that satisfies the requirement.

    Raises
    ------
    ValueError
        A group that fails can be merged with no other.

    Notes
    -----
    O(g d) for each merge of g groups, and a recount of all groups.
    """
    kept = objective.kept(table)
    while True:
        stats = GroupStats.of(table, partition.groups)
        failing = np.flatnonzero(~requirement.holds(stats))
        if len(failing) == 0:
            return partition
        one = failing[0]
        starred, sizes = partition.starred(table), partition.sizes
        first = np.unique(partition.groups, return_index=True)[1]
        codes = table.codes[table.positions(table.qi)][:, first].T
        union = starred | starred[one] | (codes != codes[one])
        before = objective.row_costs(table, starred)
        after = objective.row_costs(table, union)
        extra = (sizes + sizes[one]) * after - sizes * before
        allowed = ~(union & kept).any(axis=1)
        allowed[one] = False
        if not allowed.any():
            raise ValueError("Expected another group to merge with, got none.")
        other = np.flatnonzero(allowed)[extra[allowed].argmin()]
        groups = partition.groups.copy()
        groups[groups == one] = other
        partition = Partition.from_labels(groups)
