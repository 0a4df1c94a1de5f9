"""Linear programs solved by the interior points of HiGHS."""

from typing import Any

import highspy
import numpy as np

from starmin.instances.arrays import Floats
from starmin.instances.runs.stop import stopping
from starmin.models.solvers.highs import GRACE, HighsCall, limit_time, load
from starmin.models.solvers.program import Program


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
