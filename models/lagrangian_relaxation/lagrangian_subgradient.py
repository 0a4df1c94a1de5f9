"""The ascent of the prices of row types."""

import numpy as np
import numpy.typing as npt

from instances import Certificate, RowTypes, Run
from models.lagrangian_relaxation.prices import mean_star, price_certificate
from models.lagrangian_relaxation.pricing_sweep import PricingSweep
from models.lagrangian_relaxation.subgradient import SubgradientMethod
from models.patterns.own_cost import cheapest
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]

_FIRST_STEP = 0.3  # of a star


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
        As for ``models.lagrangian_relaxation.prices.price_bound``.
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
    (``models.pricing.pricing``).
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
