"""Releases that rows may be left out of, solved to proven optimality."""

import math

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
from starmin.instances.arrays import Floats
from starmin.models.deleted_rows import DELETION_ILP
from starmin.models.deleted_rows.deletion_bound import note_prices
from starmin.models.deleted_rows.deletion_problem import DeletionProblem
from starmin.models.deleted_rows.deletion_program import deletion_program, loads_of
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.solve_program import solve_program

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

    The formulation is that of ``starmin.models.deleted_rows.deletion_program``. Its
    relaxation gives prices, and so a certified bound; what branch and bound proves
    beyond that is the solver's word.

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
        if run.closed:
            return None

        def take(point: Floats) -> None:
            x, gone = loads_of(patterns, len(types), point)
            used = x > 0
            release = problem.partition(
                patterns.pattern[used], patterns.types[used], x[used], gone
            )
            if release.violation(table, requirement, objective) is None:
                run.offer(release)

        solve_program(run, program, DELETION_ILP.name, take, seed=seed)
        return None if run.closed else Limit.TIME

    return run.carry_out(search)
