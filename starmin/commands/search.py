"""One search within the time limit of a whole command."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starmin.auto.choice import solve_by
from starmin.auto.dispatch import AUTO
from starmin.auto.lower_bounds import bound_by
from starmin.auto.rules import RULES
from starmin.auto.two_anonymity import with_bound
from starmin.instances import Control, NotSupportedError, Problem, Result
from starmin.instances.releases.coding import GENERALIZATION
from starmin.instances.runs.progress import NO_CONTROL
from starmin.process import clock
from starmin.process.faults import InternalError
from starmin.process.steps import Steps


def search(
    problem: Problem,
    method: str,
    time_limit: float | None,
    options: Mapping[str, Any],
    steps: Steps,
    cells: int = 0,
    control: Control = NO_CONTROL,
) -> Result[Any]:
    """Solve, with what is left of the time limit when writing is deducted.

    Parameters
    ----------
    problem
        The table, with what is asked of its release.
    method
        A name in the registry, or ``auto``.
    time_limit
        Seconds of the whole command; None for the default of the method.
    options
        Arguments of the method, by name; None stands for its default.
    steps
        Is told where a bug ended the search; then what it had found is returned.
    cells
        How many are gone through after the search: to write them, to report on them.
    control
        Who is told of the search, and when it ends before its time.
    """
    left = clock.left(_limit(method, time_limit), cells)
    try:
        return solve_by(method, problem, {**options, "time_limit": left}, control)
    except InternalError as error:
        steps.fail(str(error))
        found: Result[Any] = error.result
        return found


def search_bound(
    problem: Problem,
    method: str,
    time_limit: float | None,
    options: Mapping[str, Any],
    control: Control = NO_CONTROL,
) -> Result[Any]:
    """Bound from below, with what is left of the time limit.

    Parameters
    ----------
    problem
        The table, with what is asked of its release.
    method
        A name in the registry, or ``auto``.
    time_limit
        Seconds of the whole command; None for the default of the method.
    options
        Arguments of the method, by name; None stands for its default.
    control
        Who is told of the search, and when it ends before its time.
    """
    left = clock.left(_limit(method, time_limit))
    return bound_by(method, problem, {**options, "time_limit": left}, control)


def certify(
    problem: Problem, found: Result[Any], time_limit: float | None
) -> Result[Any]:
    """Add a certificate to a result, if a bound that gives one takes the problem."""
    if found.certificate is not None or found.reason is not None:
        return found
    if problem.coding.recoding == GENERALIZATION and not problem.published_as_counted:
        return found
    try:
        bound = search_bound(problem, AUTO, time_limit, {})
    except NotSupportedError:
        return found
    return replace(
        with_bound(found, bound),
        certificate=bound.certificate,
        certificate_checked=bound.certificate_checked,
    )


def _limit(method: str, time_limit: float | None) -> float:
    if time_limit is not None:
        return time_limit
    return RULES.time_limit if method == AUTO else math.inf
