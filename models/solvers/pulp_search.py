"""Solve a program of PuLP by any solver that is installed."""

import math
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import highspy
import pulp

from starmin.instances import Limit, NotSupportedError, Run
from starmin.instances.runs.background_call import BackgroundCall
from starmin.instances.runs.search_control import stopping
from starmin.models.solvers.linear_solver import stray_lines_away
from starmin.models.solvers.program import note_bound

_HIGHS = "HiGHS"
_PAUSE = 0.1  # seconds
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

    Returns why the search stopped, None if it proved the optimum.

    Parameters
    ----------
    run, problem, name, method
        It learns the bound, as proved by ``method``; the program, and its solver as
        PuLP knows it.
    offer
        It is called if there is a solution, and offers its release to the run.
    """
    seconds = run.remaining
    options = {"timeLimit": seconds} if math.isfinite(seconds) else {}
    stop = Event()
    if name == _HIGHS:
        options |= {"threads": 1, **_watched(stop)}
    solver: Any = pulp.getSolver(name, msg=False, gapRel=0.0, **options)

    def work() -> None:
        with stray_lines_away():
            problem.solve(solver)

    call = BackgroundCall(work, stop.set)
    limit = Limit.TIME
    while call.running:
        try:
            call.wait(_PAUSE)
            if stopping():
                limit = Limit.INTERRUPTED
        except KeyboardInterrupt:
            limit = Limit.INTERRUPTED
        if limit is Limit.INTERRUPTED:
            stop.set()
            _end_children(call)
    if limit is Limit.INTERRUPTED:
        return limit
    if call.error is not None:
        raise call.error
    status = problem.sol_status
    if status in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible):
        offer()
    note_bound(run, _proven_bound(problem), method)
    return None if status == pulp.LpSolutionOptimal else Limit.TIME


def _watched(stop: Event) -> dict[str, Any]:
    """Return the options of PuLP's HiGHS by which it asks whether it is to stop."""

    def ask(kind: Any, message: str, out: Any, given: Any, user: Any) -> None:
        given.user_interrupt = stop.is_set()

    kinds = highspy.cb.HighsCallbackType
    asked = [kinds.kCallbackMipInterrupt, kinds.kCallbackSimplexInterrupt]
    return {"callbackTuple": (ask, None), "callbacksToActivate": asked}


def _end_children(call: BackgroundCall) -> None:
    """End the programs that a call has started and waits for; Linux lists them."""
    listed = Path(f"/proc/self/task/{call.native_id}/children")
    with suppress(OSError):
        for number in listed.read_text().split():
            os.kill(int(number), signal.SIGTERM)


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
