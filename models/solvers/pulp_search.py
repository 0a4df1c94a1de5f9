"""Solve a program of PuLP by any solver that is installed."""

import math
import threading
from collections.abc import Callable
from typing import Any

import pulp

from instances import Limit, NotSupportedError, Run
from models.solvers.bound import note_bound

_ALIASES = {"CBC": ("COIN_CMD", "PULP_CBC_CMD")}


def installed_solver(solver: str) -> str:
    """Return the name under which PuLP knows an installed solver."""
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
    """Solve a program of PuLP in the time that is left.

    Parameters
    ----------
    run
        It learns the bound, as proved by ``method``.
    problem
        The program.
    name
        The solver, as PuLP knows it.
    method
        The method that is named for the bound.
    offer
        It is called if there is a solution, and offers its release to the run.

    Returns
    -------
    Why the search stopped, None if it proved the optimum.
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
    """Return the bound that the solver proved; each solver keeps it elsewhere."""
    if problem.sol_status == pulp.LpSolutionOptimal:
        # CBC does not report variables that it needs not.
        terms = problem.objective.items()
        return float(sum(weight * (u.value() or 0.0) for u, weight in terms))
    model: Any = getattr(problem, "solverModel", None)
    if hasattr(model, "getInfo"):
        return float(model.getInfo().mip_dual_bound)
    return float(getattr(model, "ObjBound", -math.inf))
