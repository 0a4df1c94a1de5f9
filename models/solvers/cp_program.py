"""An integer program of arrays in CP-SAT, which computes in whole numbers."""

import math
from collections.abc import Sequence

import numpy as np
from ortools.sat.python import cp_model

from starmin.models.solvers.program import Program


def cp_program(
    program: Program, cost: Sequence[int]
) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    """Return the model, and its variables, of a program whose numbers are all whole.

    Parameters
    ----------
    program
        What to solve; columns are bounded.
    cost
        Of the first columns, in the place of the program's own, which are floats. The
        sum of all, times the upper bounds of their columns, is at most ``MOST_SUM``.

    Examples
    --------
    >>> from starmin.models.solvers.program import INF, Rows
    >>> at, two = np.array([0, 0]), np.full(2, 2.0)
    >>> rows = (Rows(at, np.arange(2), two, np.array([3.0]), np.array([INF])),)
    >>> program = Program(two, 0 * two, two, two > 0, rows)
    >>> model, _ = cp_program(program, [10**12, 10**12 + 1])
    >>> from starmin.models.solvers.cp_sat_search import new_solver
    >>> solver = new_solver()
    >>> int(solver.objective_value) if solver.solve(model) == cp_model.OPTIMAL else None
    2000000000000
    """
    model = cp_model.CpModel()
    ends = zip(program.lower, program.upper, strict=True)
    x = [model.new_int_var(int(low), int(high), "") for low, high in ends]
    for block in program.rows:
        order = np.argsort(block.row, kind="stable")
        starts = np.searchsorted(block.row[order], np.arange(1, len(block.lower)))
        for row, entries in enumerate(np.split(order, starts)):
            terms = cp_model.LinearExpr.weighted_sum(
                [x[column] for column in block.column[entries]],
                block.value[entries].astype(np.int64).tolist(),
            )
            low, high = _whole(block.lower[row]), _whole(block.upper[row])
            model.add_linear_constraint(terms, low, high)
    model.minimize(cp_model.LinearExpr.weighted_sum(x[: len(cost)], list(cost)))
    return model, x


def _whole(end: float) -> int:
    if math.isfinite(end):
        return int(end)
    return int(cp_model.INT_MAX if end > 0 else cp_model.INT_MIN)
