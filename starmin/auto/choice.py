"""Solve by a method, or by those that the rules of ``auto`` choose."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from starmin.auto.certify import certified
from starmin.auto.dispatch import (
    AUTO,
    expect_options,
    expect_support,
)
from starmin.auto.effort import Effort
from starmin.auto.fewer_stars import with_fewer_stars
from starmin.auto.guard import Search, guarded
from starmin.auto.missing_values import solve_with_missing
from starmin.auto.problem import Problem
from starmin.auto.rules import RULES
from starmin.auto.small_tables import solve_small
from starmin.auto.starts import best_of, improved, with_start
from starmin.auto.two_anonymity import solve_by_pairs, with_bound
from starmin.instances import (
    Control,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Status,
    Table,
    least_diversity,
)
from starmin.instances.runs.method import Method
from starmin.instances.runs.progress import NO_CONTROL
from starmin.models.near_patterns.sizes import star_pairs
from starmin.registry.methods import METHODS, find


def solve_by(
    method: str,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
    control: Control = NO_CONTROL,
) -> Result:
    """Solve by a method, or by the first of those that ``auto`` tries.

    An interrupt ends the search, and so do a lack of memory and what ``control`` says:
    what was found until then is returned.

    Parameters
    ----------
    method
        A name in the registry, or ``auto``.
    table, requirement, objective
        The problem.
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
    objective.check(table)
    problem = Problem(table, requirement, objective, options)

    def search(given: Problem) -> Result:
        return certified(_solve(method, given), *given)

    def start(run: Run) -> None:
        run.offer(Partition.coarsest(table, objective))
        if problem.initial is not None:
            run.offer(problem.initial)

    return guarded(Search(method, search, start), problem, control)


def _solve(method: str, problem: Problem) -> Result:
    if method == AUTO:
        found = _choose(problem)
        if problem.objective.kind == "tuples":
            found = with_fewer_stars(found, problem, _choose)
        return found
    chosen = find(method, "exact", "heuristic")
    expect_support(chosen, problem.requirement, problem.objective)
    return problem.solve(chosen)


def _choose(problem: Problem) -> Result:
    """Solve by the first of the rules that holds, from the best start there is."""
    expect_options(AUTO, problem.options, {"initial", "checkpoint"})
    if found := solve_with_missing(problem, _choose):
        return found
    near = METHODS["near_pattern_annealing"]
    if _needs_near_patterns(problem, near):
        return problem.solve(near)
    if problem.options.get("checkpoint") is not None:
        raise NotSupportedError(
            "auto keeps no checkpoint of a search on so few row types; "
            f"{near.name} does, where it takes the problem."
        )
    effort = Effort.of(problem)
    before, starts = list[Result](), effort.large and problem.initial is None
    if small := solve_small(problem):
        before.append(small)
        if _ends(before):
            return small
        left = max(0.0, problem.seconds - small.runtime)
        problem = problem.given(initial=small.best, time_limit=left)
    if starts:
        problem = with_start(problem, effort)
    if effort.large and (packed := solve_by_pairs(problem)):
        before.append(packed)
        left = max(0.0, problem.seconds - packed.runtime)
        problem = problem.given(initial=packed.best, time_limit=left)
    elif starts:
        problem, before = improved(problem, effort)
    if _ends(before):
        return before[-1]
    for candidate in problem.takers(_candidates(problem, effort)):
        if candidate.name == "pattern_ilp" and effort.slow:
            continue
        try:
            return reduce(with_bound, before, _solve_and_bound(candidate, problem))
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
    fallbacks = RULES.range_fallbacks if problem.of_losses else RULES.fallbacks
    return reduce(with_bound, before, best_of(fallbacks, problem))


def _ends(results: list[Result]) -> bool:
    """Check whether the last result ends the search."""
    return bool(results) and (
        results[-1].status is Status.OPTIMAL or results[-1].limit is Limit.INTERRUPTED
    )


def _needs_near_patterns(problem: Problem, near: Method) -> bool:
    """Check whether the pairs of a row type and a pattern are too many for others.

    They are wherever a checkpoint or other machines are asked for as well.
    """
    table = problem.table
    if not problem.takers([near.name]):
        return False
    most: float = RULES.near_pairs
    if all(problem.options.get(name) is None for name in ("checkpoint", "executor")):
        timely = RULES.wide_pairs_per_second * problem.seconds
        most = max(most, min(RULES.wide_pairs, timely))
    return most < star_pairs(table, table.row_types, problem.objective) < math.inf


def _candidates(problem: Problem, effort: Effort) -> tuple[str, ...]:
    diverse = problem.of_losses and least_diversity(problem.requirement) > 1
    if diverse and effort.rate > RULES.diverse_range_pairs_per_second:
        return RULES.diverse_range_candidates
    return RULES.candidates


def _solve_and_bound(method: Method, problem: Problem) -> Result:
    """Call a method; after a heuristic without a bound, bound the problem if possible.

    A part of the time is kept for that.
    """
    bounds = problem.takers([RULES.bound_after])
    if method.kind != "heuristic" or not bounds:
        return _solve_from_start(method, problem)
    share, run = 1.0 - RULES.bound_share, problem.run()
    found = _solve_from_start(method, problem.given(time_limit=share * problem.seconds))
    if found.best is None or found.lower_bound is not None:
        return found
    left = problem.given(time_limit=run.remaining, initial=None)
    try:
        bound = left.solve(*bounds)
    except NotSupportedError:
        return found  # too many columns
    return replace(with_bound(found, bound), runtime=found.runtime + bound.runtime)


def _solve_from_start(method: Method, problem: Problem) -> Result:
    """Call a method; its result is never worse than the release to start from."""
    initial = problem.initial
    if initial is None or "initial" in method.options():
        return problem.solve(method)
    result = problem.given(initial=None).solve(method)
    cost = initial.value(problem.table, problem.objective)
    if result.value is not None and cost < result.value:
        return replace(result, best=initial, value=cost)
    return result
