"""Merge groups that fail a requirement with others, until none is left."""

import numpy as np

from starmin.instances import GroupStats, Objective, Partition, Requirement, Run, Table
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.scales.scales import Scales


def merged_until_valid(
    partition: Partition,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    run: Run | None = None,
) -> Partition | None:
    """Merge each group that fails with the one where that costs least.

    Where rows of a person may be parted, a union of groups that satisfy a requirement
    by frequency may fail; it is merged further. At worst all rows that may be together
    end in one group; so they do, where they fail, once ``run`` has no time left. No
    groups are merged whose rows may not share one; None is returned where a group fails
    that can be merged with no other.

    Notes
    -----
    O(g d) for each merge of g groups; a recount of all groups for each round, in which
    every group has a part in one merge at most.

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
    scales, hurried = objective.scales_of(table), False
    while True:
        partition = united(partition, table, scales)
        stats = GroupStats.of(table, partition.groups, partition.rows, partition.copies)
        failing = np.flatnonzero(~requirement.holds(stats))
        if len(failing) == 0:
            return partition
        of_group = np.empty(partition.size, np.int64)
        of_group[partition.groups] = partition.of_rows(classes)
        if (np.bincount(of_group)[of_group[failing]] == 1).any():
            return None
        if run is not None and run.remaining == 0:
            # those that fail in one group, then all that may be together
            some = np.isin(of_group, of_group[failing])
            if not hurried:
                some = np.isin(np.arange(partition.size), failing)
            hurried = True
            into = np.where(some, partition.size + of_group, np.arange(partition.size))
        else:
            into = _merged_once(partition, table, objective, of_group, failing, run)
        partition = partition.merged(into)


def _merged_once(
    partition: Partition,
    table: Table,
    objective: Objective,
    of_group: Ints,
    failing: Ints,
    run: Run | None,
) -> Ints:
    """Return into which group each goes, of groups that fail with others of a class."""
    scales, sizes = objective.scales_of(table), partition.sizes
    low, high = partition.ranges(table, scales)
    paid = sizes * _row_costs(table, objective, low, high)
    into, merged = np.arange(partition.size), np.zeros(partition.size, bool)
    for one in failing:
        if merged[one]:
            continue
        others = np.flatnonzero(of_group == of_group[one])
        others = others[others != one]
        both = np.minimum(low[others], low[one]), np.maximum(high[others], high[one])
        after = (sizes[others] + sizes[one]) * _row_costs(table, objective, *both)
        best = others[(after - paid[others]).argmin()]
        if not merged[best]:
            into[one], merged[[one, best]] = best, True
        if run is not None and run.remaining == 0:
            break
    return into


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
    return partition.merged(label.reshape(-1))


def _row_costs(table: Table, objective: Objective, low: Int32s, high: Int32s) -> Floats:
    """Return what a row of each group pays, nearly where it is a large number."""
    if objective.once:
        return np.asarray((low != high).any(axis=1), np.float64)
    extents = objective.scales_of(table).extents(low, high)
    return np.asarray(extents @ np.array(objective.units(table), np.float64))
