"""CP-SAT in a thread of its own, whose finds the run's own thread takes."""

import math
import threading
from abc import abstractmethod
from queue import SimpleQueue
from typing import Any

from ortools.sat.python import cp_model

from instances import Limit, Run


class Watcher(cp_model.CpSolverSolutionCallback):
    """Keeps solutions and bounds until the thread that heard of the run asks."""

    def __init__(self) -> None:
        super().__init__()
        self.bounds: SimpleQueue[float] = SimpleQueue()
        self.releases: SimpleQueue[Any] = SimpleQueue()

    @abstractmethod
    def release(self) -> Any:
        """What the solution that was just found stands for."""

    def on_solution_callback(self) -> None:
        """Called by the solver."""
        self.releases.put(self.release())

    def report(self, run: Run[Any], method: str) -> None:
        """Tell the run what is new."""
        while not self.releases.empty():
            run.offer(self.releases.get())
        while not self.bounds.empty():
            bound = self.bounds.get()
            if math.isfinite(bound):
                run.raise_bound(math.ceil(bound - 1e-6), method)


def search(
    model: cp_model.CpModel, run: Run[Any], watcher: Watcher, method: str, seed: int
) -> Limit | None:
    """Search until it is proven or stopped; offer to the run what is found."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.catch_sigint_signal = False
    if math.isfinite(run.remaining):
        solver.parameters.max_time_in_seconds = run.remaining
    solver.best_bound_callback = watcher.bounds.put
    thread = threading.Thread(target=solver.solve, args=(model, watcher))
    limit = Limit.TIME
    thread.start()
    while thread.is_alive():
        try:
            thread.join(0.05)
            watcher.report(run, method)
        except KeyboardInterrupt:
            limit = Limit.INTERRUPTED
            solver.stop_search()
    watcher.bounds.put(solver.best_objective_bound)
    watcher.report(run, method)
    return limit
