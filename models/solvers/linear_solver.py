"""Linear relaxations, solved by HiGHS."""

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from starmin.instances.arrays import Floats
from starmin.instances.runs.stop import stopping
from starmin.models.solvers.highs import GRACE, HighsCall, limit_time, load
from starmin.models.solvers.program import INF, Program, Rows

# For each entry of its matrix HiGHS takes more than that before its first step, and
# does not look up meanwhile.
_SECONDS_PER_ENTRY = 1e-6


@dataclass(frozen=True, eq=False)
class LpSolution:
    """An optimal basic solution."""

    x: Floats  # by column
    dual: Floats  # by row
    reduced_cost: Floats  # by column
    value: float  # what the solution costs


class LinearSolver:
    """A linear relaxation that can be strengthened and solved again, warm.

    The columns of the program may be fractional, whatever it says of them.

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
        self._highs = load(program, integer=False)
        self._stop = self._warm = False
        self._highs.cbSimplexInterrupt.subscribe(self._on_check)

    def _on_check(self, event: Any) -> None:
        if self._stop or stopping():
            event.interrupt()

    def _ask_to_end(self) -> None:
        self._stop = True

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

    def add_columns(self, cost: Floats, entries: Any) -> None:
        """Add columns that are 0 or more.

        ``cost`` is what a unit of each costs; ``entries`` is a sparse matrix, new
        columns x all rows.
        """
        matrix = sparse.csr_array(entries)
        self._highs.addCols(
            len(cost),
            cost,
            np.zeros(len(cost)),
            np.full(len(cost), INF),
            matrix.nnz,
            matrix.indptr.astype(np.int32),
            matrix.indices.astype(np.int32),
            matrix.data.astype(float),
        )

    def solve(self, time_limit: float) -> LpSolution | None:
        """Return an optimal solution, or None where the time ran out or HiGHS gave up.

        It is not begun where the time, in seconds, does not suffice for certain. After
        the end of the time it may take HiGHS a while to look up; then nothing more is
        solved. ArithmeticError where HiGHS says that the program is infeasible.
        """
        entries = 0 if self._warm else self._highs.getNumNz()
        if self._stop or time_limit <= _SECONDS_PER_ENTRY * entries:
            return None
        limit_time(self._highs, time_limit)
        call = HighsCall(self._highs, self._ask_to_end)
        try:
            call.wait(time_limit + GRACE)
        finally:
            self._ask_to_end()
            call.wait(GRACE)
        if call.running or stopping():
            return None
        self._stop = False
        status = call.status()
        if status == highspy.HighsModelStatus.kInfeasible:
            raise ArithmeticError(f"HiGHS ended a linear program with {status}.")
        if status != highspy.HighsModelStatus.kOptimal:
            return None
        self._warm = True
        solution = self._highs.getSolution()
        return LpSolution(
            np.array(solution.col_value),
            np.array(solution.row_dual),
            np.array(solution.col_dual),
            float(self._highs.getInfo().objective_function_value),
        )
