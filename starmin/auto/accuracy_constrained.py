"""The methods of the accuracy-constrained problem, by name."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from heuristics.accuracy_constrained.problem import MaxPrivacyResult
from instances import (
    Limit,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Table,
)
from instances.arguments import nearest

Solver: TypeAlias = Callable[[Table, float, Objective, int, float], MaxPrivacyResult]

AUTO = "auto"


def _ac(
    table: Table, most: float, objective: Objective, seed: int, limit: float
) -> MaxPrivacyResult:
    from heuristics.accuracy_constrained.accuracy_constrained import (
        accuracy_constrained,
    )

    return accuracy_constrained(
        table, most, objective=objective, seed=seed, time_limit=limit
    )


def _ac_line(
    table: Table, most: float, objective: Objective, seed: int, limit: float
) -> MaxPrivacyResult:
    from heuristics.accuracy_constrained.accuracy_constrained import (
        accuracy_constrained,
    )

    return accuracy_constrained(
        table, most, objective=objective, by_loss=False, seed=seed, time_limit=limit
    )


def _iterate_line(
    table: Table, most: float, objective: Objective, seed: int, limit: float
) -> MaxPrivacyResult:
    from heuristics.accuracy_constrained.iterative_direct import iterative_direct
    from heuristics.orders.hilbert_fast import hilbert_fast

    def direct(table: Table, asked: Requirement, objective: Objective) -> Result:
        return hilbert_fast(table, asked, objective=objective, seed=seed)

    return iterative_direct(table, most, direct, objective=objective, time_limit=limit)


def _iterate_mondrian(
    table: Table, most: float, objective: Objective, seed: int, limit: float
) -> MaxPrivacyResult:
    from heuristics.accuracy_constrained.iterative_direct import iterative_direct
    from heuristics.recoding.mondrian import mondrian

    def direct(table: Table, asked: Requirement, objective: Objective) -> Result:
        return mondrian(table, asked, objective=objective)

    return iterative_direct(
        table, most, direct, objective=objective, whole=False, time_limit=limit
    )


def _k(
    table: Table, most: float, objective: Objective, seed: int, limit: float
) -> MaxPrivacyResult:
    from heuristics.accuracy_constrained.bounded_k import bounded_k

    return bounded_k(table, most, objective=objective, seed=seed)


DUAL_METHODS: dict[str, Solver] = {
    "ac": _ac,
    "ac-line": _ac_line,
    "ipcsd-1d": _iterate_line,
    "ipcsd-mondrian": _iterate_mondrian,
    "k": _k,
}


def groups_at_once(
    table: Table, max_loss: float, objective: Objective
) -> MaxPrivacyResult:
    """Groups within the bound in no time: along sorted rows, none of which moves.

    For those whose search was interrupted before it had found any.

    Raises
    ------
    NotSupportedError
        Several sensitive columns.
    """
    from heuristics.accuracy_constrained.accuracy_constrained import (
        accuracy_constrained,
    )
    from heuristics.accuracy_constrained.bounded_k import bounded_k
    from heuristics.mappings import Lexicographic

    line = Lexicographic()
    if table.sensitive:
        found = accuracy_constrained(
            table, max_loss, objective=objective, mapping=line, time_limit=0.0
        )
    else:
        found = bounded_k(table, max_loss, objective=objective, mapping=line)
    return replace(found, limit=Limit.INTERRUPTED)


def name_of(method: str, table: Table) -> str:
    """The method to run, where ``auto`` is one of them.

    Raises
    ------
    NotSupportedError
        There is no method of this name.
    """
    if method == AUTO:
        return "ac" if table.sensitive else "k"
    if method not in DUAL_METHODS:
        known = ", ".join(DUAL_METHODS)
        raise NotSupportedError(
            f"Expected an accuracy-constrained method, got {method!r}"
            f"{nearest(method, DUAL_METHODS)}; "
            f"these are: {known}, {AUTO}."
        )
    return method
