"""Good prices for losses from a short list of patterns, proven by the walk over all."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances import Run
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianFunction,
    LagrangianSubgradient,
)
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.patterns.node_patterns import priced_node_patterns
from starmin.models.patterns.patterns import Patterns, Sought
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.generated_patterns import (
    COST_LIST_PARAMS,
    CostList,
    CostListParams,
    grown,
    union,
)
from starmin.models.pricing.pricing import PriceRounds, Round, priced_patterns

# Climbs on lists of patterns, and the proof of the prices by all patterns.


class ListedPrices(LagrangianSubgradient):
    """Steps whose bounds prove nothing, since the list lacks patterns."""

    def _note(self) -> None:
        pass


class ListedColumns:
    """Prices that climb on lists of patterns, and what they prove by all patterns.

    The bound of a list is an estimate. The walk over all patterns finds those that
    count at the prices reached, and with them the bound that these prices prove.

    The time of the run ends the climb. ``prices``, in units of ``PriceUnit``, are those
    to begin with, then those that prove most, and ``value`` is what they prove, exact.
    ``reached`` are the last prices, of which it may not be known yet what they prove.
    ``patterns`` are all that may have a fill worth something at ``prices``, None before
    any walk; ``iterations`` counts the steps taken.
    """

    def __init__(self, run: Run, prices: Ints, value: int) -> None:
        self.run = run
        self.prices, self.value, self.reached = prices, value, prices
        self.patterns: Patterns | None = None
        self.iterations = 0

    @property
    def sought(self) -> Sought:
        """What patterns are looked for."""
        return Sought.of(self.run)

    def climb_on(self, now: Round) -> ListedPrices:
        """Climb, and set the prices reached, whatever ends it."""
        given = self.run, now.listed, now.prices, now.ceiling
        climb = ListedPrices(*given, is_good=now.is_good)
        try:
            climb.improve_once(now.first, now.steps)
        finally:
            self._reach(climb.prices)
        self.iterations += climb.iterations
        return climb

    def _reach(self, prices: Ints) -> None:
        """Note that prices were reached that are not proven yet."""
        self.reached = prices

    def counting_at(
        self, prices: Ints, most: int, threshold: int = 0
    ) -> Patterns | None:
        """List what counts at prices, or is worth less than a threshold.

        None where that are more than so many pairs with types.
        """
        return priced_patterns(
            self.sought, prices, threshold=threshold, most_incidences=most
        )

    def keep(self, prices: Ints, found: Patterns) -> bool:
        """Keep prices if they prove more; return whether they do."""
        value = int(prices @ self.sought.types.counts)  # where nothing counts there
        if len(found):
            value = LagrangianFunction(found, *self.sought.asked)(prices)[0]
        if value <= self.value:
            return False
        self.prices, self.value, self.patterns = prices, value, found
        return True


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


class RestrictedList(ListedColumns, PriceRounds[Patterns]):
    r"""Column generation for the price bound that begins with a list by cost.

    Patterns are listed with those types alone for which they cost little
    (``starmin.models.pricing.generated_patterns``), and prices climb on this list. Its
    bound is an estimate; the walk over all vectors of nodes
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
        proven: Callable[[], None],
        params: ListParams = ListParams(),
        told: Callable[[Ints], None] = lambda prices: None,
    ) -> None:
        sought = Sought.of(run)
        super().__init__(run, np.zeros(len(sought.types), np.int64), 0)
        self.proven, self.params, self._told = proven, params, told
        self._lower = params.lower
        self.counting: Patterns | None = None
        self.is_good = False
        self.step = mean_star_cost(run.table, run.objective)
        self.unit = PriceUnit.of(run.table, run.objective)
        self.cheap = CostList(sought, params.cheap)
        self._costs = self._most = self.prices
        self._was_small, self._steps = False, float(params.steps)

    def own_costs(self) -> Ints:
        """Set prices that need no proof; return about what the cheapest patterns cost.

        By type. TimeoutError where the time of the run is up.
        """
        costs, self.prices = self.cheap.own_costs()
        counts = self.sought.types.counts
        self.value, self.reached = int(self.prices @ counts), self.prices
        self.proven()
        return costs

    def climb(self, now: Round) -> tuple[Ints, Patterns, int]:
        """Climb; prove these prices, or means with those proven if too much counts."""
        climb = self.climb_on(now)
        prices, most = climb.prices, self.params.most_counting
        while (found := self.counting_at(prices, most)) is None:
            mean = self._lower * prices + (1 - self._lower) * self.prices
            self.reached = prices = mean.astype(np.int64)
        if self.keep(prices, found):
            self.proven()
        return prices, found, climb.value

    def begin(self, costs: Ints) -> Round:
        """Return a climb on what costs little.

        ``costs`` are about what the cheapest pattern of each type costs.
        """
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
        function = LagrangianFunction(counting, *self.sought.asked)
        low, high = 0.0, 1.0
        for _ in range(_CUTS):
            third = (high - low) / 3
            tried = [
                (prices * (low + part * third)).astype(np.int64) for part in (1, 2)
            ]
            values = [function(each)[0] for each in tried]
            best = int(values[1] > values[0])
            if values[best] > self.value:
                self.prices, self.value = tried[best], values[best]
                self.patterns = counting
            low, high = (low + third, high) if best else (low, high - third)
        self.proven()


# Good prices for losses under l-diversity, from lists of cheap row sets.


@dataclass(frozen=True)
class RowSetParams:
    """How long the lists are, and how they are climbed."""

    # first_width, width: a list has the row sets worth less than so many mean prices:
    # the first one, on which prices rise far, and the others; those of twice as many
    # where the last one was too short
    first_width: float = 5.0
    width: float = 1.5
    # a list was long enough if this share of its own bound is proven, or more
    exact: float = 0.98
    # the first step of a round, as a share of that of the round before
    next_step: float = 0.8
    # prices at which too many patterns count are lowered to this mean of them and of
    # those proven, before the next try
    lower: float = 0.5


ROW_SET_PARAMS = RowSetParams()
_STEPS = 150
_LEAST_WIDTH = 1e-3


class RowSetList(RestrictedList):
    """Column generation for the price bound of l-diversity, by lists of row sets.

    Rows of rare values let rows of frequent ones form groups, and their prices rise far
    above what they pay. So patterns of little cost are soon too few. But at any prices
    few types are in a row set that is worth little
    (``starmin.models.patterns.descent``): on Adult, l = 4, one in fifty of those
    that fit a pattern and cost less than all others there gain. Prices climb on a list
    of these, without a ceiling; the walk proves what they are worth and makes the next
    list. The first list is one by cost.

    For k at most l.
    """

    def begin(self, costs: Ints) -> Round:
        """Return a climb on what costs little."""
        self._width, self._rounds = ROW_SET_PARAMS.first_width, 0
        self._lower = ROW_SET_PARAMS.lower
        return super().begin(costs)._replace(steps=_STEPS)

    def follow(
        self, last: Round, found: Patterns, estimate: int, before: int, tolerance: float
    ) -> Round | None:
        """Return a climb on row sets worth little; None where a round gained little."""
        params = ROW_SET_PARAMS
        exact = self.value >= params.exact * estimate
        if not exact:
            self.lower(last.prices, found)
        gained, missed = self.value - before, estimate - self.value
        if self._rounds > 0:
            if max(gained, missed) <= tolerance * self.value:
                return None
            short = not exact and self._rounds > 1
            wider = min(2 * self._width, params.first_width)
            self._width = wider if short else params.width
        self._rounds += 1
        listed = self._near(last.prices, self._width, found)
        return Round(listed, last.prices, None, last.first * params.next_step, _STEPS)

    def _reach(self, prices: Ints) -> None:
        self.reached = prices  # told once they are proven

    def _near(self, prices: Ints, width: float, counting: Patterns) -> Patterns:
        """List the row sets worth less than so many mean prices, fewer if too many.

        They include what counts at the prices, and all that can be published coarsest.
        """
        sought = self.sought
        mean = int(prices @ sought.types.counts) / sought.table.n
        found: Patterns | None = None
        while found is None and width > _LEAST_WIDTH:
            found = priced_node_patterns(
                *(sought, prices),
                threshold=int(width * mean) + 1,
                by_sets=True,
                most_incidences=self.params.most_counting,
            )
            width /= 2
        return union(self.cheap.coarsest(), counting if found is None else found)
