"""Compute a lower bound: by one method, or the best of all that take the problem."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from starmin.auto.dispatch import AUTO, expect_support, words
from starmin.auto.easier_problems import bound_reduced
from starmin.auto.guard import guarded
from starmin.auto.task import Task
from starmin.instances import Control, NotSupportedError, Problem, Result
from starmin.instances.runs.progress import NO_CONTROL
from starmin.registry import find, supporting


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
    run = task.run()
    best: Result[Any] | None = None
    for candidate in supporting(
        requirement, objective, "bound", recoding=recoding, own=True
    ):
        if best is not None and run.remaining == 0:
            break
        result = task.given(time_limit=run.remaining).attempt(candidate)
        if result is None:
            continue
        if best is None or (result.lower_bound or -1) > (best.lower_bound or -1):
            best = result
    if best is None:
        asked = words(requirement)
        raise NotSupportedError(f"No bound takes {asked} with {objective.kind}.")
    return replace(best, runtime=run.elapsed)
