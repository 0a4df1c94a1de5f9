"""Prices of the rows that must be placed, under distinct l-diversity."""

import numpy as np

from starmin.instances import Certificate, Run
from starmin.instances.arrays import Floats, Ints
from starmin.models.distinct.distinct_reduction import Reduction
from starmin.models.distinct.price_tree import placed_price_tree
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.lagrangian_relaxation.pricing_data import pricing_data
from starmin.models.lagrangian_relaxation.pricing_distinct import solve_pricing_distinct
from starmin.models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from starmin.models.patterns.own_cost import cheapest_pattern_costs

DISTINCT_PARAMS = SubgradientParams()


class DistinctPrices(SubgradientMethod):
    r"""The Lagrangian dual of the distinct program, improved step by step.

    A price for each type that is placed splits the program into one small problem for
    each pattern (``starmin.models.lagrangian_relaxation.pricing_distinct``), as for the
    other requirements (``starmin.models.bounds.lagrangian``). It is an integer one, so
    the bound at the best prices is that of the relaxation or more.

    The run learns the bounds. ``reduction`` says which types are placed; its
    requirement is one that ``has_prices``.

    Notes
    -----
    Adult by 7 columns, occupation sensitive, on one processor: the bound 10,275 for
    l = 2 in 3 s, where the relaxation takes 17 s for the same; 19,357 for l = 4 in 9 s,
    where it takes more than 36.
    """

    method = "pattern_ilp"

    def __init__(
        self,
        run: Run,
        reduction: Reduction,
        params: SubgradientParams = DISTINCT_PARAMS,
    ) -> None:
        placed = reduction.placed_patterns
        step = params.first_step * mean_star_cost(run.table, run.objective)
        first = cheapest_pattern_costs(placed) * placed.unit.per_cost
        super().__init__(run, first, placed.counts, step, params)
        self.patterns, self._reduction = placed, reduction
        self._data = pricing_data(
            placed, reduction.placed_types, reduction.k, reduction.distinct
        )
        self._borrows = np.zeros(len(placed), bool)
        self._borrows[reduction.borrowers] = True

    def least(self) -> Floats:
        """Return what a release that uses each placed incidence costs at least."""
        least = np.zeros(len(self.patterns.types), np.int64)
        bound, _ = self._solve(self.prices, least)
        return np.asarray((bound + least) / self.unit.per_cost)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return self._solve(prices, np.zeros(0, np.int64))

    def _solve(self, prices: Ints, least: Ints) -> tuple[int, Ints]:
        placed, supergradient = self.patterns, self.patterns.counts.copy()
        self.unit.expect(prices)
        gains = solve_pricing_distinct(
            self._data, prices, self._borrows, supergradient, least
        )
        return int(prices @ placed.counts) + self.unit.total(gains), supergradient

    def _certificate(self, bound: int) -> Certificate | None:
        return placed_price_tree(self.run, self._reduction, self.prices, bound)
