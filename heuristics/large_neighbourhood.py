"""Large neighbourhood search: part after part of a release solved exactly."""

import math
from collections.abc import Callable

import numpy as np

from heuristics.lexicographic_suppression import lexicographic_suppression
from instances import (
    STARS,
    BoolArray,
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    expect_parts,
)
from models.bounds.pattern_lp import write_program
from models.incumbents import loads_of, partition_of_loads
from models.part_search import PartSearch
from models.pattern_program import PatternProgram
from models.patterns import expect_stars


def large_neighbourhood(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    start: Callable[..., Result] = lexicographic_suppression,
    patience: int = 200,
) -> Result:
    """Improves a release by solving parts of it to optimality. No guarantee.

    A part is a set of row types that may move freely while all other copies stay in
    their patterns; the pattern program of the part, what is fixed moved to its
    right-hand sides (``models.neighbourhood``), is solved by branch and bound from the
    current release. ``models.part_search`` chooses the parts.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars.
    time_limit
        Wall-clock seconds.
    seed
        Of the choice of parts and of the solver.
    display
        Print a line to stderr at each improvement.
    initial
        The release to improve; default: what ``start`` finds.
    start
        A method to begin with.
    patience
        Stop after this many parts in a row that gained nothing.

    Returns
    -------
    Result
        Never worse than ``initial``.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    See Also
    --------
    models.pattern_ilp : exact, for smaller tables.

    Notes
    -----
    Any-time. Each part takes a fraction of a second to a few seconds; a pass over
    18,000 row types by 8 columns some minutes.

    Examples
    --------
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> large_neighbourhood(table, KAnonymity(2), time_limit=1.0).value
    4
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    expect_stars(objective)
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or Partition.coarsest(table, objective.keep))
    try:
        run.check_time()
        if initial is None:
            first = start(table, requirement, objective=objective)
            if first.best is not None:
                run.offer(first.best)
        program = write_program(run)
        improve(run, program, np.random.default_rng(seed), patience)
    except TimeoutError:
        return run.result(Limit.TIME)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    return run.result(Limit.ITERATIONS)


def improve(
    run: Run,
    program: PatternProgram,
    rng: np.random.Generator,
    patience: int,
    useful: BoolArray | None = None,
) -> None:
    """Search until patience or the time of ``run`` is up, or the gap is closed.

    Parameters
    ----------
    run
        Holds the incumbent.
    program
        The pattern program of its problem.
    rng
        Chooses the parts.
    patience
        How many parts in a row may gain nothing.
    useful
        The incidences that parts may use; default: all.
    """
    if run.best is None:
        return
    types = run.table.sensitive_types if program.l > 1 else run.table.row_types
    loads = loads_of(run.table, types, program.patterns, run.best)
    if loads is None:
        return
    if useful is None:
        useful = np.ones(program.incidences, bool)
    search = PartSearch(program, types, useful, rng)
    in_vain = 0
    while not run.closed and in_vain < patience and not search.complete:
        run.check_time()
        better = search.step(loads, run.remaining)
        in_vain += 1
        if better is not None:
            loads, in_vain = better, 0
            run.offer(partition_of_loads(types, program.patterns, loads))
