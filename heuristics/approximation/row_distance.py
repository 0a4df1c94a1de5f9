"""The distance of two rows: what a row pays that is published with the other."""

import numpy as np

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled

# The distance of rows that must not meet; sums of a few of them do not overflow.
FAR = np.iinfo(np.int64).max // 4


def column_costs(table: Table, objective: Objective) -> tuple[Ints, bool]:
    """Return what a star costs in each column, and whether a row pays but once.

    The cost is -1 where there must be no star. Where a row pays once, for tuples, it
    pays the largest cost of its stars instead of their sum.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "0"]], qi=["a", "b"])
    >>> costs, once = column_costs(table, Objective(weights={"b": 3}, keep=("a",)))
    >>> costs.tolist(), once
    ([-1, 3], False)
    """
    costs = objective.column_weights(table)
    costs[objective.kept(table)] = -1
    return costs, objective.once


@compiled
def row_distance(a: Int32s, b: Int32s, costs: Ints, once: bool) -> int:
    """Compute the weighted Hamming distance; with ``once`` the discrete one.

    A metric in either case. It is ``FAR`` where the rows differ in a column to be kept.

    Parameters
    ----------
    a, b
        Two rows.
    costs, once
        Those of ``column_costs``.

    Examples
    --------
    >>> a, b = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    >>> row_distance(a, b, np.array([1, 1, 1]), False)
    2
    """
    total = 0
    for j in range(len(costs)):
        if a[j] != b[j]:
            if costs[j] < 0:
                return FAR
            total = max(total, costs[j]) if once else total + costs[j]
    return total


@compiled
def row_distances(codes: Int32s, costs: Ints, once: bool) -> Ints:
    """Compute the distance of any two rows.

    Examples
    --------
    >>> rows = np.array([[0, 1], [0, 2], [1, 2]], np.int32)
    >>> row_distances(rows, np.array([1, 1]), False).tolist()
    [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    """
    m = len(codes)
    distances = np.zeros((m, m), np.int64)
    for a in range(m):
        for b in range(a):
            far = row_distance(codes[a], codes[b], costs, once)
            distances[a, b] = distances[b, a] = far
    return distances


def distances_to_others(types: RowTypes, costs: Ints, once: bool, apart: int) -> Ints:
    """Compute the distance of any two rows, ``apart`` on the diagonal and at most.

    ``apart`` stands for rows that must not meet; ``costs`` and ``once`` are those of
    ``column_costs``. Returns n x n distances.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["0"], ["1"]], qi=["a"])
    >>> distances_to_others(table.row_types, np.array([1]), False, 9).tolist()
    [[9, 0, 1], [0, 9, 1], [1, 1, 9]]
    """
    between = np.minimum(row_distances(types.codes, costs, once), apart)
    distance: Ints = between[np.ix_(types.inverse, types.inverse)]
    np.fill_diagonal(distance, apart)
    return distance
