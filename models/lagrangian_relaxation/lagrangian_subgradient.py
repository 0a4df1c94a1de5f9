"""The subgradient method for the prices of row types."""

import numpy as np

from starmin.instances import Certificate, RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.work import spend
from starmin.models.lagrangian_relaxation.lagrangian_fixing import lagrangian_fixing
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.lagrangian_relaxation.price_bound import (
    mean_star_cost,
    price_certificate,
)
from starmin.models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from starmin.models.patterns.own_cost import cheapest_pattern_costs
from starmin.models.patterns.patterns import Patterns

# Of a list of more incidences than LONG, a round looks at the patterns that so many
# stars would open. It is repaired, at most so often, where others take more than this
# share of the bound.
LONG, NEAR, REPAIRS, CLOSE = 300_000, 2.0, 3, 1e-5
# Prices of row types converge slowly, so rounds become longer and keep larger steps.
PAIRS_PRICED = 0.003  # units of work of a pair of a pattern and a type
LAGRANGIAN_PARAMS = SubgradientParams(next_step=0.5, longer=2)


class _Best:
    """A function of prices, and the prices of its highest value so far."""

    def __init__(self, function: LagrangianFunction) -> None:
        self._function = function
        self.value, self.calls = -(1 << 62), 0
        self.prices: Ints | None = None

    def __call__(self, prices: Ints) -> Ints:
        """Return the supergradient at some prices."""
        value, supergradient = self._function(prices)
        self.calls += 1
        if value > self.value:
            self.value, self.prices = value, prices
        return supergradient


class LagrangianSubgradient(SubgradientMethod):
    """The subgradient method for the Lagrangian dual of the pattern formulation.

    The run learns the bounds; its time ends the search. ``l`` applies to the first
    sensitive column. ``initial`` are the prices to start from, by default those of the
    own-pattern bound; ``is_good`` says that they are nearly as good as those to be
    found, so that they tell which patterns may matter: those of a whole round are.
    Prices never exceed ``ceiling``, in units of ``PriceUnit``, so that the patterns
    need only be those that count there (``starmin.models.pricing.pricing``).

    ``outside`` is for k-anonymity: the least reduced cost in each pattern of a copy
    that is of no member, however many there are; INFEASIBLE where there are none.
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
        is_good: bool = False,
    ) -> None:
        star = mean_star_cost(run.table, run.objective)
        prices = (
            cheapest_pattern_costs(patterns) * patterns.unit.per_cost
            if initial is None
            else initial
        )
        first = params.first_step * star
        super().__init__(run, prices, patterns.counts, first, params)
        self.types, self.patterns, self.k, self.l = types, patterns, k, l
        self.ceiling = None if ceiling is None else ceiling / self.unit.per_cost
        self._function = LagrangianFunction(patterns, types, k, l, outside=outside)
        self._is_good = is_good
        self._has_outside, self._near = outside is not None, NEAR * star

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        spend(PAIRS_PRICED * len(self.patterns.types))
        return self._function(prices)

    def improve(self, tolerance: float) -> None:
        """As that of all subgradient methods; patterns are priced side by side."""
        with self._function.shared():
            super().improve(tolerance)

    def improve_once(self, first: float, steps: int | None = None) -> None:
        """As that of all subgradient methods; patterns are priced side by side."""
        with self._function.shared():
            super().improve_once(first, steps)

    def _round(self, first: float, steps: int) -> None:
        """Take one round, of a long list with the patterns that may matter alone.

        What it comes to is then computed with all patterns. Where some that were left
        out matter there, fewer and smaller steps follow, with these among them. Which
        ones may matter is seen from good prices only, so not in a first round.
        """
        if not self._is_good or len(self.patterns.types) < LONG:
            super()._round(first, steps)
            self._is_good = not self._has_outside
            return
        prices = self.prices
        for _ in range(REPAIRS):
            best = _Best(self._near_function(prices))
            self._climb(best, prices, first, steps)
            if best.prices is None:
                return
            self.iterations += best.calls
            prices = best.prices
            self._evaluate(prices)
            whole = self._bound(prices)[0]
            if best.value - whole <= CLOSE * abs(whole) or self.run.remaining <= 0:
                return
            first, steps = first / REPAIRS, max(1, steps // REPAIRS)

    def _near_function(self, prices: Ints) -> LagrangianFunction:
        """Return the function of the patterns that are nearly worth opening."""
        patterns = self.patterns
        least = lagrangian_fixing(patterns, self.types, prices, self.k, self.l)
        worth = np.minimum.reduceat(least, patterns.starts[:-1])
        near = worth - self._bound(prices)[0] <= self._near * self.unit.per_cost
        near |= not near.any()  # all where none is
        function = LagrangianFunction(patterns.select(near), self.types, self.k, self.l)
        function.team = self._function.team
        return function

    def _certificate(self, bound: int) -> Certificate | None:
        run = self.run
        return price_certificate(
            run.table, self.types, run.requirement, run.objective, self.prices, bound
        )
