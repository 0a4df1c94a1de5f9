"""The linear relaxation of the pattern formulation, with prices as certificate."""

import math

from starmin.instances import STARS, Limit, Objective, Requirement, Result, Run, Table
from starmin.instances.arrays import Ints
from starmin.models.bounds import PATTERN_LP
from starmin.models.lagrangian_relaxation.price_bound import note_prices, price_bound
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    pattern_program,
)
from starmin.models.patterns.closed_listing import (
    cheapest_pattern_costs,
    closed_patterns,
)
from starmin.models.patterns.coarse_losses import run_with_prices
from starmin.models.patterns.patterns import Sought, expect_no_tuples
from starmin.models.solvers.linear_solver import LinearSolver, LpSolution

# Programs with more pairs of a pattern and a row type are refused.
MAX_INCIDENCES = 1_000_000


def pattern_lp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Bound stars or losses from below by the linear relaxation of the patterns.

    The duals of the rows of the types are prices; the bound that is reported is the one
    these prices prove in integer arithmetic (see
    ``starmin.models.lagrangian_relaxation.price_bound``), so that no rounding error of
    the solver enters it. It is the value of the relaxation
    (``starmin.models.pattern_program.pattern_program``), or more: the choices of the
    price bound are integral.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars or gcp.
    time_limit, display
        Seconds; where they run out, the own-pattern bound is what is left. Progress is
        printed to stderr.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, too many columns, or more than a million
        pairs of a pattern and a distinct row.

    See Also
    --------
    starmin.models.bounds.own_pattern : weaker, and fast.
    starmin.models.pattern_ilp.pattern_ilp : goes on to the optimum.

    Notes
    -----
    One linear program with a column and a row for each pair of a closed pattern and
    a distinct row that fits it. 30,000 rows by 5 columns (42,000 pairs) take about a
    second for small k and ten for k = 25.

    References
    ----------
    Chakaravarthy, Pandit and Sabharwal (2010), section 4.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> pattern_lp(table, KAnonymity(3)).lower_bound
    6
    """
    expect_no_tuples(objective)
    run = Run(table, requirement, objective, time_limit, display, PATTERN_LP)

    def search() -> Limit | None:
        part = run_with_prices(run)
        program = write_program(part)
        solved = relax(part, program, LinearSolver(program.program))
        return None if solved else Limit.TIME

    return run.carry_out(search)


def write_program(run: Run) -> PatternProgram:
    """Write the formulation of a run's problem; note the own-pattern bound too."""
    sought = Sought.of(run)
    patterns = closed_patterns(*sought, MAX_INCIDENCES)
    program = pattern_program(patterns, *sought.asked)
    own = cheapest_pattern_costs(patterns) * patterns.unit.per_cost
    _note(run, program, own, "own_pattern")
    return program


def relax(run: Run, program: PatternProgram, solver: LinearSolver) -> LpSolution | None:
    """Solve the relaxation and note the bound of its prices; None if out of time."""
    solution = solver.solve(run.remaining)
    if solution is not None:
        prices = solution.dual[: len(program.patterns.counts)]
        _note(run, program, program.patterns.unit.whole(prices), "pattern_lp")
    return solution


def _note(run: Run, program: PatternProgram, prices: Ints, method: str) -> None:
    bound = max(price_bound(program.patterns, prices, program.k, program.l), 0)
    note_prices(run, program.types, prices, bound, method)
