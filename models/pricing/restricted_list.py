"""Good prices for losses from a short list of patterns, proven by the walk over all."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianFunction,
    proven_value,
)
from starmin.models.lagrangian_relaxation.lagrangian_subgradient import (
    LagrangianSubgradient,
)
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.cost_list import COST_LIST_PARAMS, CostList, CostListParams
from starmin.models.pricing.generated_patterns import grown
from starmin.models.pricing.pricing import priced_patterns


@dataclass(frozen=True)
class ListParams:
    """How long the list is, and how it is climbed.

    Attributes
    ----------
    cheap
        How long the first list is, by cost.
    most_counting
        Pairs of a pattern and a type that may count at prices, before these are
        lowered.
    first_step, next_step
        The first step of the first round, in mean losses of a column, and that of each
        round as a share of the one before.
    steps, longer, most_steps
        Steps of the first round, those of each as a multiple of those of the one
        before, and the most.
    near, most_high
        Prices are kept below what patterns of the list may cost. Where more than the
        share ``most_high`` of them are within ``near`` of it, the list is made anew for
        these prices.
    least_proven, good
        The list is too short where less than the first share of its own bound is
        proven; prices are good where the second one is.
    lower
        Prices at which too many patterns count are lowered to this mean of them and of
        those proven, before the next try.
    """

    cheap: CostListParams = COST_LIST_PARAMS
    most_counting: int = 4_000_000
    first_step: float = 0.3
    next_step: float = 0.6
    steps: int = 35
    longer: float = 1.4
    most_steps: int = 150
    near: float = 0.95
    most_high: float = 0.1
    least_proven: float = 0.85
    good: float = 0.97
    lower: float = 0.875


_CUTS = 12  # of a third each


class ListedPrices(LagrangianSubgradient):
    """Steps whose bounds prove nothing, since the list lacks patterns."""

    def _note(self) -> None:
        pass


class RestrictedList:
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

    Parameters
    ----------
    run, types, k, l
        As for ``starmin.models.pricing.boxstep.Boxstep``.
    proven
        Called where ``prices`` prove more than before.
    params
        See ``ListParams``.
    told
        Called with prices that were reached, before they are proven.

    Attributes
    ----------
    prices
        Those that prove most, in units of ``PriceUnit``.
    value
        What they prove in the same unit, exact.
    reached
        The last prices, of which it may not be known yet what they prove.
    patterns
        All that may have a fill worth something at ``prices``; None before any walk.
    counting
        All that count at ``reached``, where the list was too short; else None.
    is_good
        Whether prices were proven that are about as good as the list can tell.
    iterations
        Steps taken.
    step, unit
        What a column loses on average, and the unit of prices.
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
        self.run, self.types, self.k, self.l, self.params = run, types, k, l, params
        self.prices, self.value = np.zeros(len(types), np.int64), 0
        self.reached = self.prices
        self.patterns: Patterns | None = None
        self.counting: Patterns | None = None
        self.is_good = False
        self.iterations, self.proven, self._told = 0, proven, told
        self.step = mean_star_cost(run.table, run.objective)
        self.unit = PriceUnit.of(run.table, run.objective)
        self.cheap = CostList(run, types, k, l, params.cheap)

    def own_costs(self) -> Ints:
        """Set prices that need no proof; what the cheapest patterns about cost.

        Raises
        ------
        TimeoutError
            The time of the run was up.
        """
        costs, self.prices = self.cheap.own_costs()
        self.value, self.reached = int(self.prices @ self.types.counts), self.prices
        self.proven()
        return costs

    def improve(self, costs: Ints, tolerance: float) -> None:
        """Raise the bound until a round gains less than this share of it.

        Or until the list turns out to be too short.

        Parameters
        ----------
        costs
            About what the cheapest pattern of each type costs.
        tolerance
            Of the bound.

        Raises
        ------
        TimeoutError
            The time of the run was up.
        """
        listed, most = self.cheap.list(costs)
        prices, first = costs * self.unit.per_cost, self.params.first_step * self.step
        steps, small = float(self.params.steps), False
        while not self.run.closed:
            ceiling = self.unit.clipped(most * self.unit.per_cost)
            problem = self.run, listed, self.types, self.k, self.l, prices, ceiling
            climb = ListedPrices(*problem, is_good=self.is_good)
            try:
                climb.improve_once(first, int(steps))
            finally:
                self.reached = prices = climb.prices
                self._told(prices)
            self.iterations += climb.iterations
            before, lower = self.value, self.params.lower
            prices, found = self._prove_about(prices, lower)
            if self.value < self.params.least_proven * climb.value:
                self.lower(prices, found)
                self.counting = found
                return
            self.is_good |= self.value >= self.params.good * climb.value
            high = prices > self.params.near * ceiling
            least = tolerance * self.value
            higher = np.maximum(costs, prices // self.unit.per_cost)
            # Costs that do not rise would give the same list again, without an end.
            if high.mean() > self.params.most_high and (higher > costs).any():
                costs = higher
                listed, most = self.cheap.list(costs)
            else:
                before_small = small
                small = max(self.value - before, climb.value - self.value) <= least
                # A climb in few steps may have gained little by chance.
                if small and (before_small or steps >= self.params.most_steps):
                    return
                # No ceiling is above the highest price.
                highest = self.unit.most // self.unit.per_cost
                most = np.minimum(np.where(high, 2 * most, most), highest)
                first *= self.params.next_step
            steps = min(steps * self.params.longer, self.params.most_steps)
            listed = grown(listed, found)

    def _prove_about(self, prices: Ints, lower: float) -> tuple[Ints, Patterns]:
        """Prove these prices, or means with those proven if too much counts there."""
        while (found := self._prove(prices)) is None:
            mean = lower * prices + (1 - lower) * self.prices
            self.reached = prices = mean.astype(np.int64)
        return prices, found

    def _prove(self, prices: Ints) -> Patterns | None:
        """Find what counts at prices, and keep their bound; None for too many."""
        run, limit = self.run, self.params.most_counting
        problem = run.table, self.types, run.objective, prices, self.k, self.l
        found = priced_patterns(*problem, most_incidences=limit, check=run.check_time)
        if found is None:
            return None
        value = proven_value(found, self.types, self.k, self.l, prices)
        if value > self.value:
            self.prices, self.value, self.patterns = prices, value, found
            self.proven()
        return found

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
