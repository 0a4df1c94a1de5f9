"""Methods of the accuracy-constrained problem, as its command calls them."""

import math

from starmin.heuristics.accuracy_constrained.accuracy_constrained import (
    accuracy_constrained,
    bounded_k,
)
from starmin.heuristics.accuracy_constrained.iterative_direct import iterative_direct
from starmin.heuristics.accuracy_constrained.max_privacy import MaxPrivacyResult
from starmin.instances import Objective, Requirement, Result, Table


def ac(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Grow groups along the Hilbert curve, by what they lose; see the function."""
    return accuracy_constrained(
        table, max_loss, objective=objective, seed=seed, time_limit=time_limit
    )


def ac_line(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Grow groups along the Hilbert curve, by places on it."""
    return accuracy_constrained(
        table,
        max_loss,
        objective=objective,
        by_loss=False,
        seed=seed,
        time_limit=time_limit,
    )


def ipcsd_1d(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Ask ``hilbert_fast`` for more and more privacy, by bisection."""
    from starmin.heuristics.orders.along_curves import hilbert_fast

    def direct(table: Table, asked: Requirement, objective: Objective) -> Result:
        return hilbert_fast(table, asked, objective=objective, seed=seed)

    return iterative_direct(
        table, max_loss, direct, objective=objective, time_limit=time_limit
    )


def ipcsd_mondrian(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Ask ``mondrian`` for more and more privacy, by bisection."""
    from starmin.heuristics.recoding.mondrian import mondrian

    def direct(table: Table, asked: Requirement, objective: Objective) -> Result:
        return mondrian(table, asked, objective=objective)

    return iterative_direct(
        table,
        max_loss,
        direct,
        objective=objective,
        whole=False,
        time_limit=time_limit,
    )


def k(
    table: Table, max_loss: float, *, objective: Objective, seed: int = 0
) -> MaxPrivacyResult:
    """Find the largest k along a line, where no column is sensitive."""
    return bounded_k(table, max_loss, objective=objective, seed=seed)
