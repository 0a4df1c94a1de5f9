"""A heuristic: groups of consecutive rows of the sorted table."""

import math

import numpy as np

from starmin import (
    STARS,
    Method,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    least_size,
)

SORTED_SLICES = Method(
    "starmin_extension.sorted_slices",
    "heuristic",
    requirements=("k",),
    objectives=("stars", "tuples"),
    guarantee="none",
    reach="10 million rows",
    source="starmin-extension",
)


def sorted_slices(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    """Find a k-anonymous release in O(n log n), without a guarantee."""
    run = Run(table, requirement, objective, time_limit, display, SORTED_SLICES)

    def search() -> None:
        # Rows of a group agree on the columns to be kept.
        classes = Partition.coarsest(table, objective)
        columns = [table.column(column) for column in table.qi]
        order = np.lexsort([*columns, classes.groups])
        groups, group = np.empty(table.n, np.int32), 0
        for rows in np.split(order, np.cumsum(classes.sizes)[:-1]):
            for part in np.array_split(rows, len(rows) // least_size(requirement)):
                groups[part] = group
                group += 1
        run.offer(Partition(groups))

    return run.carry_out(search)
