"""Rows that have to be published together: no value of a column is parted."""

import numpy as np

from starmin.instances.arrays import Bools
from starmin.instances.requirements.group_stats import GroupStats


def parted(stats: GroupStats, column: str) -> Bools:
    """Find the groups with rows of some value that has rows in another one, too.

    ``column`` is the one whose values are to be together: ids, or classes.

    Examples
    --------
    >>> from starmin.instances.tables.table import Table
    >>> rows = [["0", "p"], ["0", "p"], ["1", "q"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> parted(GroupStats.of(table, np.array([0, 1, 2])), "id").tolist()
    [True, True, False]
    """
    values = stats.tally(column)
    groups = np.bincount(values.value, minlength=len(values.labels))
    found = np.zeros(len(stats.sizes), bool)
    found[values.group[groups[values.value] > 1]] = True
    return found
