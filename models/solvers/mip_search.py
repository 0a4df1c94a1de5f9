"""Branch and bound of HiGHS in a thread, whose finds the caller's thread takes."""

import math
import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import highspy
import numpy as np

from starmin.instances.arrays import Floats
from starmin.instances.runs.stop import stopping
from starmin.instances.runs.workers.cores import give_way
from starmin.models.solvers.highs import GRACE, HighsCall, limit_time, load, shift_of
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.program import Program

# To prove a small program closer than by this share of its cost is not worth the time.
_CLOSE = 1e-5
_INTEGRAL = 1e-5  # A value so near to a whole number is one.
_FIXED_LIMIT = 5.0  # Seconds for the flow that is left when the integers are fixed.
# So long for each entry of a large matrix presolve may not look up, on a busy machine:
# where there is less time, it is left out.
_MANY, _SECONDS_PER_ENTRY = 300_000, 2e-5
_MIP_CHECK = highspy.cb.HighsCallbackType.kCallbackMipInterrupt


class MipSearch:
    """A branch and bound that runs in a thread of its own.

    Improving solutions wait in a queue until ``solutions`` hands them out, so that the
    caller's thread, which also hears of Ctrl-C, does all the work on them.

    ``time_limit`` is in seconds, ``start`` is a solution to start from, and ``effort``
    is the share of the work that goes into heuristics (HiGHS: 0.05). The search ends
    where value and bound are as near as ``absolute_gap``; 0.999 for integer costs.
    """

    def __init__(
        self,
        program: Program,
        time_limit: float,
        start: Floats | None = None,
        effort: float = 0.05,
        seed: int = 0,
        absolute_gap: float = 0.999,
    ) -> None:
        self._unit = 2.0 ** shift_of(program)  # HiGHS sees costs divided by this
        smaller = replace(program, cost=program.cost / self._unit)
        self._highs = load(smaller, integer=True)
        self._stop = threading.Event()
        self._found: queue.SimpleQueue[Floats] = queue.SimpleQueue()
        self._ended = False
        self.bound = -math.inf
        for option, value in (
            ("mip_rel_gap", 0.0),
            ("mip_abs_gap", absolute_gap / self._unit),
            ("mip_heuristic_effort", effort),
            ("random_seed", seed),
        ):
            self._highs.setOptionValue(option, value)
        entries = self._highs.getNumNz()
        if entries > _MANY and time_limit < _SECONDS_PER_ENTRY * entries:
            self._highs.setOptionValue("presolve", "off")
        limit_time(self._highs, time_limit)
        if start is not None:
            solution = highspy.HighsSolution()
            solution.col_value = list(start)
            self._highs.setSolution(solution)
        self._highs.cbMipImprovingSolution.subscribe(self._on_solution)
        self._highs.cbMipInterrupt.subscribe(self._on_check)
        self._highs.cbSimplexInterrupt.subscribe(self._on_check)
        self._call = HighsCall(self._highs, self._stop.set)

    def _on_solution(self, event: Any) -> None:
        self._found.put(np.array(event.data_out.mip_solution))

    def _on_check(self, event: Any) -> None:
        # HiGHS is held here while others have its core.
        give_way()
        if event.callback_type == _MIP_CHECK:
            bound = self._unit * float(event.data_out.mip_dual_bound)
            self.bound = max(self.bound, bound)
        if self._stop.is_set() or stopping():
            event.interrupt()

    @property
    def running(self) -> bool:
        """Whether the search goes on."""
        return self._call.running

    def wait(self, seconds: float) -> None:
        """Wait for the end for so many seconds at most."""
        self._call.wait(seconds)

    def solutions(self) -> Iterator[Floats]:
        """Yield the improving solutions found since the last call."""
        if not self.running and not self._ended:
            self._ended = True
            # What presolve alone solves is told to no callback.
            if self._call.status() == highspy.HighsModelStatus.kOptimal:
                self._found.put(np.array(self._highs.getSolution().col_value))
        while not self._found.empty():
            yield self._found.get()

    def finish(self, seconds: float) -> None:
        """Wait for the end, a moment longer than so many seconds, then stop."""
        try:
            self._call.wait(seconds + GRACE)
        finally:
            self.stop()

    def stop(self) -> None:
        """Ask the search to end, and wait a moment for it.

        Some parts of HiGHS do not look up for long; what such a search still finds is
        not taken.
        """
        self._stop.set()
        self._call.wait(GRACE)

    def end(self) -> float:
        """Return the bound that is proved so far; infinity if there is no solution.

        It is minus infinity, which proves nothing, where HiGHS gave up: numbers beyond
        its powers are no failure of the program.
        """
        if self.running:
            return self.bound
        status = self._call.status()
        known = highspy.HighsModelStatus
        if status == known.kInfeasible:
            return math.inf
        if status == known.kOptimal:
            bound = self._unit * float(self._highs.getInfo().mip_dual_bound)
            return max(self.bound, bound)
        asked = self._stop.is_set() or stopping()
        if asked or status in (known.kTimeLimit, known.kInterrupt):
            return self.bound
        return -math.inf


def solve_small(
    program: Program,
    time_limit: float,
    start: Floats | None = None,
    seed: int = 0,
    effort: float = 0.2,
) -> Floats | None:
    """Return the best point found of a small integer program, or None.

    ``time_limit`` is in seconds, ``start`` is a solution to start from, and ``effort``
    is the share of the work that goes into heuristics.
    """
    worth = 0.0 if start is None else float(program.cost @ start)
    gap = max(0.999, _CLOSE * worth)
    search = MipSearch(program, time_limit, start, effort, seed, gap)
    search.finish(time_limit)
    found = list(search.solutions())
    return integral(program, found[-1]) if found else None


def integral(program: Program, point: Floats) -> Floats | None:
    """Round a point, or return one as good whose columns are all integers.

    For programs whose continuous columns are a flow once the integer ones are fixed:
    a basic solution of what is left is integral. None where that one is not found, or
    where the rounded point breaks a row: a solver's tolerances are not ours.
    """
    whole = np.rint(point)
    if (np.abs(point - whole) > _INTEGRAL).any():
        free = ~program.integer
        fixed = np.where(program.integer, whole, point)
        try:
            solution = LinearSolver(program.fix(free, fixed)).solve(_FIXED_LIMIT)
        except ArithmeticError:  # nothing is left once the integers are fixed
            return None
        if solution is None:
            return None
        whole[free] = np.rint(solution.x)
        if (np.abs(solution.x - whole[free]) > _INTEGRAL).any():
            return None
    return whole if program.holds(whole) else None
