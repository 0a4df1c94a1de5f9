"""The subgradient method on the patterns near the least cost of their row types."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np

from starmin.instances import Certificate, RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.lagrangian_relaxation.lagrangian_subgradient import (
    LAGRANGIAN_PARAMS,
)
from starmin.models.lagrangian_relaxation.price_bound import (
    mean_star_cost,
    price_certificate,
)
from starmin.models.lagrangian_relaxation.subgradient import SubgradientMethod
from starmin.models.near_patterns.near_listing import NearPatterns
from starmin.models.price_unit import PriceUnit


class NearPrices(SubgradientMethod):
    """Prices of row types, none above own cost and slack, and the bound they prove.

    The bound holds for all patterns. One that is not listed has no choice of negative
    value, for none of its types has a price above its cost. In one that is, a copy of a
    type that is not near costs more than ``NearPatterns.outside`` beyond its price, and
    there are taken to be as many of them as are wanted.

    The first prices are the own costs, so the bound is never below their sum. No
    certificate is made on the way: that takes as long as many steps.

    The run learns the bounds, and its time ends the search. ``own`` is by type,
    ``slack`` in the unit of costs; ``function`` returns the bound of prices on the near
    patterns, and a supergradient.
    """

    method = "lagrangian"

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        own: Ints,
        slack: int,
        function: Callable[[Ints], tuple[int, Ints]],
    ) -> None:
        params = LAGRANGIAN_PARAMS
        first = params.first_step * mean_star_cost(run.table, run.objective)
        unit = PriceUnit.of(run.table, run.objective)
        super().__init__(run, own * unit.per_cost, types.counts, first, params)
        self.types, self._function = types, function
        self._shared: Callable[[], AbstractContextManager[None]] = nullcontext
        self.ceiling = (own + slack).astype(np.float64)

    @classmethod
    def of_list(
        cls, run: Run, near: NearPatterns, types: RowTypes, k: int
    ) -> "NearPrices":
        """Return prices on a list that is in memory as a whole."""
        function = LagrangianFunction(near.patterns, types, k, 1, outside=near.outside)
        found = cls(run, types, near.own, near.slack, function)
        found._shared = function.shared
        return found

    def estimate(self, steps: int) -> None:
        """Take a few steps: too few for a good bound, but enough for a search."""
        with self._shared():
            self.improve_once(self._first, steps)

    def improve(self, tolerance: float) -> None:
        """As that of all subgradient methods; a list is priced by whoever is free."""
        with self._shared():
            super().improve(tolerance)

    def take_up(self, prices: Ints) -> None:
        """Go on from prices that such a search has found before."""
        self.prices = prices
        self._evaluate(prices)
        self._note()

    @property
    def bound(self) -> int:
        """What the best prices prove."""
        return max(0, self.unit.bound(self.value))

    def certify(self, run: Run) -> None:
        """Tell a run on the same problem the bound, with its certificate."""
        if not self.iterations:
            return
        problem = run.table, self.types, run.requirement, run.objective
        proof = price_certificate(*problem, self.prices, self.bound)
        run.raise_bound(self.bound, self.method, proof)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return self._function(prices)

    def _certificate(self, bound: int) -> Certificate | None:
        return None
