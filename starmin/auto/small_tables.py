"""Solve small tables with losses exactly before the candidates of ``auto``."""

from dataclasses import replace

from starmin.auto.first_bounds import Ending
from starmin.auto.rules import RULES
from starmin.auto.starts import offer_found
from starmin.auto.task import Task
from starmin.instances import NotSupportedError, Result, Run


def solve_small(task: Task, bounds: Ending) -> Result | None:
    """Solve a small table exactly; None for others, and where no method takes it.

    It starts from the best release of fast heuristics, improved for a moment. What the
    method does not prove in its share of the time the candidates go on with. The prices
    of the bounds beside the search are those it begins with.

    Parameters
    ----------
    task
        The problem.
    bounds
        What ends the bounds beside the search.
    """
    table = task.table
    takers = task.takers([RULES.small_method])
    if not task.of_losses or table.n > RULES.small_rows or not takers:
        return None
    if table.counts is not None:
        return None
    run = task.run()
    if task.initial is None:
        _offer_starts(run, task)
    seconds = RULES.small_share * run.remaining
    if seconds == 0:
        return None
    proofs = [found.certificate for found in bounds(RULES.first_bound_share * seconds)]
    known = {
        "initial": task.initial or run.best,
        "prices": next((proof for proof in reversed(proofs) if proof), None),
    }
    seconds = RULES.small_share * run.remaining
    try:
        found = task.given(time_limit=seconds, **known).solve(takers[0])
    except NotSupportedError:
        return None
    return replace(found, runtime=run.elapsed)


def _offer_starts(run: Run, task: Task) -> None:
    """Offer the best of fast heuristics, and what it is improved to."""
    alone = task._replace(options={})
    for method in task.takers(RULES.range_starts):
        offer_found(run, method, alone.given(time_limit=run.remaining))
    seconds = min(
        task.table.n / RULES.small_rows_per_second,
        RULES.start_share * run.remaining,
    )
    for method in task.takers(RULES.small_improvers):
        given = {"initial": run.best, "time_limit": seconds}
        offer_found(run, method, alone.given(**given))
