"""The own-pattern bound of non-homogeneous k-anonymity."""

import math
from collections.abc import Callable

import numpy as np

from starmin.instances import (
    STARS,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Ints
from starmin.models.nonhomogeneous import OWN_STAR_SET
from starmin.models.nonhomogeneous.degree_certificate import price_certificate

MOST_COLUMNS = 24  # that may be starred


def own_star_set(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result[NonHomogeneous]:
    r"""Bound the stars of non-homogeneous releases from below: each row on its own.

    A released row needs k originals that agree with it on all columns that it does not
    star. So it pays at least for the cheapest set S of columns to star that leaves it
    so many:

    .. math:: LB = \sum_j \min \{cost_S : |C_S(j)| \ge k\},

    :math:`C_S(j)` being the rows that agree with row j on all columns but those of S.
    How often an original is used is not asked. It is the bound of prices that are all
    zero, which is its certificate.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity; stars.
    time_limit
        Seconds.
    display
        Print progress to stderr.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    See Also
    --------
    starmin.models.nonhomogeneous.degree_prices.degree_prices : never lower.

    Notes
    -----
    One group-by of the distinct rows for each of the 2^d sets, the cheap ones first,
    until all types have one: 100,000 rows by 8 columns in some 3 seconds.

    References
    ----------
    Murakami and Uno (2018), formulas (7)-(9).

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> own_star_set(table, KAnonymity(2)).lower_bound
    3
    """
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, OWN_STAR_SET
    )

    def search() -> None:
        size = requirement.core.size
        costs = own_star_costs(table, objective, size, run.check_time)
        bound = int(costs @ table.row_types.counts)
        certificate = price_certificate(table, requirement, objective, 0 * costs, bound)
        run.raise_bound(bound, "own_star_set", certificate)

    return run.carry_out(search)


def own_star_costs(
    table: Table,
    objective: Objective,
    k: int,
    check: Callable[[], None] = lambda: None,
) -> Ints:
    """Return for each row type the least cost of stars under which it has k rows.

    Sets of columns are gone through by cost and none is kept, so that memory is that of
    the row types, whatever the number of sets. Columns to be kept are not starred;
    raises NotSupportedError where more than 24 may be. ``check`` is called before each
    group-by; it may raise to end the enumeration.

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
