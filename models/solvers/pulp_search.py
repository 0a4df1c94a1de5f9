"""The search for the optimum of a program of pulp, by any solver that is installed."""

import math
import threading
from collections.abc import Callable
from typing import Any

import pulp

from instances import Limit, NotSupportedError, Run
from models.solvers.bound import note_bound

_ALIASES = {"CBC": ("COIN_CMD", "PULP_CBC_CMD")}


def installed_solver(solver: str) -> str:
    """The name under which pulp knows an installed solver."""
    known: list[str] = pulp.listSolvers(onlyAvailable=True)
    names: tuple[str, ...] = (solver, *_ALIASES.get(solver, ()))
    for name in names:
        if name in known:
            return name
    raise NotSupportedError(
        f"Expected an installed solver ({', '.join(known)}), got {solver!r}."
    )


def pulp_search(
    run: Run[Any],
    problem: pulp.LpProblem,
    name: str,
    method: str,
    offer: Callable[[], None],
) -> Limit | None:
    """Run a solver for the time that is left; its bound is noted.

    Parameters
    ----------
    run
        It learns the bound, as proved by ``method``.
    problem
        The program.
    name
        Of the solver, as pulp knows it.
    offer
        Called if there is a solution, to offer the release that it is.
    """
    seconds = run.remaining
    options = {"timeLimit": seconds} if math.isfinite(seconds) else {}
    solver: Any = pulp.getSolver(name, msg=False, gapRel=0.0, **options)
    search = threading.Thread(target=problem.solve, args=(solver,), daemon=True)
    search.start()
    try:
        while search.is_alive():
            search.join(0.1)
    except KeyboardInterrupt:
        return Limit.INTERRUPTED
    status = problem.sol_status
    if status in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible):
        offer()
    note_bound(run, _proven_bound(problem), method)
    return None if status == pulp.LpSolutionOptimal else Limit.TIME


def _proven_bound(problem: pulp.LpProblem) -> float:
    """What the solver proved; it depends on the solver where to read it."""
    if problem.sol_status == pulp.LpSolutionOptimal:
        # CBC does not report variables that it needs not.
        terms = problem.objective.items()
        return float(sum(weight * (u.value() or 0.0) for u, weight in terms))
    model: Any = getattr(problem, "solverModel", None)
    if hasattr(model, "getInfo"):
        return float(model.getInfo().mip_dual_bound)
    return float(getattr(model, "ObjBound", -math.inf))
