"""Merge groups in which too few persons count, until none is left."""

import numpy as np

from starmin.instances import GroupStats, Objective, Partition, Requirement, Table
from starmin.instances.arrays import Floats, Int32s
from starmin.instances.scales.scales import Scales


def merged_until_valid(
    partition: Partition, table: Table, requirement: Requirement, objective: Objective
) -> Partition | None:
    """Merge each group that fails with the one where that costs least.

    Where rows of a person may be parted, a union of groups that satisfy a requirement
    by frequency may fail; it is merged further. At worst all rows that may be together
    end in one group. No groups are merged whose rows may not share one; None is
    returned where a group fails that can be merged with no other.

    Notes
    -----
    O(g d) for each merge of g groups, and a recount of all groups.

    Examples
    --------
    >>> from starmin.instances import STARS, KAnonymity
    >>> table = Table.from_rows(["a"], [["0"], ["0"], ["1"]], qi=["a"])
    >>> groups = Partition(np.array([0, 0, 1]))
    >>> found = merged_until_valid(groups, table, KAnonymity(2), STARS)
    >>> found.groups.tolist()
    [0, 0, 0]
    """
    classes = Partition.coarsest(table, objective).groups
    scales = objective.scales_of(table)
    while True:
        partition = united(partition, table, scales)
        stats = GroupStats.of(table, partition.groups)
        failing = np.flatnonzero(~requirement.holds(stats))
        if len(failing) == 0:
            return partition
        one = int(failing[0])
        of_group = np.empty(partition.size, np.int64)
        of_group[partition.groups] = classes
        low, high = partition.ranges(table, scales)
        both = np.minimum(low, low[one]), np.maximum(high, high[one])
        sizes = partition.sizes
        after = _row_costs(table, objective, *both)
        extra = (sizes + sizes[one]) * after
        extra = extra - sizes * _row_costs(table, objective, low, high)
        others = np.flatnonzero(of_group == of_group[one])
        others = others[others != one]
        if len(others) == 0:
            return None
        groups = partition.groups.copy()
        groups[groups == one] = others[extra[others].argmin()]
        partition = Partition.from_labels(groups)


def united(partition: Partition, table: Table, scales: Scales) -> Partition:
    """Make one group of those that are published alike: nobody can tell them apart.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["0"], ["1"]], qi=["a"])
    >>> groups = Partition(np.array([0, 0, 1, 1]))
    >>> united(groups, table, Scales.of(table)).groups.tolist()
    [0, 0, 0, 0]
    """
    nodes = scales.nodes(*partition.ranges(table, scales))
    same, label = np.unique(nodes, axis=0, return_inverse=True)
    if len(same) == partition.size:
        return partition
    return Partition.from_labels(label.reshape(-1)[partition.groups])


def _row_costs(table: Table, objective: Objective, low: Int32s, high: Int32s) -> Floats:
    """Return what a row of each group pays, nearly where it is a large number."""
    if objective.once:
        return np.asarray((low != high).any(axis=1), np.float64)
    extents = objective.scales_of(table).extents(low, high)
    return np.asarray(extents @ np.array(objective.units(table), np.float64))
