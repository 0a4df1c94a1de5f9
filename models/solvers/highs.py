"""HiGHS as all of starmin runs it: a model loaded from arrays, in a thread."""

import math
from collections.abc import Callable
from typing import Any

import highspy
import numpy as np

from starmin.instances.arrays import Floats
from starmin.instances.runs.stop import stopping
from starmin.instances.runs.workers.background_call import BackgroundCall
from starmin.models.solvers.program import Program, stack
from starmin.models.solvers.stray_lines import stray_lines_away

GRACE = 1.0  # Seconds for which a search waits for HiGHS once it was asked to end.
_COST_BITS = 20


def shift_of(program: Program) -> int:
    """Return by which power of 2 costs are to be divided for HiGHS: 0 for most.

    Its tolerances are absolute: where costs are far above a million, they are beyond
    what floating point can meet.
    """
    highest = float(np.abs(program.cost).max(initial=0))
    return max(0, math.frexp(highest)[1] - _COST_BITS)


def load(program: Program, integer: bool) -> Any:
    """Return a silent HiGHS of one thread that holds a program, or its relaxation."""
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
    if not integer:
        highs.setOptionValue("user_objective_scale", -shift_of(program))
    highs.passModel(lp)
    return highs


def limit_time(highs: Any, seconds: float) -> None:
    """Give HiGHS so many seconds from now on."""
    # HiGHS counts the run time of earlier solves of the same object.
    limit = min(highs.getRunTime() + max(seconds, 0.0), highspy.kHighsInf)
    highs.setOptionValue("time_limit", limit)


class HighsCall(BackgroundCall):
    """HiGHS at work in a thread."""

    def __init__(self, highs: Any, ask_to_end: Callable[[], object]) -> None:
        self._highs = highs
        super().__init__(self._search, ask_to_end)

    def _search(self) -> None:
        with stray_lines_away():
            self._highs.run()

    def status(self) -> highspy.HighsModelStatus:
        """Return how it ended; MemoryError where it ran out of memory."""
        if self.error is not None:
            raise self.error
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kMemoryLimit:
            raise MemoryError
        return status


# Linear programs solved by the interior points of HiGHS.


def solve_interior(program: Program, seconds: float) -> tuple[Floats, Floats] | None:
    """Return a solution and dual values, up to a tolerance; None: none in time.

    They lie inside the best face, where columns that are generated for these dual
    values are fewer and better than for those of a vertex. The columns of the program
    may be fractional, whatever it says of them; it may take so many ``seconds``.

    Examples
    --------
    >>> from starmin.models.solvers.program import Rows
    >>> one, at = np.array([1.0]), np.array([0])
    >>> rows = (Rows(at, at, one, np.array([2.5]), np.array([np.inf])),)
    >>> program = Program(one, 0 * one, np.array([9.0]), np.array([False]), rows)
    >>> x, dual = solve_interior(program, 10.0)
    >>> round(x.item(), 6), round(dual.item(), 6)
    (2.5, 1.0)
    """
    asked = False

    def ask_to_end() -> None:
        nonlocal asked
        asked = True

    def on_check(event: Any) -> None:
        if asked or stopping():
            event.interrupt()

    highs = load(program, integer=False)
    highs.setOptionValue("solver", "ipm")
    highs.setOptionValue("run_crossover", "off")
    highs.cbIpmInterrupt.subscribe(on_check)
    highs.cbSimplexInterrupt.subscribe(on_check)
    limit_time(highs, seconds)
    call = HighsCall(highs, ask_to_end)
    try:
        call.wait(seconds + GRACE)
    finally:
        ask_to_end()
        call.wait(GRACE)
    if call.running or stopping():
        return None
    # Without a vertex it may miss its own tolerance, and says that it does not know.
    known = highspy.HighsModelStatus
    if call.status() not in (known.kOptimal, known.kUnknown):
        return None
    solution = highs.getSolution()
    if not (solution.value_valid and solution.dual_valid):
        return None
    return np.array(solution.col_value), np.array(solution.row_dual)
