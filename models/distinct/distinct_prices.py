"""A lower bound under distinct l-diversity, by prices."""

import math

import numpy as np

from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.models.distinct import DISTINCT_PRICES
from starmin.models.distinct.distinct_reduction import has_prices, smallest_reduction
from starmin.models.distinct.placed_row_prices import DistinctPrices
from starmin.models.distinct.price_tree import price_tree, prove_by_prices
from starmin.models.patterns.own_cost import cheapest_pattern_costs


class _Prices(DistinctPrices):
    method = DISTINCT_PRICES.name


def distinct_prices(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    tolerance: float = 1e-3,
) -> Result:
    r"""Bound stars from below under distinct l-diversity by prices.

    Every row that is no group with the rows equal to it has a price, at first the cost
    of the cheapest pattern that can be a group with it:

    .. math::
        LB(\lambda) = \sum_t \lambda_t s_t + \sum_p \min(0, f_p(\lambda)),

    f_p being the least cost, less prices, of rows of l values that fit the pattern p.
    Where distinct diversity in one sensitive column is asked for, with k up to l, steps
    along supergradients improve the prices
    (``starmin.models.distinct.placed_row_prices``). For other requirements the first
    prices are what is proven.

    Parameters
    ----------
    table, requirement, objective
        The problem: distinct l-diversity, also with k-anonymity and with diversity by
        frequency; stars.
    time_limit
        Seconds.
    display
        Print progress to stderr.
    tolerance
        Stop after a round that raised the bound by less than this share.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate, a tree of one leaf.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    See Also
    --------
    starmin.models.pattern_ilp.pattern_ilp : goes on from these prices to a release.
    starmin.models.bounds.lagrangian : for the other requirements.

    Notes
    -----
    Integers only. A step looks at all pairs of a pattern and a priced distinct row.

    References
    ----------
    Fisher (1981), The Lagrangian relaxation method for solving integer programming
    problems.

    Examples
    --------
    >>> from starmin.instances import DistinctDiversity
    >>> rows = [["0", "x", "s"], ["1", "x", "t"], ["1", "y", "u"]]
    >>> table = Table.from_rows(["a", "b", "c"], rows, qi=["a", "b"], sensitive=["c"])
    >>> distinct_prices(table, DistinctDiversity(3)).lower_bound
    6
    """
    run = Run(table, requirement, objective, time_limit, display, DISTINCT_PRICES)

    def search() -> None:
        reduction = smallest_reduction(run)
        if len(reduction.inside) == 0:
            zero = np.zeros(len(reduction.types), np.int64)
            proof = price_tree(run, reduction.types, zero, 0)
            run.raise_bound(0, DISTINCT_PRICES.name, proof)
            return
        own = cheapest_pattern_costs(reduction.placed_patterns)
        prove_by_prices(run, reduction, own.astype(np.float64), DISTINCT_PRICES.name)
        if has_prices(requirement, len(table.sensitive)):
            _Prices(run, reduction).improve(tolerance)
        run.check_time()

    return run.carry_out(search)
