"""Reduced-cost fixing: lower bounds on the releases that use an incidence."""

import numpy as np

from models.patterns.pattern_program import PatternProgram
from models.solvers.linear_solver import LpSolution
from models.solvers.program import Floats

# A column of at most this value sits at its lower bound.
_ZERO = 1e-9


def reduced_cost_fixing(program: PatternProgram, solution: LpSolution) -> Floats:
    r"""Bound from below the releases with x[p, t] >= 1, for each incidence (p, t).

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

    Returns
    -------
    One number for each incidence, in the unit of the costs.

    Notes
    -----
    Floating point; callers allow for an error of 1e-6 before they round.

    See Also
    --------
    models.lagrangian_relaxation.lagrangian_fixing : a bound by prices alone, exact.
    """
    at_zero = np.where(solution.x < _ZERO, np.maximum(solution.reduced_cost, 0.0), 0.0)
    bound = solution.value + at_zero[: program.incidences]
    if program.k > 1:
        opening = at_zero[program.first_y : program.first_y + len(program.patterns)]
        bound = bound + opening[program.patterns.pattern]
    return np.asarray(bound)
