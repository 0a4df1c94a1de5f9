"""Sets of starred columns, and the row types that agree outside of one."""

from collections.abc import Sequence

import numpy as np

from starmin.instances import Run, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.patterns.closed_listing import star_sets
from starmin.models.patterns.patterns import MOST_COLUMNS

UNKNOWN = np.iinfo(np.int32).max
"""Stands for an own cost that is not known yet; more than any set costs."""


def sets_by_cost(run: Run) -> tuple[Bools, Ints]:
    """Return the sets of starred columns and what a row pays for each, cheapest first.

    The last one stars all columns that may be starred. Raises NotSupportedError where
    these are more than 12.
    """
    sets = np.array(star_sets(run.table, run.objective, MOST_COLUMNS))
    costs = run.objective.row_costs(run.table, sets)
    order = np.argsort(costs, kind="stable")
    return sets[order], costs[order]


def agreeing(
    columns: Sequence[Int32s], sizes: Sequence[int], starred: Bools
) -> tuple[Int32s, int]:
    """Group row types that agree on all columns but those starred.

    Returns the group of each type, and how many groups there are. ``columns`` are the
    codes of the row types, ``sizes`` how many codes there are, and ``starred`` a mask,
    all by column.

    Examples
    --------
    >>> columns = [np.array([0, 1, 1], np.int32), np.array([1, 0, 1], np.int32)]
    >>> agreeing(columns, [2, 2], np.array([False, True]))
    (array([0, 1, 1], dtype=int32), 2)
    >>> agreeing(columns, [2, 2], np.array([True, True]))
    (array([0, 0, 0], dtype=int32), 1)
    """
    kept = np.flatnonzero(~starred).tolist()
    if not kept:
        return np.zeros(len(columns[0]), np.int32), 1
    groups = group_by([columns[j] for j in kept], [sizes[j] for j in kept])
    return groups.inverse, groups.size
