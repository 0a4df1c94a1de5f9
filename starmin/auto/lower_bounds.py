"""Compute a lower bound: by one method, or the best of all that take the problem."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from starmin.auto.dispatch import (
    AUTO,
    expect_support,
    words,
)
from starmin.auto.guard import Search, guarded
from starmin.auto.missing_values import bound_with_missing
from starmin.auto.problem import Problem
from starmin.instances import (
    Control,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Table,
)
from starmin.instances.runs.progress import NO_CONTROL
from starmin.registry.methods import find, supporting


def bound_by(
    method: str,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
    recoding: str = "suppression",
    control: Control = NO_CONTROL,
) -> Result[Any]:
    """Compute the lower bound of a method, or the best of all that take the problem.

    It holds for all releases of a recoding; that for suppression holds for all that
    publish groups.

    Parameters
    ----------
    method
        A name in the registry, or ``auto``.
    table, requirement, objective
        The problem.
    options
        Arguments of the method, by name; None stands for its default.
    recoding
        How the releases are published that it holds for.
    control
        Who is told of the search, and when it ends before its time.

    Raises
    ------
    NotSupportedError
        The method does not take the problem, or none does.
    InternalError
        The checker refuses the certificate.
    """
    objective.check(table)
    problem = Problem(table, requirement, objective, options)

    def search(given: Problem) -> Result[Any]:
        return best_bound(method, given, recoding)

    return guarded(Search(method, search, recoding=recoding), problem, control)


def best_bound(method: str, problem: Problem, recoding: str) -> Result[Any]:
    """Return what a method bounds, or the best of all, as it is: its proof unchecked.

    Parameters
    ----------
    method, recoding
        As for ``bound_by``.
    problem
        With the options of the methods.
    """
    usual = partial(best_bound, method, recoding=recoding)
    if found := bound_with_missing(problem, usual):
        return found
    _, requirement, objective, _ = problem
    if method != AUTO:
        chosen = find(method, "bound")
        expect_support(chosen, requirement, objective, recoding)
        return problem.solve(chosen)
    run = problem.run()
    best: Result[Any] | None = None
    for candidate in supporting(requirement, objective, "bound", recoding=recoding):
        if best is not None and run.remaining == 0:
            break
        try:
            result = problem.given(time_limit=run.remaining).solve(candidate)
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
        if best is None or (result.lower_bound or -1) > (best.lower_bound or -1):
            best = result
    if best is None:
        asked = words(requirement)
        raise NotSupportedError(f"No bound takes {asked} with {objective.kind}.")
    return replace(best, runtime=run.elapsed)
