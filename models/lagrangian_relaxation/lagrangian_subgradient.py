"""The subgradient method for the prices of row types."""

import numpy as np
import numpy.typing as npt

from instances import Certificate, RowTypes, Run
from models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from models.lagrangian_relaxation.prices import mean_star_cost, price_certificate
from models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from models.patterns.own_cost import cheapest_pattern_costs
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]

# Prices of row types converge slowly, so rounds become longer and keep larger steps.
LAGRANGIAN_PARAMS = SubgradientParams(next_step=0.5, longer=2)


def lagrangian_prices(
    run: Run,
    patterns: Patterns,
    types: RowTypes,
    k: int = 1,
    l: int = 1,
    tolerance: float = 1e-4,
    initial: Ints | None = None,
    params: SubgradientParams = LAGRANGIAN_PARAMS,
) -> Ints:
    """Find prices that prove a good bound, for searches and for fixing.

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
    params
        Constants that steer the steps.

    Returns
    -------
    The prices of the best bound, in units of 1/DENOMINATOR.
    """
    method = LagrangianSubgradient(run, patterns, types, k, l, initial, params=params)
    method.improve(tolerance)
    return method.prices


class LagrangianSubgradient(SubgradientMethod):
    """The subgradient method for the Lagrangian dual of the pattern formulation.

    Parameters
    ----------
    run
        It learns the bounds; its time ends the search.
    patterns, types, k, l
        As for ``models.lagrangian_relaxation.prices.price_bound``.
    initial
        Prices to start from; default: those of the own-pattern bound.
    ceiling
        Prices that are never exceeded, in units of 1/DENOMINATOR, so that the patterns
        need only be those that count there (``models.pricing.pricing``).
    params
        Constants that steer the steps.
    outside
        As for ``models.lagrangian_relaxation.pricing_data.PricingData``.
    """

    method = "lagrangian"

    def __init__(
        self,
        run: Run,
        patterns: Patterns,
        types: RowTypes,
        k: int,
        l: int,
        initial: Ints | None = None,
        ceiling: Ints | None = None,
        params: SubgradientParams = LAGRANGIAN_PARAMS,
        outside: Ints | None = None,
    ) -> None:
        star = mean_star_cost(run.table, run.objective)
        prices = (
            cheapest_pattern_costs(patterns) * DENOMINATOR
            if initial is None
            else initial
        )
        first = params.first_step * star
        super().__init__(run, prices, patterns.counts, first, params)
        self.types = types
        self.ceiling = None if ceiling is None else ceiling / DENOMINATOR
        self._function = LagrangianFunction(patterns, types, k, l, outside=outside)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return self._function(prices)

    def _certificate(self, bound: int) -> Certificate | None:
        run = self.run
        return price_certificate(
            run.table, self.types, run.requirement, run.objective, self.prices, bound
        )
