"""The Lagrangian bound: prices of the row types, improved step by step."""

import math

import numpy as np
import numpy.typing as npt

from instances import (
    STARS,
    Certificate,
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    expect_parts,
    least_diversity,
    least_size,
)
from models.bounds.own_pattern import cheapest
from models.bounds.prices import DENOMINATOR, mean_star, price_certificate
from models.bounds.pricing_sweep import PricingSweep
from models.bounds.subgradient import SubgradientMethod
from models.patterns.patterns import Patterns, closed_patterns, expect_stars

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_FIRST_STEP = 0.3  # of a star


def lagrangian(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    tolerance: float = 1e-4,
) -> Result:
    r"""Lower bound on stars: the Lagrangian dual of the pattern formulation.

    A price for each row type splits the formulation into one small problem for each
    pattern (``models.bounds.prices``). The bound of the prices is concave in them, its
    maximum is the value of the linear relaxation or more, and what the copies of a
    type lack in the best fills is a supergradient:

    .. math::
        LB(\lambda) = \sum_t \lambda_t s_t + \sum_p \min(0, f_p(\lambda)), \qquad
        g_t = s_t - \sum_{p : f_p < 0} x_{pt}.

    The prices start at the own-pattern bound, which is never lost. Each step is along
    a running mean of g / s, divided by the root of its running mean square (Kingma and
    Ba 2015); steps shrink geometrically within a round of 500, and a further round,
    twice as long, begins at the best prices with half as large steps as long as it
    gains. All bounds are computed in integers, so that every one of them is proven.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars.
    time_limit
        Seconds. Steps shrink faster where they would not suffice for a round.
    display
        Print progress to stderr.
    tolerance
        Stop after a round that raised the bound by less than this share in 500 steps.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    See Also
    --------
    models.bounds.pattern_lp : solves the relaxation; slower on all but small tables.
    models.bounds.lagrangian_fixing : what the prices say of single patterns and types.

    Notes
    -----
    No convergence is proven, but every bound is valid. On real tables it comes within
    0.1 % of the linear relaxation in the first rounds. A step looks at the members of
    those patterns that cost less than some price; 30,000 rows by 8 columns (3 million
    pairs of a pattern and a type) take some 5 to 15 milliseconds a step.

    References
    ----------
    Fisher (1981), The Lagrangian relaxation method for solving integer programming
    problems. Kingma and Ba (2015), Adam: a method for stochastic optimization.

    Examples
    --------
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> lagrangian(table, KAnonymity(3)).lower_bound
    6
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    expect_stars(objective)
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    k, l = least_size(requirement), least_diversity(requirement)
    types = table.sensitive_types if l > 1 else table.row_types
    ascent, limit = None, None
    try:
        patterns = closed_patterns(table, types, objective, k, l, run.check_time)
        ascent = LagrangianSubgradient(run, patterns, types, k, l)
        ascent.improve(tolerance)
        run.check_time()
    except TimeoutError:
        limit = Limit.TIME
    except KeyboardInterrupt:
        limit = Limit.INTERRUPTED
    return run.result(limit, {"iterations": ascent.iterations if ascent else 0})


def lagrangian_prices(
    run: Run,
    patterns: Patterns,
    types: RowTypes,
    k: int = 1,
    l: int = 1,
    tolerance: float = 1e-4,
    initial: Ints | None = None,
) -> Ints:
    """Prices that prove a good bound, for searches and for fixing.

    Parameters
    ----------
    run
        Its time ends the search for prices, and so does a bound that meets its
        incumbent; it learns the bound.
    patterns, types, k, l
        As for ``models.bounds.prices.price_bound``.
    tolerance
        As for ``lagrangian``.
    initial
        Prices to start from; default: those of the own-pattern bound.

    Returns
    -------
    The prices of the best bound, in units of 1/DENOMINATOR.
    """
    ascent = LagrangianSubgradient(run, patterns, types, k, l, initial)
    ascent.improve(tolerance)
    return ascent.prices


class LagrangianSubgradient(SubgradientMethod):
    """The ascent of the prices of row types.

    With a ``ceiling`` the prices never exceed it, in units of 1/DENOMINATOR, so that
    the patterns need only be those that count there
    (``models.column_generation.pricing``).
    """

    method = "lagrangian"
    steps = 500
    last_step = 0.005
    next_step, longer = 0.5, 2

    def __init__(
        self,
        run: Run,
        patterns: Patterns,
        types: RowTypes,
        k: int,
        l: int,
        initial: Ints | None = None,
        ceiling: Ints | None = None,
    ) -> None:
        star = mean_star(run.table, run.objective)
        prices = cheapest(patterns) * DENOMINATOR if initial is None else initial
        super().__init__(run, prices, patterns.counts, _FIRST_STEP * star)
        self.types = types
        self.ceiling = None if ceiling is None else ceiling / DENOMINATOR
        self._sweep = PricingSweep(patterns, types, k, l)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return self._sweep(prices)

    def _certificate(self, bound: int) -> Certificate:
        run = self.run
        return price_certificate(
            run.table, self.types, run.requirement, run.objective, self.prices, bound
        )
