"""Solve by a method, or by those that the rules of ``auto`` choose."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starmin.auto.by_work import expect_counted, solve_by_work
from starmin.auto.certify import certified
from starmin.auto.dispatch import AUTO, expect_options, expect_support, signed
from starmin.auto.easier_problems.deleted_rows import (
    solve_deleting,
    start_deleting,
    with_rows,
)
from starmin.auto.easier_problems.missing_values import solve_with_missing
from starmin.auto.easier_problems.persons import solve_with_persons
from starmin.auto.fewer_stars import with_fewer_stars
from starmin.auto.guard import Search, guarded
from starmin.auto.many_pairs import solve_with_many_pairs
from starmin.auto.nonhomogeneous import solve_nonhomogeneous
from starmin.auto.schedule.contest import search
from starmin.auto.task import Solve, Task
from starmin.auto.within import solve_within
from starmin.instances import (
    Control,
    Mask,
    MissingValues,
    NotSupportedError,
    Partition,
    Persons,
    Problem,
    Requirement,
    Result,
    Run,
)
from starmin.instances.releases.coding import GENERALIZATION, SUPPRESSION
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.requirement import MASK, part_of
from starmin.instances.requirements.within import Within
from starmin.instances.runs.progress import NO_CONTROL
from starmin.registry.methods import find

_RULES = "rule_search"
# Kinds of requirement that are solved by usual problems, or by methods of their own.
_OWN_ROADS: dict[type[Requirement], Callable[[Task, Solve], Result | None]] = {
    DeletedRows: solve_deleting,
    MissingValues: solve_with_missing,
    Persons: solve_with_persons,
    Within: solve_within,
}


def solve_by(
    method: str,
    problem: Problem,
    options: Mapping[str, Any],
    control: Control = NO_CONTROL,
) -> Result[Any]:
    """Solve by a method, or by the first of those that ``auto`` tries.

    ``method`` is a name in the registry, or ``auto``; options are its arguments, by
    name, and None stands for its default. By the recoding of the problem groups are
    searched, or stars by row. ``control`` says who is told of the search, and when it
    ends before its time. An interrupt ends the search, and so do a lack of memory and
    what ``control`` says: what was found until then is returned.

    Raises NotSupportedError where the method does not take the problem or an option,
    which names those that do; and InternalError, which has the release, where a bug
    struck after one was found.
    """
    task = Task(problem, options)
    by_work = options.get("work_limit") is not None
    if by_work:
        expect_counted(task)
    if problem.requirement.space == MASK:
        return solve_rules(method, task, control)
    if problem.rowwise:
        return solve_nonhomogeneous(method, task, control)

    def carry_out(given: Task) -> Result:
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

    found = guarded(Search(method, carry_out, start), task, control)
    if problem.requirement.may_delete:
        return with_rows(found, problem.table.n)
    return found


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
    """Solve by an easier problem, or by the turns of the schedule."""
    expect_options(AUTO, task.options, {"initial", "checkpoint"})
    for kind, solve in _OWN_ROADS.items():
        if part_of(task.requirement, kind) and (found := solve(task, _choose)):
            return found
    if found := solve_with_many_pairs(task):
        return found
    run = task.run()
    if no := run.infeasible():
        return signed(no, AUTO)
    return search(task.given(time_limit=run.remaining))


def solve_rules(method: str, task: Task, control: Control) -> Result[Any]:
    """Find a mask by a method, by default that which also bounds.

    Raises NotSupportedError where the release is published by ranges, nodes or groups,
    or the method takes no rules.
    """
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
    chosen = find(_RULES if method == AUTO else method, "exact", "heuristic")
    expect_support(chosen, task.requirement, task.objective)

    def start(run: Run[Any]) -> None:
        run.offer(Mask.coarsest(task.table, task.requirement, task.objective))

    return guarded(
        Search(method, lambda given: given.solve(chosen), start), task, control
    )
