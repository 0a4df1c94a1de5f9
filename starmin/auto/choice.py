"""Solve by a method, or by those that the rules of ``auto`` choose."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial, reduce
from typing import Any

from starmin.auto.by_work import expect_counted, solve_by_work
from starmin.auto.certify import certified
from starmin.auto.combinations import solve_rules
from starmin.auto.deleted_rows import solve_deleting, start_deleting, with_rows
from starmin.auto.dispatch import (
    AUTO,
    expect_options,
    expect_support,
)
from starmin.auto.easier_problems.missing_values import solve_with_missing
from starmin.auto.easier_problems.persons import solve_with_persons
from starmin.auto.effort import Effort
from starmin.auto.fewer_stars import with_fewer_stars
from starmin.auto.first_bounds import Ending, bounds_beside, with_spare
from starmin.auto.guard import Search, guarded
from starmin.auto.nonhomogeneous import solve_nonhomogeneous
from starmin.auto.rules import RULES
from starmin.auto.small_tables import solve_small
from starmin.auto.starts import best_of, improved, with_start
from starmin.auto.task import Task
from starmin.auto.two_anonymity import solve_by_pairs, with_bound
from starmin.auto.within import solve_within
from starmin.instances import (
    Control,
    Limit,
    NotSupportedError,
    Partition,
    Problem,
    Result,
    Run,
    Status,
)
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.method import Method
from starmin.instances.runs.progress import NO_CONTROL
from starmin.models.near_patterns.sizes import star_pairs
from starmin.registry.methods import METHODS, find


def solve_by(
    method: str,
    problem: Problem,
    options: Mapping[str, Any],
    control: Control = NO_CONTROL,
) -> Result[Any]:
    """Solve by a method, or by the first of those that ``auto`` tries.

    An interrupt ends the search, and so do a lack of memory and what ``control`` says:
    what was found until then is returned.

    Parameters
    ----------
    method
        A name in the registry, or ``auto``.
    problem
        What is asked; by its recoding groups are searched, or stars by row.
    options
        Arguments of the method, by name; None stands for its default.
    control
        Who is told of the search, and when it ends before its time.

    Raises
    ------
    NotSupportedError
        The method does not take the problem or an option; names those that do.
    InternalError
        A bug struck after a release was found; it has the release.
    """
    task = Task(problem, options)
    by_work = options.get("work_limit") is not None
    if by_work:
        expect_counted(task)
    if problem.requirement.space == MASK:
        return solve_rules(method, task, control)
    if problem.rowwise:
        return solve_nonhomogeneous(method, task, control)

    def search(given: Task) -> Result:
        if by_work:
            return solve_by_work(method, given)
        return certified(_solve(method, given), given)

    def start(run: Run) -> None:
        if problem.requirement.may_delete:
            start_deleting(run)
        else:
            run.offer(Partition.coarsest(problem.table, problem.objective))
        if task.initial is not None:
            run.offer(task.initial)

    return with_rows(
        guarded(Search(method, search, start), task, control), problem.table.n
    )


def _solve(method: str, task: Task) -> Result:
    if method == AUTO:
        found = _choose(task)
        if task.objective.once:
            found = with_fewer_stars(found, task, _choose)
        return found
    chosen = find(method, "exact", "heuristic")
    if not chosen.supports(task.requirement, task.objective):
        usual = partial(_solve, method)
        if counted := solve_with_persons(task, usual, exactly=False):
            return counted
    expect_support(chosen, task.requirement, task.objective)
    return task.solve(chosen)


def _choose(task: Task) -> Result:
    """Solve by the first of the rules that holds, from the best start there is."""
    expect_options(AUTO, task.options, {"initial", "checkpoint"})
    for reduced in (solve_deleting, solve_with_missing, solve_with_persons):
        if found := reduced(task, _choose):
            return found
    if nested := solve_within(task):
        return nested
    near = METHODS["near_pattern_annealing"]
    if _needs_near_patterns(task, near):
        return task.solve(near)
    if task.options.get("checkpoint") is not None:
        raise NotSupportedError(
            "auto keeps no checkpoint of a search on so few row types; "
            f"{near.name} does, where it takes the problem."
        )
    run = task.run()
    with bounds_beside(task) as end:
        found = _search(task.given(time_limit=run.remaining), end)
        return with_spare(reduce(with_bound, end(), found), end())


def _search(task: Task, bounds: Ending) -> Result:
    """Search for releases, and prove what methods can."""
    effort = Effort.of(task)
    before = list[Result]()
    exactly = solve_by_pairs, partial(solve_small, bounds=bounds)
    for solve_exactly in () if effort.large else exactly:
        if task.of_losses and (found := solve_exactly(task)):
            before.append(found)
            if _ends(before):
                return reduce(with_bound, before[:-1], found)
            left = max(0.0, task.seconds - found.runtime)
            task = task.given(initial=found.best, time_limit=left)
    # Methods that list patterns of losses may end before their first release.
    starts = task.initial is None and (effort.large or task.of_losses)
    if starts:
        task = with_start(task, effort)
    if effort.large and (packed := solve_by_pairs(task)):
        before.append(packed)
        left = max(0.0, task.seconds - packed.runtime)
        task = task.given(initial=packed.best, time_limit=left)
    elif starts:
        task, before = improved(task, effort)
    if _ends(before):
        return before[-1]
    for candidate in task.takers(_candidates(task, effort)):
        if candidate.name == "pattern_ilp" and effort.slow:
            continue
        asked = _listing(task) if candidate.name == "pattern_ilp" else task
        try:
            return reduce(with_bound, before, _solve_and_bound(candidate, asked))
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
    fallbacks = RULES.range_fallbacks if task.of_losses else RULES.fallbacks
    return reduce(with_bound, before, best_of(fallbacks, task))


def _ends(results: list[Result]) -> bool:
    """Check whether the last result ends the search."""
    return bool(results) and (
        results[-1].status is Status.OPTIMAL or results[-1].limit is Limit.INTERRUPTED
    )


def _needs_near_patterns(task: Task, near: Method) -> bool:
    """Check whether the pairs of a row type and a pattern are too many for others.

    They are wherever a checkpoint or other machines are asked for as well.
    """
    table = task.table
    if not task.takers([near.name]):
        return False
    most: float = RULES.near_pairs
    if all(task.options.get(name) is None for name in ("checkpoint", "executor")):
        timely = RULES.wide_pairs_per_second * task.seconds
        most = max(most, min(RULES.wide_pairs, timely))
    return most < star_pairs(table, table.row_types, task.objective) < math.inf


def _candidates(task: Task, effort: Effort) -> tuple[str, ...]:
    diverse = task.of_losses and task.requirement.core.diversity > 1
    if diverse and effort.rate > RULES.diverse_range_pairs_per_second:
        return RULES.diverse_range_candidates
    return RULES.candidates


def _listing(task: Task) -> Task:
    """Have `pattern_ilp` refuse what it cannot list: others find more in that time."""
    from starmin.models.pattern_ilp.pattern_ilp import PatternIlpParams  # loads HiGHS

    return task.given(params=PatternIlpParams(priced=False))


def _solve_and_bound(method: Method, task: Task) -> Result:
    """Call a method; after a heuristic without a bound, bound the problem if possible.

    A part of the time is kept for that.
    """
    bounds = task.takers([RULES.bound_after])
    if method.kind != "heuristic" or not bounds:
        return _solve_from_start(method, task)
    share, run = 1.0 - RULES.bound_share, task.run()
    found = _solve_from_start(method, task.given(time_limit=share * task.seconds))
    if found.best is None or found.lower_bound is not None:
        return found
    left = task.given(time_limit=run.remaining, initial=None)
    try:
        bound = left.solve(*bounds)
    except NotSupportedError:
        return found  # too many columns
    return replace(with_bound(found, bound), runtime=found.runtime + bound.runtime)


def _solve_from_start(method: Method, task: Task) -> Result:
    """Call a method; its result is never worse than the release to start from."""
    initial = task.initial
    if initial is None or "initial" in method.options():
        return task.solve(method)
    result = task.given(initial=None).solve(method)
    cost = initial.value(task.table, task.objective)
    if result.value is not None and cost < result.value:
        return replace(result, best=initial, value=cost)
    return result
