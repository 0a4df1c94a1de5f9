"""Good prices for losses from a short list of patterns, proven by the walk over all."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.cost_list import COST_LIST_PARAMS, CostList, CostListParams
from starmin.models.pricing.generated_patterns import grown
from starmin.models.pricing.listed_columns import ListRule
from starmin.models.pricing.price_rounds import Round


@dataclass(frozen=True)
class ListParams:
    """How long the list is, and how it is climbed."""

    cheap: CostListParams = COST_LIST_PARAMS  # how long the first list is, by cost
    # pairs of a pattern and a type that may count at prices, before these are lowered
    most_counting: int = 4_000_000
    # first_step, next_step: the first step of the first round, in mean losses of a
    # column, and that of each round as a share of the one before
    first_step: float = 0.3
    next_step: float = 0.6
    # steps, longer, most_steps: steps of the first round, those of each as a multiple
    # of those of the one before, and the most
    steps: int = 35
    longer: float = 1.4
    most_steps: int = 150
    # near, most_high: prices are kept below what patterns of the list may cost; where
    # more than the share ``most_high`` of them are within ``near`` of it, the list is
    # made anew for these prices
    near: float = 0.95
    most_high: float = 0.1
    # least_proven, good: the list is too short where less than the first share of its
    # own bound is proven; prices are good where the second one is
    least_proven: float = 0.85
    good: float = 0.97
    # prices at which too many patterns count are lowered to this mean of them and of
    # those proven, before the next try
    lower: float = 0.875


_CUTS = 12  # of a third each


class RestrictedList(ListRule):
    r"""Column generation for the price bound that begins with a list by cost.

    Patterns are listed with those types alone for which they cost little
    (``starmin.models.pricing.cost_list``), and prices climb on this list. Its bound is
    an estimate; the walk over all vectors of nodes
    (``starmin.models.patterns.node_patterns``) finds those whose fills are worth
    something at the prices reached, and with them the bound that these prices prove.
    They join the list, and again.

    Where ranges of numbers are among the nodes, so many patterns cost a row nearly the
    same that a list of some of them says little of all. Then this ends early, with what
    counts at the prices reached, for an ascent below these.

    The problem has losses. ``proven`` is called where ``prices`` prove more than
    before, ``told`` with prices that were reached, before they are proven. Beside what
    ``ListedColumns`` has, ``counting`` are all patterns that count at ``reached``,
    where the list was too short, else None; ``is_good`` says whether prices were proven
    that are about as good as the list can tell; ``step`` is what a column loses on
    average, and ``unit`` that of prices.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        k: int,
        l: int,
        proven: Callable[[], None],
        params: ListParams = ListParams(),
        told: Callable[[Ints], None] = lambda prices: None,
    ) -> None:
        limits = params.most_counting, params.lower
        super().__init__(run, types, k, l, proven, *limits)
        self.params, self._told = params, told
        self.counting: Patterns | None = None
        self.is_good = False
        self.step = mean_star_cost(run.table, run.objective)
        self.unit = PriceUnit.of(run.table, run.objective)
        self.cheap = CostList(run, types, k, l, params.cheap)
        self._costs = self._most = self.prices
        self._was_small, self._steps = False, float(params.steps)

    def own_costs(self) -> Ints:
        """Set prices that need no proof; return about what the cheapest patterns cost.

        By type. TimeoutError where the time of the run is up.
        """
        costs, self.prices = self.cheap.own_costs()
        self.value, self.reached = int(self.prices @ self.types.counts), self.prices
        self.proven()
        return costs

    def begin(self, costs: Ints) -> Round:
        """Return a climb on what costs little."""
        self._costs = costs
        listed, self._most = self.cheap.list(costs)
        prices, first = costs * self.unit.per_cost, self.params.first_step * self.step
        return Round(listed, prices, self._ceiling(), first, self.params.steps)

    def follow(
        self, last: Round, found: Patterns, estimate: int, before: int, tolerance: float
    ) -> Round | None:
        """Return a climb on what costs little or has counted; None for little gain.

        Or where the list is too short.
        """
        params, costs, ceiling = self.params, self._costs, last.ceiling
        assert ceiling is not None
        if self.value < params.least_proven * estimate:
            self.lower(last.prices, found)
            self.counting = found
            return None
        self.is_good |= self.value >= params.good * estimate
        listed, first = last.listed, last.first
        high = last.prices > params.near * ceiling
        higher = np.maximum(costs, last.prices // self.unit.per_cost)
        # Costs that do not rise would give the same list again, without an end.
        if high.mean() > params.most_high and (higher > costs).any():
            self._costs = higher
            listed, self._most = self.cheap.list(higher)
        else:
            least, was_small = tolerance * self.value, self._was_small
            missed = max(self.value - before, estimate - self.value)
            self._was_small = missed <= least
            # A climb in few steps may have gained little by chance.
            if self._was_small and (was_small or self._steps >= params.most_steps):
                return None
            # No ceiling is above the highest price.
            highest = self.unit.most // self.unit.per_cost
            most = np.where(high, 2 * self._most, self._most)
            self._most = np.minimum(most, highest)
            first *= params.next_step
        self._steps = min(self._steps * params.longer, params.most_steps)
        listed, steps = grown(listed, found), int(self._steps)
        return Round(
            listed, last.prices, self._ceiling(), first, steps, is_good=self.is_good
        )

    def _ceiling(self) -> Ints:
        return self.unit.clipped(self._most * self.unit.per_cost)

    def _reach(self, prices: Ints) -> None:
        super()._reach(prices)
        self._told(prices)

    def lower(self, prices: Ints, counting: Patterns) -> None:
        """Prove multiples of prices that are too high.

        What counts at the prices is all that counts at lower ones, and the bound is
        concave along their multiples: the best one is found by ternary search.
        """
        if len(counting) == 0:
            return
        function = LagrangianFunction(counting, self.types, self.k, self.l)
        low, high = 0.0, 1.0
        for _ in range(_CUTS):
            third = (high - low) / 3
            tried = [
                (prices * (low + part * third)).astype(np.int64) for part in (1, 2)
            ]
            values = [function(each)[0] for each in tried]
            best = int(values[1] > values[0])
            if values[best] > self.value:
                self.prices, self.value, self.patterns = (
                    tried[best],
                    values[best],
                    counting,
                )
            low, high = (low + third, high) if best else (low, high - third)
        self.proven()
