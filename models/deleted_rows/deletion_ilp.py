"""Releases that rows may be left out of, solved to proven optimality."""

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
from starmin.instances.arrays import Floats, Ints
from starmin.models.deleted_rows import DELETION_ILP
from starmin.models.deleted_rows.deletion_prices import note_prices
from starmin.models.deleted_rows.outliers import DeletionProblem
from starmin.models.pattern_program.pattern_program import pattern_program
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.mip_search import solve_program
from starmin.models.solvers.program import INF, Program, Rows

MAX_INCIDENCES = 300_000


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

    Parameters
    ----------
    table, requirement, objective
        The problem: ``DeletedRows``.
    time_limit
        Wall-clock seconds; the best release, the bound and the gap are returned.
    seed
        For the solver's random choices.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    initial
        A release to improve on.

    Returns
    -------
    Result
        Its certificate proves the bound of the prices.

    Raises
    ------
    NotSupportedError
        Another requirement, or more than 300,000 pairs of a pattern and a distinct row.

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
        types = problem.types
        if initial is not None:
            run.offer(initial)
        problem.start(run)
        run.check_time()
        patterns = closed_patterns(
            *(table, types, objective, problem.k, problem.l),
            run.check_time,
            MAX_INCIDENCES,
        )
        program = deletion_program(patterns, problem)
        relaxed = LinearSolver(program).solve(run.remaining)
        if relaxed is None:
            return Limit.TIME
        prices = patterns.unit.whole(relaxed.dual[: len(types)])
        note_prices(run, patterns, problem, prices, DELETION_ILP.name)
        if run.closed and not (run.empty and len(patterns)):
            return None

        def take(point: Floats) -> None:
            x, gone = loads_of(patterns, len(types), point)
            used = x > 0
            release = problem.partition(
                patterns.pattern[used], patterns.types[used], x[used], gone
            )
            if release.violation(table, requirement, objective) is None:
                run.offer(release)

        kept = _keeping_some(program, len(types), table.n)
        solve_program(run, kept, DELETION_ILP.name, take, seed=seed)
        return None if run.closed else Limit.TIME

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
    types = problem.types
    usual = pattern_program(patterns, types, problem.k, problem.l).program
    many, columns = len(types), len(usual.cost)
    z = columns + np.arange(many)
    dealt = usual.rows[0]
    all_dealt = Rows(
        np.concatenate([dealt.row, np.arange(many)]),
        np.concatenate([dealt.column, z]),
        np.concatenate([dealt.value, np.ones(many)]),
        dealt.lower,
        dealt.upper,
    )
    integer = usual.integer.copy()
    integer[: len(patterns.types)] = True
    return Program(
        np.concatenate([usual.cost, np.full(many, float(problem.price))]),
        np.zeros(columns + many),
        np.concatenate([usual.upper, types.counts.astype(float)]),
        np.concatenate([integer, np.ones(many, bool)]),
        (all_dealt, *usual.rows[1:]),
    )


def _keeping_some(program: Program, types: int, n: int) -> Program:
    """Return a program whose solutions delete fewer than all rows."""
    z = np.arange(len(program.cost) - types, len(program.cost))
    fewest, most = np.array([-INF]), np.array([n - 1.0])
    row = Rows(np.zeros(types, np.int64), z, np.ones(types), fewest, most)
    return replace(program, rows=(*program.rows, row))


def loads_of(patterns: Patterns, types: int, point: Floats) -> tuple[Ints, Ints]:
    """Return how many copies each incidence and each deletion has at a point.

    ``types`` is the number of row types, ``point`` a solution of the program.
    """
    x = np.rint(point[: len(patterns.types)]).astype(np.int64)
    z = np.rint(point[len(point) - types :]).astype(np.int64)
    return x, z
