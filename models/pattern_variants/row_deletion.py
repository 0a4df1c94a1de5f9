"""Releases that rows may be left out of: bounded by prices, and solved exactly."""

import math
from dataclasses import replace

import numpy as np

from starmin.instances import (
    STARS,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianSubgradient,
)
from starmin.models.lagrangian_relaxation.price_bound import note_prices, price_bound
from starmin.models.pattern_program.pattern_program import pattern_columns
from starmin.models.pattern_variants import DELETION_ILP, DELETION_PRICES
from starmin.models.pattern_variants.outliers import DeletionProblem
from starmin.models.patterns.closed_listing import (
    cheapest_pattern_costs,
    closed_patterns,
)
from starmin.models.patterns.patterns import Patterns
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.mip_search import solve_program
from starmin.models.solvers.program import INF, Program, Rows

TOLERANCE = 1e-4
MAX_INCIDENCES = 300_000


def _note_prices(
    run: Run, patterns: Patterns, problem: DeletionProblem, prices: Ints
) -> None:
    r"""Tell a run the bound of prices of row types, and its certificate.

    Let no price be above c, what a deleted row costs. A release then costs at least

    .. math::

        \sum_t \lambda_t s_t + \sum_p \min(0, f_p(\lambda)),

    as one that keeps all rows does
    (``starmin.models.lagrangian_relaxation.price_bound``): the kept rows of a pattern
    cost :math:`f_p` more than their prices, at least, and a deleted row costs c, which
    is its price or more. Prices above c are lowered to it.

    ``patterns`` are the closed ones that can be groups, ``prices`` are by type, in
    units of ``PriceUnit``.
    """
    capped = np.minimum(prices, _cap(patterns, problem))
    bound = max(0, price_bound(patterns, capped, *problem.sought.asked))
    note_prices(run, patterns.row_types, capped, bound, DELETION_ILP.name)


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
    The requirement is ``DeletedRows``. Raises NotSupportedError where there are too
    many columns.

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
        patterns = closed_patterns(*problem.sought)
        own = np.minimum(cheapest_pattern_costs(patterns), problem.price)
        method = LagrangianSubgradient(
            *(run, patterns),
            initial=own * patterns.unit.per_cost,
            ceiling=np.full(len(own), _cap(patterns, problem)),
        )
        method.improve(TOLERANCE)
        run.stats["iterations"] = method.iterations
        run.check_time()

    return run.carry_out(search)


def deletion_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    """Solves k-anonymity and l-diversity exactly where rows may be deleted at a price.

    The formulation is that of ``deletion_program``. Its relaxation gives prices, and so
    a certified bound; what branch and bound proves beyond that is the solver's word.
    The requirement is ``DeletedRows``. Raises NotSupportedError where there are more
    than 300,000 pairs of a pattern and a distinct row.

    Examples
    --------
    >>> from starmin.instances import DeletedRows, KAnonymity
    >>> rows = [["0", "x"], ["0", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> found = deletion_ilp(table, DeletedRows(KAnonymity(2)))
    >>> found.value, found.best.deleted
    (2, 1)
    """
    run = Run(table, requirement, objective, time_limit, display, DELETION_ILP)

    def search() -> Limit | None:
        problem = DeletionProblem.of(run)
        types = problem.sought.types
        if initial is not None:
            run.offer(initial)
        problem.start(run)
        run.check_time()
        patterns = closed_patterns(*problem.sought, MAX_INCIDENCES)
        program = deletion_program(patterns, problem)
        relaxed = LinearSolver(program).solve(run.remaining)
        if relaxed is None:
            return Limit.TIME
        prices = patterns.unit.whole(relaxed.dual[: len(types)])
        _note_prices(run, patterns, problem, prices)
        if run.closed and not (run.empty and len(patterns)):
            return None

        def release(whole: Ints) -> Partition:
            x, gone = whole[: len(patterns.types)], whole[-len(types) :]
            used = x > 0
            of_used = patterns.pattern[used], patterns.types[used], x[used]
            return problem.partition(*of_used, gone)

        # Solutions delete fewer than all rows.
        z = len(program.cost) - len(types) + np.arange(len(types))
        some = Rows.of(1, -INF, table.n - 1, (np.zeros_like(z), z, 1))
        kept = replace(program, rows=(*program.rows, some))
        return solve_program(run, kept, DELETION_ILP.name, release, seed=seed)

    return run.carry_out(search)


def deletion_program(patterns: Patterns, problem: DeletionProblem) -> Program:
    r"""Return the program of a problem in which rows may be deleted.

    To the columns of ``starmin.models.pattern_program.pattern_program`` come
    :math:`z_t`: so many copies of type t are deleted, and

    .. math::

        \min \sum_{pt} cost_p x_{pt} + c \sum_t z_t \quad \text{subject to} \quad
        \sum_p x_{pt} + z_t = s_t

    beside what makes groups of the others. To be deleted is a pattern that asks for no
    number of rows. In the dual of the relaxation no price is above c, the price of a
    deleted row. ``patterns`` are the closed ones that can be groups.
    """
    types = problem.sought.types
    integer = True, types.sensitive.shape[1] == 1
    made = pattern_columns(patterns, *problem.sought.asked, integer)
    z = made.add(len(types), problem.price, types.counts)
    made.rows[0] = made.rows[0].plus((np.arange(len(types)), z, 1))
    return made.program()
