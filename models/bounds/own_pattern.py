"""The own-pattern bound: every row pays at least for its cheapest possible group."""

import math

import numpy as np
import numpy.typing as npt

from instances import (
    STARS,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
    least_diversity,
    least_size,
)
from instances.runs.threads import Threads
from models.bounds import OWN_PATTERN
from models.lagrangian_relaxation.prices import price_certificate
from models.near_patterns.listing import near_patterns, takes_near
from models.patterns.own_cost import own_costs
from models.patterns.patterns import expect_losses
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]


def own_pattern(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Bound stars or losses from below: each row pays for its cheapest pattern.

    A pattern can be a group only if enough rows fit it (at least k, at least l
    different values of each sensitive column). So

    .. math:: LB = \sum_t s_t \min \{cost_p : p \sim t, p \text{ can be a group}\}.

    It is the price bound for these minima as prices: no pricing problem has a negative
    value then, and the certificate is that of prices.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars or gcp.
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
    models.bounds.pattern_lp : never lower, and slower.

    Notes
    -----
    One group-by of the row types for each of the 2^d sets of kept columns: 30,000
    rows by 8 columns in a second or two.

    References
    ----------
    Murakami and Uno (2018), formulas (7)-(9).

    Examples
    --------
    >>> from instances import KAnonymity
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> own_pattern(table, KAnonymity(2)).lower_bound
    2
    """
    expect_losses(objective, table)
    run = Run(table, requirement, objective, time_limit, display, OWN_PATTERN)
    k, l = least_size(requirement), least_diversity(requirement)
    types = table.sensitive_types if l > 1 else table.row_types

    def search() -> None:
        if takes_near(table, types, requirement, objective):
            with Threads(2) as threads:
                costs = near_patterns(run, types, k, -1, threads).own
        else:
            costs = own_costs(run, types, k, l)
        bound = int(costs @ types.counts)
        certificate = price_certificate(
            table, types, requirement, objective, costs * DENOMINATOR, bound
        )
        run.raise_bound(bound, "own_pattern", certificate)

    return run.carry_out(search)
