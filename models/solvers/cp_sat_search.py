"""CP-SAT as starmin runs it, in a thread whose finds the run's own thread takes."""

import math
from abc import abstractmethod
from queue import SimpleQueue
from typing import Any

from ortools.sat.python import cp_model

from starmin.instances import Limit, Run
from starmin.instances.runs.background_call import BackgroundCall
from starmin.instances.runs.search_control import stopping
from starmin.models.solvers.program import integer_bound

MOST_SUM = 2**61  # The largest sum of all costs at the upper bounds of their variables.


def new_solver(time_limit: float = math.inf, seed: int = 0) -> cp_model.CpSolver:
    """Return CP-SAT as all of starmin runs it.

    With one worker, so that a run repeats, and without the step of presolve that
    looks for constraints within others: by an open report OR-tools 9.15 cuts off the
    optimum there and proves a worse one (github.com/google/or-tools/issues/5293).
    Interrupts are Python's: OR-tools would leave them with no handler at all, and the
    next one would end the process.
    """
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.presolve_inclusion_work_limit = 0
    solver.parameters.catch_sigint_signal = False
    if math.isfinite(time_limit):
        solver.parameters.max_time_in_seconds = max(time_limit, 0.0)
    return solver


class Watcher(cp_model.CpSolverSolutionCallback):
    """Keeps solutions and bounds until the thread that heard of the run asks.

    Releases that the model leaves out cost ``ceiling`` at least; None where it leaves
    out none.
    """

    def __init__(self, ceiling: int | None = None) -> None:
        super().__init__()
        self.ceiling = ceiling
        self.bounds: SimpleQueue[float] = SimpleQueue()
        self.releases: SimpleQueue[Any] = SimpleQueue()

    @abstractmethod
    def release(self) -> Any:
        """Return the release of the solution that was just found."""

    def on_solution_callback(self) -> None:
        """Keep a solution: the solver calls this."""
        self.releases.put(self.release())

    def report(self, run: Run[Any], method: str) -> None:
        """Offer to the run the releases, and note the bounds, that are new."""
        while not self.releases.empty():
            run.offer(self.releases.get())
        while not self.bounds.empty():
            bound = self.bounds.get()
            if math.isfinite(bound):
                run.raise_bound(self.below(integer_bound(bound)), method)

    def below(self, bound: int) -> int:
        """Return what a bound of the model says of all releases."""
        return bound if self.ceiling is None else min(bound, self.ceiling)


def search(
    model: cp_model.CpModel,
    run: Run[Any],
    watcher: Watcher,
    method: str,
    seed: int,
    seconds: float = math.inf,
) -> Limit | None:
    """Search until the optimum is proven or the time is up.

    Returns why the search stopped, where the gap is not closed. The run learns the
    releases, which ``watcher`` makes of the solutions, and the bounds, for which
    ``method`` is named. It may take ``seconds``, where that is less than the run has
    left.
    """
    solver = new_solver(min(seconds, run.remaining), seed)
    solver.best_bound_callback = watcher.bounds.put
    ended: list[Any] = []
    call = BackgroundCall(
        lambda: ended.append(solver.solve(model, watcher)), solver.stop_search
    )
    limit = Limit.TIME
    while call.running:
        try:
            call.wait(0.05)
            watcher.report(run, method)
            if stopping():
                solver.stop_search()
        except KeyboardInterrupt:
            limit = Limit.INTERRUPTED
            solver.stop_search()
    if call.error is not None:
        raise call.error
    watcher.bounds.put(solver.best_objective_bound)
    watcher.report(run, method)
    if ended == [cp_model.OPTIMAL] and run.value is not None:
        run.raise_bound(watcher.below(run.value), method)
    if ended == [cp_model.INFEASIBLE] and watcher.ceiling is not None:
        run.raise_bound(watcher.ceiling, method)
    return limit
