"""The methods of the accuracy-constrained problem, by name, and their calls."""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, TypeAlias

from starmin.auto.dispatch import AUTO, ignored
from starmin.heuristics.accuracy_constrained.max_privacy import MaxPrivacyResult
from starmin.instances import (
    Limit,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Table,
)
from starmin.instances.arguments import nearest
from starmin.registry.methods import load

Solver: TypeAlias = Callable[..., MaxPrivacyResult]


def _algorithm(name: str) -> Solver:
    """Import an algorithm when it is called: the command line starts without it."""
    module = import_module(f"starmin.heuristics.accuracy_constrained.{name}")
    function: Solver = getattr(module, name)
    return function


def _ac(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    return _algorithm("accuracy_constrained")(
        table, max_loss, objective=objective, seed=seed, time_limit=time_limit
    )


def _ac_line(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    return _algorithm("accuracy_constrained")(
        table,
        max_loss,
        objective=objective,
        by_loss=False,
        seed=seed,
        time_limit=time_limit,
    )


def _iterate_line(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    def direct(table: Table, asked: Requirement, objective: Objective) -> Result:
        return load("hilbert_fast")(table, asked, objective=objective, seed=seed)

    return _algorithm("iterative_direct")(
        table, max_loss, direct, objective=objective, time_limit=time_limit
    )


def _iterate_mondrian(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    def direct(table: Table, asked: Requirement, objective: Objective) -> Result:
        return load("mondrian")(table, asked, objective=objective)

    return _algorithm("iterative_direct")(
        table,
        max_loss,
        direct,
        objective=objective,
        whole=False,
        time_limit=time_limit,
    )


def _k(
    table: Table, max_loss: float, *, objective: Objective, seed: int = 0
) -> MaxPrivacyResult:
    return _algorithm("bounded_k")(table, max_loss, objective=objective, seed=seed)


ACCURACY_CONSTRAINED_METHODS: dict[str, Solver] = {
    "ac": _ac,
    "ac-line": _ac_line,
    "ipcsd-1d": _iterate_line,
    "ipcsd-mondrian": _iterate_mondrian,
    "k": _k,
}


def solve_accuracy_constrained(
    method: str,
    table: Table,
    max_loss: float,
    objective: Objective,
    options: Mapping[str, Any],
) -> MaxPrivacyResult:
    """Find groups with the most privacy of which none loses more than a bound.

    Parameters
    ----------
    method
        One of ``ACCURACY_CONSTRAINED_METHODS``, as ``name_of`` returns it.
    table
        With one sensitive column, or without any for the largest k.
    max_loss
        The bound, a share of what a group can lose: 0 to 1.
    objective
        GCP, with weights, columns to keep and scales.
    options
        ``seed`` and ``time_limit`` in seconds, of which the method is given those that
        it takes; None stands for its default.

    Raises
    ------
    NotSupportedError
        The method does not take the table.
    """
    solver = ACCURACY_CONSTRAINED_METHODS[method]
    takes = _options(solver)
    given = {k: v for k, v in options.items() if v is not None and k in takes}
    return solver(table, max_loss, objective=objective, **given)


def ignored_by_name(method: str, options: Mapping[str, Any]) -> str:
    """Say what a method ignores of the options; nothing of ``auto``, which chooses."""
    if method == AUTO:
        return ""
    return ignored(method, options, _options(ACCURACY_CONSTRAINED_METHODS[method]))


def _options(solver: Solver) -> frozenset[str]:
    return frozenset(inspect.signature(solver).parameters)


def groups_at_once(
    table: Table, max_loss: float, objective: Objective
) -> MaxPrivacyResult:
    """Make groups within the bound in no time: along sorted rows, none of which moves.

    A search that was interrupted before it had found any falls back on them.

    Raises
    ------
    NotSupportedError
        Several sensitive columns.
    """
    from starmin.heuristics.mappings import Lexicographic  # only a search needs it

    given: dict[str, Any] = {"objective": objective, "mapping": Lexicographic()}
    if table.sensitive:
        given["time_limit"] = 0.0
    solver = _algorithm("accuracy_constrained" if table.sensitive else "bounded_k")
    return replace(solver(table, max_loss, **given), limit=Limit.INTERRUPTED)


def name_of(method: str, table: Table) -> str:
    """Choose the method to run: the named one, or by the table for ``auto``.

    Raises
    ------
    NotSupportedError
        There is no method of this name.
    """
    if method == AUTO:
        return "ac" if table.sensitive else "k"
    if method not in ACCURACY_CONSTRAINED_METHODS:
        names = [*ACCURACY_CONSTRAINED_METHODS, AUTO]
        raise NotSupportedError(
            "Expected a method of the accuracy-constrained problem, "
            f"got {method!r}{nearest(method, names)}; these are: {', '.join(names)}."
        )
    return method
