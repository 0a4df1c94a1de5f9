"""Solve or bound by a method, or by those that the rules of ``auto`` choose.

This is so within units of work, too, by which the same comes out again.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from starmin.auto.contest import search, with_spares
from starmin.auto.dispatch import AUTO, expect_options, expect_support, signed, words
from starmin.auto.easier_problems import (
    bound_reduced,
    solve_deleting,
    solve_easier,
    solve_within,
    with_rows,
)
from starmin.auto.guard import certified, guarded
from starmin.auto.nonhomogeneous import solve_nonhomogeneous
from starmin.auto.schedule import solve_with_many_pairs
from starmin.auto.task import Task
from starmin.instances import (
    Control,
    KAnonymity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Problem,
    Result,
    Run,
    expect_parts,
)
from starmin.instances.releases.coding import GENERALIZATION, SUPPRESSION
from starmin.instances.requirements.requirement import MASK
from starmin.instances.requirements.requirements import known_part
from starmin.instances.runs.cores import limited_to
from starmin.instances.runs.method import Method
from starmin.instances.runs.progress import NO_CONTROL
from starmin.instances.runs.search_control import PER_SECOND, counted, spend
from starmin.registry import METHODS, find, supporting

# Solve within units of work that are counted, so that the same comes out again.
#
# One schedule for all tables, on one core: releases of fast heuristics, the best of
# them improved, a bound. What is done next depends on the table and on the work that
# was done, never on a clock. So the same table, the same options and the same version
# give the same release, byte for byte, for any number of workers.

# Methods whose clock is that of their run alone, and whose loops count what they do.
COUNTED = "pattern_annealing", "local_search", "within_annealing"
_STARTS = "lexicographic_suppression", "gray_order", "mondrian"
_BOUNDS = ("own_pattern",)
_CELL = 5  # units of a cell in a fast heuristic
_BOUND = 0.5  # of the work, for a bound before the search
_ANNEALING = 0.8  # of the work, for the first of those that improve


def solve_by_work(method: str, task: Task) -> Result:
    """Solve a problem within units of work; ``auto`` has a schedule of its own.

    The units are the option ``work_limit`` of the task. Raises NotSupportedError where
    the method ends by the clock: one has to count its work, or to need no limit.
    """
    units = task.options["work_limit"]
    given = task.given(work_limit=None, workers=None, time_limit=units / PER_SECOND)
    with limited_to(1), counted():
        if method == AUTO:
            expect_options(AUTO, given.options, {"initial"})
            found = _scheduled(given)
        else:
            chosen = find(method, "exact", "heuristic")
            if chosen.name not in COUNTED and "time_limit" in chosen.options():
                raise NotSupportedError(
                    f"{chosen.name} ends by the clock and takes no work limit; these "
                    f"do: {AUTO}, {', '.join(COUNTED)}."
                )
            found = given.solve(chosen)
    limit = Limit.WORK if found.limit is Limit.TIME else found.limit
    return replace(found, limit=limit)


def _scheduled(task: Task) -> Result:
    """Carry out the schedule."""
    if found := solve_easier(task, _scheduled, named=True):
        return found
    run, table = task.run(), task.table
    if no := run.infeasible():
        return signed(no, AUTO)
    if not task.takers((*_STARTS, *COUNTED)):
        raise NotSupportedError(
            "auto has no method by work for this problem; name seconds (time limit)."
        )
    run.offer(Partition.coarsest(table, task.objective))
    last, alone = "single_group", task._replace(options={})
    if task.initial is not None:
        run.offer(task.initial)
        last = "initial"
    for method in task.takers(_STARTS):
        if run.remaining > 0 and "time_limit" not in method.options():
            if _offer_found(run, method, alone):
                last = method.name
            spend(_CELL * table.n * table.d)
    if run.remaining > 0 and not run.closed:
        known = known_part(task.requirement)
        easier = alone if known is None else alone.on(requirement=known)
        for bound in easier.takers(_BOUNDS):
            within = easier.given(time_limit=_BOUND * run.remaining)
            _offer_found(run, bound, within)
            spend(_CELL * table.n * table.d)
    for name in COUNTED:
        seconds = run.remaining * (_ANNEALING if name == COUNTED[0] else 1.0)
        for method in task.takers([name]):
            if seconds == 0 or run.closed or _too_wide(name, task):
                continue
            given = alone.given(initial=run.best, time_limit=seconds)
            if _offer_found(run, method, given.given(seed=task.options.get("seed"))):
                last = method.name
    return signed(run.result(Limit.TIME if run.remaining == 0 else None), last)


def _offer_found(run: Run, method: Method, task: Task) -> bool:
    """Offer and learn what a method finds, if any; whether its release is better."""
    before = run.value
    if (found := task.attempt(method)) is None:
        return False
    best = found.best
    # Groups for stars may need nodes above the highest level that is allowed.
    if best and not best.violation(*run.asked):
        run.offer(best)
    run.learn(found)
    return run.value != before


def _too_wide(name: str, task: Task) -> bool:
    """Check whether a method would find its patterns by solvers, which have a clock."""
    if name != COUNTED[0]:
        return False
    from starmin.models.patterns.patterns import is_wide  # numba

    diverse = task.requirement.core.diversity > 1
    types = task.table.sensitive_types if diverse else task.table.row_types
    return is_wide(task.table, types, task.objective, task.seconds)


# Among releases with equally few suppressed tuples, one with fewer stars.

_SECONDS = 5.0  # that the stars are searched for, or as long as the tuples took


def with_fewer_stars(
    found: Result, task: Task, solve: Callable[[Task], Result]
) -> Result:
    """Group the suppressed rows of a release anew, so that they need fewer stars.

    The number of suppressed tuples, the fewest, stays, and so do its bound and its
    certificate. It is a second objective for the rows that are suppressed; others are
    left alone. The objective of the task is tuples, for k-anonymity or l-diversity;
    ``solve`` is given a problem with the objective stars.
    """
    table, best = task.table, found.best
    exact = METHODS["tuple_ilp"].supports(task.requirement, task.objective)
    left = min(max(_SECONDS, found.runtime), task.seconds - found.runtime)
    if best is None or best.rows is not None or not exact or left <= 0:
        return found
    starred = np.asarray(best.starred(table).any(axis=1))
    rows = np.flatnonzero(starred[best.groups])
    if not rows.size:
        return found
    given = {
        "seed": task.options.get("seed"),
        "time_limit": left,
        "initial": Partition.from_labels(best.groups[rows]),
    }
    stars = Objective(keep=task.objective.keep)
    part = Task(Problem(table.take(rows), task.requirement, stars), given)
    try:
        again = solve(part).best
    except (KeyboardInterrupt, MemoryError, NotSupportedError):
        return found  # which is complete without it
    if again is None:
        return found
    groups = best.groups.astype(np.int64)
    groups[rows] = best.size + again.groups
    made = Partition.from_labels(groups)
    value, fewer = made.value(table, task.objective), best.value(table, stars)
    if value > best.value(table, task.objective) or made.value(table, stars) >= fewer:
        return found
    return replace(found, best=made, value=value)


def solve_by(
    method: str,
    problem: Problem,
    options: Mapping[str, Any],
    control: Control = NO_CONTROL,
) -> Result[Any]:
    """Solve by a method, or by the first of those that ``auto`` tries.

    ``method`` is a name in the registry, or ``auto``; options are its arguments, by
    name, and None stands for its default. By the recoding of the problem groups are
    searched, or stars by row. An interrupt ends the search, and so do a lack of memory
    and what ``control`` says: what was found until then is returned.

    Raises NotSupportedError where the method does not take the problem or an option,
    which names those that do; and InternalError, which has the release, where a bug
    struck after one was found.
    """
    task = Task(problem, options)
    by_work = options.get("work_limit") is not None
    by_rules = problem.requirement.space == MASK
    if by_work and (problem.rowwise or by_rules):
        what = "releases by rows" if problem.rowwise else "rules of combinations"
        raise NotSupportedError(f"auto takes no work limit for {what}; name seconds.")
    if by_rules:
        _expect_rules(method, task)
    if problem.rowwise:
        expect_parts(problem.requirement, KAnonymity)

    def carry_out(given: Task) -> Result:
        if by_work:
            return solve_by_work(method, given)
        return certified(_solve(method, given), given)

    found = guarded(method, carry_out, task, control)
    if problem.requirement.may_delete:
        return with_rows(found, problem.table.n)
    return found


def _solve(method: str, task: Task) -> Result[Any]:
    rowwise = task.problem.rowwise
    if method == AUTO and task.requirement.space == MASK:
        method = "rule_search"
    if method == AUTO and rowwise:
        return solve_nonhomogeneous(task, partial(best_bound, AUTO))
    if method == AUTO:
        found = _choose(task)
        if task.objective.once:
            found = with_fewer_stars(found, task, _choose)
        return found
    chosen = find(method, "exact", "heuristic")
    if not rowwise and not chosen.supports(task.requirement, task.objective):
        usual = partial(_solve, method)
        if counted := solve_easier(task, usual, named=True):
            return counted
    expect_support(chosen, task.requirement, task.objective, task.problem.bounded)
    return task.solve(chosen)


def _choose(task: Task) -> Result:
    """Solve by an easier problem, or by the turns of the schedule."""
    expect_options(AUTO, task.options, {"initial", "checkpoint"})
    if found := solve_deleting(task, _choose) or solve_within(task):
        return found
    if found := solve_easier(task, _choose) or solve_with_many_pairs(task):
        return found
    if found := solve_easier(task, _choose, search):
        return found
    run = task.run()
    if no := run.infeasible():
        return signed(no, AUTO)
    return search(task.given(time_limit=run.remaining))


def _expect_rules(method: str, task: Task) -> None:
    """Raise NotSupportedError where a mask would be published by ranges or groups."""
    recoding = task.problem.coding.recoding or SUPPRESSION
    by_node = task.objective.by_node
    if recoding not in (SUPPRESSION, GENERALIZATION):
        raise NotSupportedError(
            "Rules over combinations are published by suppression or generalization, "
            f"not {recoding}."
        )
    if by_node != (recoding == GENERALIZATION):
        raise NotSupportedError(
            "Rules over combinations minimise stars or tuples by suppression, and gcp "
            f"by generalization; got {task.objective.kind} by {recoding}."
        )
    if method == AUTO:
        expect_options(AUTO, task.options, set())


# A lower bound: by one method, or the best of all that take the problem.


def bound_by(
    method: str,
    problem: Problem,
    options: Mapping[str, Any],
    control: Control = NO_CONTROL,
) -> Result[Any]:
    """Compute the lower bound of a method, or the best of all that take the problem.

    It holds for all releases that publish groups, or for all with stars by row.
    ``method`` is a name in the registry, or ``auto``; options are its arguments, by
    name. Raises NotSupportedError where the method does not take the problem, or none
    does; and InternalError where the checker refuses the certificate.
    """
    bound, task = partial(best_bound, method), Task(problem, options)
    return guarded(method, bound, task, control, bounds=True)


def best_bound(method: str, task: Task) -> Result[Any]:
    """Return what a method bounds, or the best of all, as it is: its proof unchecked.

    ``method`` is a name in the registry, or ``auto`` for the best of all.
    """
    if found := bound_reduced(task, partial(best_bound, method)):
        return found
    requirement, objective = task.requirement, task.objective
    recoding = task.problem.bounded
    if method != AUTO:
        chosen = find(method, "bound")
        expect_support(chosen, requirement, objective, recoding)
        return task.solve(chosen)
    run, results = task.run(), list[Result[Any]]()
    for candidate in supporting(
        requirement, objective, "bound", recoding=recoding, own=True
    ):
        if results and run.remaining == 0:
            break
        result = task.given(time_limit=run.remaining).attempt(candidate)
        results += [result] if result is not None else []
    if not results:
        asked = words(requirement)
        raise NotSupportedError(f"No bound takes {asked} with {objective.kind}.")
    best = max(results, key=lambda one: one.lower_bound or -1)
    return with_spares(replace(best, runtime=run.elapsed), results)
