"""HiGHS as all of starmin runs it: a model loaded from arrays, in a thread."""

import math
from collections.abc import Callable
from typing import Any

import highspy
import numpy as np

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
