"""What a release must cost at least that uses a given part of the program."""

import numba
import numpy as np

from models.bounds.prices import DENOMINATOR, Ints
from models.highs import LpSolution
from models.pattern_program import PatternProgram
from models.patterns import Patterns
from models.program import Floats


def through_basis(program: PatternProgram, solution: LpSolution) -> Floats:
    r"""For each incidence (p, t) a lower bound on the releases with x[p, t] >= 1.

    In an optimal basis with value v every feasible point costs
    :math:`v + \sum_j d_j (x_j - b_j)`, the sum over the non-basic columns, which sit at
    their bounds :math:`b_j` and have reduced costs :math:`d_j` that make every term
    non-negative. A release with x[p, t] >= 1 also has y[p] = 1, so it costs at least
    :math:`v + d_{pt} + d_p`, counting the columns that sit at zero.

    Notes
    -----
    Floating point; callers leave room of 1e-6 before they round.
    """
    at_zero = np.where(solution.x < 1e-9, np.maximum(solution.reduced_cost, 0.0), 0.0)
    bound = solution.value + at_zero[: program.incidences]
    if program.k > 1:
        opening = at_zero[program.first_y : program.first_y + len(program.patterns)]
        bound = bound + opening[program.patterns.pattern]
    return np.asarray(bound)


def through_prices(patterns: Patterns, prices: Ints, k: int) -> Floats:
    r"""The same from prices, for k-anonymity: sharper on the patterns.

    By ``models.bounds.prices`` every release costs at least
    :math:`LB = \sum_t \lambda_t s_t + \sum_p \min(0, f_p)`. One that opens p pays
    :math:`f_p` in place of :math:`\min(0, f_p)`. One that also puts t there pays more
    by what the cheapest fill with a copy of t costs beyond :math:`f_p`: with c the
    reduced cost of t and :math:`\theta \ge 0` that of the last copy taken only to
    make up k (0 if none was), it is :math:`\max(0, c - \theta)`, for the copy of t
    takes the place of that last one, or comes on top.
    """
    reduced = patterns.cost[patterns.pattern] * DENOMINATOR - prices[patterns.types]
    order = np.lexsort((reduced, patterns.pattern))
    fills, last = _fills(
        patterns.starts, reduced[order], patterns.counts[patterns.types[order]], k
    )
    bound = int(prices @ patterns.counts) + int(np.minimum(fills, 0).sum())
    extra = np.maximum(reduced - last[patterns.pattern], 0)
    opened = np.maximum(fills, 0)[patterns.pattern]
    return np.asarray((bound + opened + extra) / DENOMINATOR)


@numba.njit(cache=True)
def _fills(starts: Ints, reduced: Ints, copies: Ints, k: int) -> tuple[Ints, Ints]:
    """The value of the cheapest fill, and the reduced cost of its last filler."""
    fills = np.zeros(len(starts) - 1, np.int64)
    last = np.zeros(len(starts) - 1, np.int64)
    for p in range(len(fills)):
        total = 0
        for i in range(starts[p], starts[p + 1]):
            take = copies[i]
            if reduced[i] >= 0:
                take = min(take, k - total)
                if take <= 0:
                    break
                last[p] = reduced[i]
            total += take
            fills[p] += take * reduced[i]
    return fills, last
