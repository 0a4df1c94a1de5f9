"""What the groups of a partition are published as, and equal vectors of nodes."""

import numpy as np

from starmin.instances import Objective, Partition, Table, group_by
from starmin.instances.arrays import Int32s, Ints


def group_nodes(table: Table, objective: Objective, partition: Partition) -> Int32s:
    """Return the smallest nodes that cover each group, g x d: what it is published as.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> group_nodes(table, STARS, Partition.single(table)).tolist()
    [[-1, 0]]
    """
    scales = objective.scales_of(table)
    ranges = scales.ranges(table, partition.groups, partition.size, partition.rows)
    return scales.nodes(*ranges)


def numbers_of(nodes: Int32s) -> Ints:
    """Return for each row of nodes a number, equal for equal rows.

    Examples
    --------
    >>> numbers_of(np.array([[-1, 5], [0, 5], [-1, 5]], np.int32)).tolist()
    [0, 1, 0]
    """
    if len(nodes) == 0:
        return np.zeros(0, np.int64)
    shifted = nodes.astype(np.int64) - nodes.min(axis=0)
    sizes = (shifted.max(axis=0) + 1).tolist()
    return group_by(list(shifted.T), sizes).inverse.astype(np.int64)
