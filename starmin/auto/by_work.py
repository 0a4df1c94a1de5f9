"""Solve within units of work that are counted, so that the same comes out again.

One schedule for all tables, on one core: releases of fast heuristics, the best of them
improved, a bound. What is done next depends on the table and on the work that was done,
never on a clock. So the same table, the same options and the same version give the same
release, byte for byte, for any number of workers.
"""

from dataclasses import replace
from functools import partial

from starmin.auto.dispatch import AUTO, expect_options, signed
from starmin.auto.easier_problems.missing_values import learn
from starmin.auto.easier_problems.persons import solve_with_persons
from starmin.auto.task import Task
from starmin.instances import Limit, NotSupportedError, Partition, Result, Run
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.cores import limited_to
from starmin.instances.runs.method import Method
from starmin.instances.runs.search_control import PER_SECOND, counted, spend
from starmin.registry.methods import find

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


def expect_counted(task: Task) -> None:
    """Raise NotSupportedError where no schedule by work is for the problem."""
    if task.problem.rowwise or task.requirement.space == MASK:
        what = "releases by rows" if task.problem.rowwise else "rules of combinations"
        raise NotSupportedError(f"auto takes no work limit for {what}; name seconds.")


def _scheduled(task: Task) -> Result:
    """Carry out the schedule."""
    counting_persons = partial(solve_with_persons, exactly=False)
    if found := counting_persons(task, _scheduled):
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
            before = run.value
            _offer_found(run, method, alone)
            spend(_CELL * table.n * table.d)
            last = method.name if run.value != before else last
    if run.remaining > 0 and not run.closed:
        for bound in task.takers(_BOUNDS):
            within = alone.given(time_limit=_BOUND * run.remaining)
            found = _offer_found(run, bound, within)
            if found is not None:
                learn(run, found)
            spend(_CELL * table.n * table.d)
    for name in COUNTED:
        seconds = run.remaining * (_ANNEALING if name == COUNTED[0] else 1.0)
        for method in task.takers([name]):
            if seconds == 0 or run.closed or _too_wide(name, task):
                continue
            before = run.value
            given = {"initial": run.best, "time_limit": seconds}
            given["seed"] = task.options.get("seed")
            found = _offer_found(run, method, alone.given(**given))
            if found is not None:
                run.learn(found)
            last = method.name if run.value != before else last
    return signed(run.result(Limit.TIME if run.remaining == 0 else None), last)


def _offer_found(run: Run, method: Method, task: Task) -> Result | None:
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


def _too_wide(name: str, task: Task) -> bool:
    """Check whether a method would find its patterns by solvers, which have a clock."""
    if name != COUNTED[0]:
        return False
    from starmin.models.patterns.patterns import is_wide  # numba

    diverse = task.requirement.core.diversity > 1
    types = task.table.sensitive_types if diverse else task.table.row_types
    return is_wide(task.table, types, task.objective, task.seconds)
