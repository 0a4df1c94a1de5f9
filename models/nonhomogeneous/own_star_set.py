"""The own-pattern bound of non-homogeneous k-anonymity."""

import math

from starmin.instances import (
    STARS,
    NonHomogeneous,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.models.nonhomogeneous import OWN_STAR_SET
from starmin.models.nonhomogeneous.degree_certificate import price_certificate
from starmin.models.nonhomogeneous.own_star_costs import own_star_costs


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
    One group-by of the row types for each of the 2^d sets, the cheap ones first, until
    all types have one: 100,000 rows by 8 columns in some 3 seconds.

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
