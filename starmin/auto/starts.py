"""Releases of fast heuristics: to start from, or where nothing else takes a problem."""

import math
from collections.abc import Iterable
from dataclasses import replace

from starmin.auto.dispatch import AUTO, signed, words
from starmin.auto.effort import Effort
from starmin.auto.rules import RULES
from starmin.auto.task import Task
from starmin.instances import (
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Result,
    Run,
)
from starmin.instances.runs.method import Method


def with_start(task: Task, effort: Effort) -> Task:
    """Return the problem with a release to start from, and the time that is left.

    It is the best of fast heuristics.
    """
    if task.of_losses:
        return _with_best(task, RULES.range_starts, RULES.range_start_share)
    return _with_best(task, *_starts(effort))


def _starts(effort: Effort) -> tuple[tuple[str, ...], float]:
    """Return the heuristics for stars, and what each may take of the time."""
    names, share = RULES.starts, RULES.start_share
    if effort.priced:
        names, share = RULES.priced_starts, RULES.priced_start_share
    return names[:1] if effort.slow else names, share


def _with_best(task: Task, names: Iterable[str], share: float) -> Task:
    """Add the best of some heuristics, groups for few stars among them for losses."""
    run = task.run()
    if run.remaining == 0:
        return task
    alone = task._replace(options={})
    tried = [(method, alone) for method in task.takers(names)]
    if task.of_losses:
        objective = task.objective
        stars = Objective("stars", objective.weights, objective.keep)
        likewise = alone.on(objective=stars)
        takers = likewise.takers(RULES.range_star_starts)
        tried += [(method, likewise) for method in takers]
    for method, goal in tried:
        offer_found(run, method, goal.given(time_limit=share * run.remaining))
    return task.given(initial=run.best, time_limit=run.remaining)


def improved(task: Task, effort: Effort) -> tuple[Task, list[Result]]:
    """Improve the release to start from under k-anonymity, before an exact method.

    That looks for what is better than its start, and rules out what is not. What the
    search returned comes second, as it may prove more than the exact method will.
    """
    run, results = task.run(), list[Result]()
    if effort.slow or task.requirement.core.diversity > 1:
        return task, results
    if task.initial is None or math.isinf(run.remaining):
        return task, results  # no release was found: interrupted, or there is none
    run.offer(task.initial)
    share = RULES.improver_share
    if task.of_losses:
        share = RULES.range_improver_share
    limit = min(effort.pairs / RULES.improver_pairs, share * run.remaining)
    for method in task.takers(RULES.improvers):
        found = offer_found(run, method, task.given(initial=run.best, time_limit=limit))
        results += [found] if found else []
    return task.given(initial=run.best, time_limit=run.remaining), results


def offer_found(run: Run, method: Method, task: Task) -> Result | None:
    """Offer what a method finds, if it takes the problem; return its result."""
    try:
        found = task.solve(method)
    except NotSupportedError:
        return None  # a limit of its own, as on the number of columns
    best = found.best
    # Groups for stars may need nodes above the highest level that is allowed.
    if best and not best.violation(run.table, run.requirement, run.objective):
        run.offer(best)
    return found


def best_of(names: Iterable[str], task: Task) -> Result:
    """Return the best release of several heuristics, at worst one single group."""
    table, requirement, objective = task.table, task.requirement, task.objective
    if table.counts is not None:
        raise NotSupportedError(
            f"No method takes {words(requirement)} with {objective.kind} on a table "
            "that is read in batches; read as a whole, it may be solved."
        )
    run = task.run()
    if no := run.infeasible():
        return signed(no, AUTO)
    initial = task.initial
    run.offer(initial or Partition.coarsest(table, objective))
    best = signed(run.result(Limit.TIME), "initial" if initial else "single_group")
    for method in task.takers(names):
        if run.remaining == 0:
            return best
        left = task.given(time_limit=run.remaining, initial=None)
        result = left.solve(method)
        if result.best is not None and run.offer(result.best):
            best = result
    return replace(best, limit=None, runtime=run.elapsed)
