"""HiGHS through its array interface: relaxations, and searches in threads."""

import atexit
import math
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from instances.runs.stop import stopping
from models.solvers.program import Floats, Program, Rows, stack

_left_behind: list[threading.Thread] = []


_GRACE = 1.0  # seconds
_LAST_GRACE = 20.0
_INTEGRAL = 1e-5
_CLOSE = 1e-5  # of what a part costs: to prove less is not worth the time
_FIXED_LIMIT = 5.0  # seconds for the flow that is left when integers are fixed
_MIP_CHECK = highspy.cb.HighsCallbackType.kCallbackMipInterrupt


@atexit.register
def _wait_for_those_left_behind() -> None:
    # A thread that still runs in compiled code when the interpreter goes down with
    # it aborts the process.
    for thread in _left_behind:
        thread.join(_LAST_GRACE)


@dataclass(frozen=True, eq=False)
class LpSolution:
    """An optimal basic solution: values, row duals, reduced costs."""

    x: Floats
    dual: Floats
    reduced_cost: Floats
    value: float


class LinearSolver:
    """A linear relaxation that can be strengthened and solved again, warm.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> at = np.array([0])
    >>> rows = (Rows(at, at, one, np.array([2.5]), np.array([np.inf])),)
    >>> program = Program(one, 0 * one, np.array([9.0]), np.array([True]), rows)
    >>> LinearSolver(program).solve(10.0).value
    2.5
    """

    def __init__(self, program: Program) -> None:
        self._highs = _load(program, integer=False)
        self._stop = False
        self._highs.cbSimplexInterrupt.subscribe(self._on_check)

    def _on_check(self, event: Any) -> None:
        if self._stop or stopping():
            event.interrupt()

    def add(self, rows: Rows) -> None:
        """Add constraints."""
        matrix = sparse.csr_array(
            (rows.value, (rows.row, rows.column)),
            shape=(len(rows.lower), self._highs.getNumCol()),
        )
        self._highs.addRows(
            len(rows.lower),
            rows.lower,
            rows.upper,
            matrix.nnz,
            matrix.indptr.astype(np.int32),
            matrix.indices.astype(np.int32),
            matrix.data,
        )

    def solve(self, time_limit: float) -> LpSolution | None:
        """An optimal solution, or None where the time ran out or HiGHS gave up.

        Raises
        ------
        ArithmeticError
            HiGHS says that the program is infeasible.
        """
        _limit_time(self._highs, time_limit)
        thread = _Solving(self._highs)
        try:
            thread.join(min(time_limit + _GRACE, threading.TIMEOUT_MAX))
        finally:
            self._stop = True
            thread.join(_GRACE)
        if thread.is_alive() or stopping():
            return None
        self._stop = False
        status = thread.status()
        if status == highspy.HighsModelStatus.kInfeasible:
            raise ArithmeticError(f"HiGHS ended a linear program with {status}.")
        if status != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self._highs.getSolution()
        return LpSolution(
            np.array(solution.col_value),
            np.array(solution.row_dual),
            np.array(solution.col_dual),
            float(self._highs.getInfo().objective_function_value),
        )


class MipSearch:
    """A branch and bound that runs in a thread of its own.

    Improving solutions wait in a queue until ``solutions`` hands them out, so that
    the caller's thread, which also hears of Ctrl-C, does all the work on them.

    Parameters
    ----------
    program
        What to solve.
    time_limit
        Seconds.
    start
        A solution to start from.
    effort
        Share of the work that goes into heuristics (HiGHS: 0.05).
    absolute_gap
        Proven within this much is done; values that are integers take 0.999.
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
        self._highs = _load(program, integer=True)
        self._stop = threading.Event()
        self._found: queue.SimpleQueue[Floats] = queue.SimpleQueue()
        self._ended = False
        self.bound = -math.inf
        for option, value in (
            ("mip_rel_gap", 0.0),
            ("mip_abs_gap", absolute_gap),
            ("mip_heuristic_effort", effort),
            ("random_seed", seed),
        ):
            self._highs.setOptionValue(option, value)
        _limit_time(self._highs, time_limit)
        if start is not None:
            solution = highspy.HighsSolution()
            solution.col_value = list(start)
            self._highs.setSolution(solution)
        self._highs.cbMipImprovingSolution.subscribe(self._on_solution)
        self._highs.cbMipInterrupt.subscribe(self._on_check)
        self._highs.cbSimplexInterrupt.subscribe(self._on_check)
        self._thread = _Solving(self._highs)

    def _on_solution(self, event: Any) -> None:
        self._found.put(np.array(event.data_out.mip_solution))

    def _on_check(self, event: Any) -> None:
        if event.callback_type == _MIP_CHECK:
            self.bound = max(self.bound, float(event.data_out.mip_dual_bound))
        if self._stop.is_set() or stopping():
            event.interrupt()

    @property
    def running(self) -> bool:
        """Whether the search goes on."""
        return self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Wait for the end, no longer than given."""
        self._thread.join(seconds)

    def solutions(self) -> Iterator[Floats]:
        """The improving solutions found since the last call."""
        if not self.running and not self._ended:
            self._ended = True
            # What presolve alone solves is told to no callback.
            if self._thread.status() == highspy.HighsModelStatus.kOptimal:
                self._found.put(np.array(self._highs.getSolution().col_value))
        while not self._found.empty():
            yield self._found.get()

    def finish(self, seconds: float) -> None:
        """Wait for the end, but not much longer than given."""
        try:
            self._thread.join(min(seconds + _GRACE, threading.TIMEOUT_MAX))
        finally:
            self.stop()

    def stop(self) -> None:
        """Ask the search to end, and wait a moment for it.

        Some parts of HiGHS do not look up for long; such a search is left behind
        (its thread is a daemon) and what it still finds is not taken.
        """
        self._stop.set()
        self._thread.join(_GRACE)
        if self.running:
            _left_behind.append(self._thread)

    def end(self) -> float:
        """The bound that a search has proved when it ends; infinite if infeasible.

        Minus infinity, which proves nothing, where HiGHS gave up: numbers beyond its
        powers are no failure of the program.
        """
        if self.running:
            return self.bound
        status = self._thread.status()
        known = highspy.HighsModelStatus
        if status == known.kInfeasible:
            return math.inf
        if status == known.kOptimal:
            return max(self.bound, float(self._highs.getInfo().mip_dual_bound))
        asked = self._stop.is_set() or stopping()
        if asked or status in (known.kTimeLimit, known.kInterrupt):
            return self.bound
        return -math.inf


def _load(program: Program, integer: bool) -> Any:
    columns = len(program.cost)
    matrix, row_lower, row_upper = stack(program.rows, columns)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = columns, len(row_lower)
    lp.col_cost_ = program.cost
    lp.col_lower_, lp.col_upper_ = program.lower, program.upper
    lp.row_lower_, lp.row_upper_ = row_lower, row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data
    if integer:
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[int(is_integer)] for is_integer in program.integer]
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.passModel(lp)
    return highs


def _limit_time(highs: Any, seconds: float) -> None:
    # HiGHS counts the run time of earlier solves of the same object.
    limit = min(highs.getRunTime() + max(seconds, 0.0), highspy.kHighsInf)
    highs.setOptionValue("time_limit", limit)


class _Solving(threading.Thread):
    """HiGHS at work; it may run out of memory, which the caller hears of."""

    def __init__(self, highs: Any) -> None:
        super().__init__(daemon=True)
        self._highs = highs
        self._short = False
        self.start()

    def run(self) -> None:
        """Solve."""
        try:
            self._highs.run()
        except MemoryError:
            self._short = True

    def status(self) -> highspy.HighsModelStatus:
        """How it ended; MemoryError where for lack of that."""
        status = self._highs.getModelStatus()
        if self._short or status == highspy.HighsModelStatus.kMemoryLimit:
            raise MemoryError
        return status


def solve_part(
    program: Program,
    time_limit: float,
    start: Floats | None = None,
    seed: int = 0,
    effort: float = 0.2,
) -> Floats | None:
    """The best point found of a small integer program, or None."""
    worth = 0.0 if start is None else float(program.cost @ start)
    gap = max(0.999, _CLOSE * worth)
    search = MipSearch(program, time_limit, start, effort, seed, gap)
    search.finish(time_limit)
    found = list(search.solutions())
    return integral(program, found[-1]) if found else None


def integral(program: Program, point: Floats) -> Floats | None:
    """The point rounded, or one as good whose columns are all integers.

    For programs whose continuous columns are a flow once the integer ones are fixed:
    a basic solution of what is left is integral. None where that one is not found, or
    where the rounded point breaks a row: a solver's tolerances are not ours.
    """
    whole = np.rint(point)
    if (np.abs(point - whole) > _INTEGRAL).any():
        free = ~program.integer
        fixed = np.where(program.integer, whole, point)
        solution = LinearSolver(program.fix(free, fixed)).solve(_FIXED_LIMIT)
        if solution is None:
            return None
        whole[free] = np.rint(solution.x)
        if (np.abs(solution.x - whole[free]) > _INTEGRAL).any():
            return None
    return whole if program.holds(whole) else None
