"""What a recoding is judged by: its loss, discernibility, or classification error."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from starmin.instances import Objective, Partition, Table
from starmin.instances.arrays import Int32s

Value: TypeAlias = Callable[[Int32s], int]


@dataclass(frozen=True)
class Metric:
    """A number that never grows where groups become finer."""

    value: Value  # of the groups of all rows
    # what no coarser groups, each with as many rows as are asked for, fall below
    bound: Value


def loss(table: Table, objective: Objective) -> Metric:
    """Charge groups for their own ranges, as releases are charged."""

    def value(groups: Int32s) -> int:
        return Partition(groups).value(table, objective)

    return Metric(value, value)


def discernibility(least: int) -> Metric:
    r"""Charge each row the size of its group: :math:`\sum_g |g|^2`.

    ``least`` is the fewest rows that any group may have: no row is charged less.

    Examples
    --------
    >>> metric = discernibility(least=3)
    >>> groups = np.array([0, 0, 1, 1, 1, 1], np.int32)
    >>> metric.value(groups), metric.bound(groups)
    (20, 22)
    """

    def value(groups: Int32s) -> int:
        sizes = np.bincount(groups).astype(np.int64)
        return int(sizes @ sizes)

    def bound(groups: Int32s) -> int:
        sizes = np.bincount(groups).astype(np.int64)
        return int(sizes @ np.maximum(sizes, least))

    return Metric(value, bound)


def classification(labels: Int32s) -> Metric:
    """Charge rows whose label is not the most frequent one of their group.

    Examples
    --------
    >>> metric = classification(np.array([0, 0, 1, 1]))
    >>> metric.value(np.array([0, 0, 0, 1], np.int32))
    1
    """
    values = int(labels.max()) + 1

    def value(groups: Int32s) -> int:
        keys = groups.astype(np.int64) * values + labels
        cells, counts = np.unique(keys, return_counts=True)
        begins = np.flatnonzero(np.diff(cells // values, prepend=-1))
        return len(labels) - int(np.maximum.reduceat(counts, begins).sum())

    return Metric(value, value)
