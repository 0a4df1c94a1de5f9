"""The Lagrangian bound: prices of the row types, improved step by step."""

import math
from concurrent.futures import Executor

from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.instances.runs.places import places
from starmin.models.bounds import LAGRANGIAN
from starmin.models.bounds.near_bounds import prove_own_costs, prove_prices
from starmin.models.bounds.pattern_ranges import takes_near
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianSubgradient,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.coarse_losses import run_with_prices
from starmin.models.patterns.patterns import Sought, expect_no_tuples, is_wide
from starmin.models.pricing.boxstep import Boxstep
from starmin.models.pricing.cut_prices import CutPrices


def lagrangian(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    tolerance: float = 1e-4,
    workers: int | None = None,
    executor: Executor | None = None,
) -> Result:
    r"""Bound stars or losses from below by the Lagrangian dual of the pattern
    formulation.

    A price for each distinct row splits the formulation into one small problem for each
    pattern (``starmin.models.lagrangian_relaxation.price_bound``). The bound of the
    prices is concave in them, its maximum is the value of the linear relaxation or
    more, and what the copies of a type are short of in the best choices is a
    supergradient:

    .. math::
        LB(\lambda) = \sum_t \lambda_t s_t + \sum_p \min(0, f_p(\lambda)), \qquad
        g_t = s_t - \sum_{p : f_p < 0} x_{pt}.

    The prices start at the own-pattern bound, which is never lost. Each step is along
    a running mean of g / s, divided by the root of its running mean square (Kingma and
    Ba 2015); steps shrink geometrically within a round of 500, and a further round,
    twice as long, begins at the best prices with half as large steps as long as it
    gains. All bounds are computed in integers, so that every one of them is proven.
    Under k-anonymity group-count cuts then raise the bound
    (``starmin.models.pricing.cut_prices``), beyond the relaxation.
    Losses too fine for 64 bits are rounded down to a coarser unit first.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars or gcp.
    time_limit, display
        Seconds. Steps shrink faster where they would not suffice for a round. Progress
        is printed to stderr.
    tolerance
        Stop after a round that raised the bound by less than this share in 500 steps.
    workers, executor
        Where ranges of patterns are listed and priced if there are many distinct rows,
        and so many tasks at a time; the workers read them from files. Default: threads.

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
    starmin.models.bounds.pattern_lp :
        solves the relaxation; slower on all but small tables.
    starmin.models.lagrangian_relaxation.price_bound :
        what the prices say of single patterns and types.

    Notes
    -----
    No convergence is proven, but every bound is valid. On real tables it comes within
    0.1 % of the linear relaxation in the first rounds. A step looks at the members of
    those patterns that cost less than some price; 30,000 rows by 8 columns (3 million
    pairs of a pattern and a type) take some 5 to 15 milliseconds a step.

    References
    ----------
    Fisher (1981), The Lagrangian relaxation method for solving integer programming
    problems. Kingma and Ba (2015), Adam: a method for stochastic optimization.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> lagrangian(table, KAnonymity(3)).lower_bound
    6
    """
    expect_no_tuples(objective)
    run = Run(
        *(table, requirement, objective, time_limit, display, LAGRANGIAN),
        workers=None if executor else workers,
    )
    run.stats["iterations"] = 0
    given = tolerance, workers, executor

    def search() -> None:
        _improve(run_with_prices(run), *given)
        run.check_time()

    return run.carry_out(search)


def _improve(
    run: Run, tolerance: float, workers: int | None, executor: Executor | None
) -> None:
    """Improve prices until they gain too little, or time is up; add cuts."""
    sought = Sought.of(run)
    table, types, objective, k, l, _ = sought
    if takes_near(table, types, run.requirement, objective):
        with places(executor, workers) as where:
            own = prove_own_costs(run, types, k, where)
            prove_prices(run, types, k, own, where, tolerance)
        return
    method: LagrangianSubgradient | Boxstep
    may_cut = k > 1 == l
    if is_wide(table, types, objective, run.time_limit):
        method = Boxstep(run, cuts_follow=may_cut)
    else:
        method = LagrangianSubgradient(run, closed_patterns(*sought))
    try:
        method.improve(tolerance)
    finally:
        run.stats["iterations"] = method.iterations
    if may_cut and not run.closed:
        CutPrices(run, method.prices).improve()
