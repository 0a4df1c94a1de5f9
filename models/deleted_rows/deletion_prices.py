"""A lower bound on releases that rows may be left out of."""

import math

import numpy as np

from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.instances.arrays import Ints
from starmin.models.deleted_rows import DELETION_PRICES
from starmin.models.deleted_rows.outliers import DeletionProblem
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianSubgradient,
)
from starmin.models.lagrangian_relaxation.price_bound import (
    price_bound,
    price_certificate,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.own_cost import cheapest_pattern_costs
from starmin.models.patterns.patterns import Patterns

# Prices that bound releases with deleted rows, and their certificate.

TOLERANCE = 1e-4


def note_prices(
    run: Run, patterns: Patterns, problem: DeletionProblem, prices: Ints, method: str
) -> None:
    r"""Tell a run the bound of prices of row types, and its certificate.

    Let no price be above c, what a deleted row costs. A release then costs at least

    .. math::

        \sum_t \lambda_t s_t + \sum_p \min(0, f_p(\lambda)),

    as one that keeps all rows does
    (``starmin.models.lagrangian_relaxation.price_bound``): the kept rows of a pattern
    cost :math:`f_p` more than their prices, at least, and a deleted row costs c, which
    is its price or more. Prices above c are lowered to it.

    The requirement of the run allows to delete rows. ``patterns`` are the closed ones
    that can be groups, ``prices`` are by type, in units of ``PriceUnit``, and
    ``method`` is named for the bound.
    """
    capped = np.minimum(prices, _cap(patterns, problem))
    types, k, l = problem.types, problem.k, problem.l
    bound = max(0, price_bound(patterns, types, capped, k, l))
    asked = run.table, types, run.requirement, run.objective
    run.raise_bound(bound, method, price_certificate(*asked, capped, bound))


def improve_prices(run: Run, patterns: Patterns, problem: DeletionProblem) -> Ints:
    """Improve prices by a subgradient method that caps them, and tell their bound.

    Returns the prices of the best bound, by type. ``patterns`` are the closed ones that
    can be groups; the time of the run ends the search.
    """
    own = np.minimum(cheapest_pattern_costs(patterns), problem.price)
    method = LagrangianSubgradient(
        *(run, patterns, problem.types, problem.k, problem.l),
        initial=own * patterns.unit.per_cost,
        ceiling=np.full(len(own), _cap(patterns, problem)),
    )
    method.improve(TOLERANCE)
    run.stats["iterations"] = method.iterations
    return method.prices


def _cap(patterns: Patterns, problem: DeletionProblem) -> int:
    """Return what a deleted row costs in units of prices, or the highest price."""
    return min(problem.price * patterns.unit.per_cost, patterns.unit.most)


def deletion_prices(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    """Bounds releases in which rows may be deleted at a price.

    Prices of distinct rows are improved as those of
    ``starmin.models.bounds.lagrangian`` are; none is above what a deleted row costs.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``DeletedRows``.
    time_limit
        Seconds; the best bound until then is returned.
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

    Examples
    --------
    >>> from starmin.instances import DeletedRows, KAnonymity
    >>> rows = [["0", "x"], ["0", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> deletion_prices(table, DeletedRows(KAnonymity(2))).lower_bound
    2
    """
    run = Run(table, requirement, objective, time_limit, display, DELETION_PRICES)

    def search() -> None:
        problem = DeletionProblem.of(run)
        patterns = closed_patterns(
            table, problem.types, objective, problem.k, problem.l, run.check_time
        )
        improve_prices(run, patterns, problem)
        run.check_time()

    return run.carry_out(search)
