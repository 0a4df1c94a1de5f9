"""Solve small tables with losses exactly before the candidates of ``auto``."""

from dataclasses import replace

from starmin.auto.problem import Problem
from starmin.auto.rules import RULES
from starmin.auto.starts import offer_found
from starmin.instances import NotSupportedError, Result, Run


def solve_small(problem: Problem) -> Result | None:
    """Solve a small table exactly; None for others, and where no method takes it.

    It starts from the best release of fast heuristics, improved for a moment. What the
    method does not prove in its share of the time the candidates go on with.
    """
    table = problem.table
    takers = problem.takers([RULES.small_method])
    if not problem.of_losses or table.n > RULES.small_rows or not takers:
        return None
    if table.counts is not None:
        return None
    run = problem.run()
    if problem.initial is None:
        _offer_starts(run, problem)
    seconds = RULES.small_share * run.remaining
    if seconds == 0:
        return None
    start = problem.initial or run.best
    try:
        found = problem.given(initial=start, time_limit=seconds).solve(takers[0])
    except NotSupportedError:
        return None
    return replace(found, runtime=run.elapsed)


def _offer_starts(run: Run, problem: Problem) -> None:
    """Offer the best of fast heuristics, and what it is improved to."""
    alone = problem._replace(options={})
    for method in problem.takers(RULES.range_starts):
        offer_found(run, method, alone.given(time_limit=run.remaining))
    seconds = min(
        problem.table.n / RULES.small_rows_per_second,
        RULES.start_share * run.remaining,
    )
    for method in problem.takers(RULES.small_improvers):
        given = {"initial": run.best, "time_limit": seconds}
        offer_found(run, method, alone.given(**given))
