"""Groups that fail a requirement, merged with others until none does."""

import numpy as np

from instances import GroupStats, Objective, Partition, Requirement, Table


def repair_by_merging(
    partition: Partition, table: Table, requirement: Requirement, objective: Objective
) -> Partition:
    """The partition with each group that fails merged with one where that costs least.

    For requirements that a union satisfies if one of its parts does, or all do. It
    ends with one group of rows that may be together at worst.

    Parameters
    ----------
    partition
        Groups of which few fail.
    table, requirement, objective
        The problem; no two groups are merged that differ in columns to be kept.

    Raises
    ------
    ValueError
        Nothing can be merged with a group that fails.

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
        price = objective.row_costs(table, starred)
        after = objective.row_costs(table, union)
        extra = (sizes + sizes[one]) * after - sizes * price
        allowed = ~(union & kept).any(axis=1)
        allowed[one] = False
        if not allowed.any():
            raise ValueError("Expected another group to merge with, got none.")
        other = np.flatnonzero(allowed)[extra[allowed].argmin()]
        groups = partition.groups.copy()
        groups[groups == one] = other
        partition = Partition.from_labels(groups)
