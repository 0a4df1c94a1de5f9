"""What each row pays at least: the cheapest stars that leave it k rows."""

from collections.abc import Callable

import numpy as np

from starmin.instances import NotSupportedError, Objective, Table, group_by
from starmin.instances.arrays import Ints

MOST_COLUMNS = 24  # that may be starred


def own_star_costs(
    table: Table,
    objective: Objective,
    k: int,
    check: Callable[[], None] = lambda: None,
) -> Ints:
    """Return for each row type the least cost of stars under which it has k rows.

    Sets of columns are gone through by cost and none is kept, so that memory is that of
    the row types, whatever the number of sets.

    Parameters
    ----------
    table, objective, k
        The problem; columns to be kept are not starred.
    check
        Called before each group-by; it may raise to end the enumeration.

    Raises
    ------
    NotSupportedError
        More than 24 columns may be starred.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> own_star_costs(table, STARS, 2).tolist()
    [1, 1, 1]
    """
    types = table.row_types
    free = np.flatnonzero(~objective.kept(table))
    if len(free) > MOST_COLUMNS:
        raise NotSupportedError(
            f"Expected at most {MOST_COLUMNS} columns that may be starred, got "
            f"{len(free)}."
        )
    numbers = np.arange(1 << len(free))
    starred = np.zeros((len(numbers), table.d), bool)
    starred[:, free] = numbers[:, None] >> np.arange(len(free)) & 1
    cost = objective.row_costs(table, starred)
    costs = np.zeros(len(types), np.int64)
    waits = np.ones(len(types), bool)
    for number in np.argsort(cost, kind="stable").tolist():
        check()
        kept = np.flatnonzero(~starred[number])
        if len(kept):
            groups = group_by(
                [types.codes[:, a] for a in kept],
                [table.qi_cardinalities[a] for a in kept],
            )
            sizes = np.bincount(groups.inverse, types.counts)[groups.inverse]
        else:
            sizes = np.full(len(types), table.n)
        found = waits & (sizes >= k)
        costs[found] = cost[number]
        waits &= ~found
        if not waits.any():
            break
    return costs
