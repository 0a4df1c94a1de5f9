"""Reduced-cost fixing: lower bounds on the releases that use an incidence."""

import numpy as np

from starmin.instances.arrays import Floats
from starmin.models.pattern_program.pattern_program import PatternProgram
from starmin.models.solvers.dual_bound import whole_dual
from starmin.models.solvers.linear_solver import LpSolution
from starmin.models.solvers.program import Program

# A column of at most this value sits at its lower bound.
_ZERO = 1e-9


def reduced_cost_fixing(
    program: PatternProgram, solution: LpSolution, whole: Program | None = None
) -> Floats:
    r"""Bound from below the releases with x[p, t] >= 1, for each pair (p, t).

    In an optimal basis with value v every feasible point costs
    :math:`v + \sum_j d_j (x_j - b_j)`, the sum over the non-basic columns, which sit at
    their bounds :math:`b_j` and have reduced costs :math:`d_j` that make every term
    non-negative. A release with x[p, t] >= 1 also has y[p] = 1, so it costs at least
    :math:`v + d_{pt} + d_p`, counting the columns that sit at zero.

    Parameters
    ----------
    program
        The pattern formulation.
    solution
        An optimal basic solution of its relaxation.
    whole
        The program that was relaxed, if it has more rows or, at the end, more columns
        than the formulation.

    Returns
    -------
    One number for each pair, in the unit of the costs.

    Notes
    -----
    Recomputed in whole numbers (``starmin.models.solvers.dual_bound``), for any duals:
    with reduced costs that are not negative, other columns count at their better
    bounds. If costs are too large for that, the solver's numbers are used. Callers
    allow for an error of 1e-6 before they round.

    See Also
    --------
    starmin.models.lagrangian_relaxation.lagrangian_fixing :
        a bound by prices alone, exact.
    """
    proven = whole_dual(whole or program.program, solution.dual)
    if proven is not None:
        value, at_zero = proven.total / proven.unit, np.maximum(proven.reduced, 0)
        return _through(program, value, at_zero / proven.unit)
    at_zero = np.where(solution.x < _ZERO, np.maximum(solution.reduced_cost, 0.0), 0.0)
    return _through(program, solution.value, at_zero)


def _through(program: PatternProgram, value: float, at_zero: Floats) -> Floats:
    """Add to a bound what an incidence costs and what it costs to open its pattern."""
    bound = value + at_zero[: program.incidences]
    if program.k > 1:
        opening = at_zero[program.first_y : program.first_y + len(program.patterns)]
        bound = bound + opening[program.patterns.pattern]
    return np.asarray(bound)
