"""What a release must cost at least that uses an incidence, by the relaxation."""

import numpy as np

from models.patterns.pattern_program import PatternProgram
from models.solvers.linear_solver import LpSolution
from models.solvers.program import Floats


def reduced_cost_fixing(program: PatternProgram, solution: LpSolution) -> Floats:
    r"""For each incidence (p, t) a lower bound on the releases with x[p, t] >= 1.

    In an optimal basis with value v every feasible point costs
    :math:`v + \sum_j d_j (x_j - b_j)`, the sum over the non-basic columns, which sit at
    their bounds :math:`b_j` and have reduced costs :math:`d_j` that make every term
    non-negative. A release with x[p, t] >= 1 also has y[p] = 1, so it costs at least
    :math:`v + d_{pt} + d_p`, counting the columns that sit at zero.

    Notes
    -----
    Floating point; callers leave room of 1e-6 before they round.

    See Also
    --------
    models.lagrangian_relaxation.lagrangian_fixing : the same by prices alone, exactly.
    """
    at_zero = np.where(solution.x < 1e-9, np.maximum(solution.reduced_cost, 0.0), 0.0)
    bound = solution.value + at_zero[: program.incidences]
    if program.k > 1:
        opening = at_zero[program.first_y : program.first_y + len(program.patterns)]
        bound = bound + opening[program.patterns.pattern]
    return np.asarray(bound)
