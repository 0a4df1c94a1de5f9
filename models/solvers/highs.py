"""HiGHS as all of starmin runs it: a model loaded from arrays, in a thread."""

import threading
from contextvars import copy_context
from typing import Any

import highspy

from models.solvers.program import Program, stack

GRACE = 1.0  # Seconds that a thread has to end after it was asked to.


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
    highs.passModel(lp)
    return highs


def limit_time(highs: Any, seconds: float) -> None:
    """Give HiGHS so many seconds from now on."""
    # HiGHS counts the run time of earlier solves of the same object.
    limit = min(highs.getRunTime() + max(seconds, 0.0), highspy.kHighsInf)
    highs.setOptionValue("time_limit", limit)


class SolverThread(threading.Thread):
    """HiGHS at work; where it runs out of memory, ``status`` raises MemoryError."""

    def __init__(self, highs: Any) -> None:
        super().__init__(daemon=True)
        self._highs = highs
        self._short = False
        self._context = copy_context()  # what it asks whether to stop
        self.start()

    def run(self) -> None:
        """Solve."""
        try:
            self._context.run(self._highs.run)
        except MemoryError:
            self._short = True

    def status(self) -> highspy.HighsModelStatus:
        """Return how it ended.

        Raises
        ------
        MemoryError
            It ran out of memory.
        """
        status = self._highs.getModelStatus()
        if self._short or status == highspy.HighsModelStatus.kMemoryLimit:
            raise MemoryError
        return status
