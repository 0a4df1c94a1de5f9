"""Climbs on lists of patterns, and the proof of the prices by all patterns."""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import proven_value
from starmin.models.lagrangian_relaxation.lagrangian_subgradient import (
    LagrangianSubgradient,
)
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.price_rounds import PriceRounds, Round
from starmin.models.pricing.pricing import priced_patterns


class ListedPrices(LagrangianSubgradient):
    """Steps whose bounds prove nothing, since the list lacks patterns."""

    def _note(self) -> None:
        pass


class ListedColumns:
    """Prices that climb on lists of patterns, and what they prove by all patterns.

    The bound of a list is an estimate. The walk over all patterns finds those that
    count at the prices reached, and with them the bound that these prices prove.

    The time of the run ends the climb. Row types are by QI, or by QI and sensitive
    values for l-diversity; ``k`` and ``l`` are 1 where nothing is asked for.
    ``prices``, in units of ``PriceUnit``, are those to begin with, then those that
    prove most, and ``value`` is what they prove, exact. ``reached`` are the last
    prices, of which it may not be known yet what they prove. ``patterns`` are all that
    may have a fill worth something at ``prices``, None before any walk; ``iterations``
    counts the steps taken.
    """

    def __init__(
        self, run: Run, types: RowTypes, k: int, l: int, prices: Ints, value: int
    ) -> None:
        self.run, self.types, self.k, self.l = run, types, k, l
        self.prices, self.value, self.reached = prices, value, prices
        self.patterns: Patterns | None = None
        self.iterations = 0

    def climb_on(self, now: Round) -> ListedPrices:
        """Climb, and set the prices reached, whatever ends it."""
        problem = self.run, now.listed, self.types, self.k, self.l
        climb = ListedPrices(*problem, now.prices, now.ceiling, is_good=now.is_good)
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
        run = self.run
        return priced_patterns(
            *(run.table, self.types, run.objective, prices, self.k, self.l),
            threshold=threshold,
            most_incidences=most,
            check=run.check_time,
        )

    def keep(self, prices: Ints, found: Patterns) -> bool:
        """Keep prices if they prove more; return whether they do."""
        value = proven_value(found, self.types, self.k, self.l, prices)
        if value <= self.value:
            return False
        self.prices, self.value, self.patterns = prices, value, found
        return True


class ListRule(ListedColumns, PriceRounds[Patterns]):
    """What is listed first and next, where all that counts at prices is listed.

    The problem has losses. ``proven`` is called where ``prices`` prove more than
    before. Prices at which more than ``most_counting`` pairs of a pattern and a type
    count are lowered to the mean ``lower`` of them and of those proven, before the next
    try.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        k: int,
        l: int,
        proven: Callable[[], None],
        most_counting: int,
        lower: float,
    ) -> None:
        super().__init__(run, types, k, l, np.zeros(len(types), np.int64), 0)
        self.proven, self._most_counting, self._lower = proven, most_counting, lower

    @abstractmethod
    def begin(self, costs: Ints) -> Round:
        """Return the first round, by about what the cheapest patterns cost."""

    def improve(self, costs: Ints, tolerance: float) -> None:
        """Raise the bound, round by round, until the rule ends it.

        ``costs`` are about what the cheapest pattern of each type costs. A round that
        gains less than the share ``tolerance`` of the bound may be the last.
        TimeoutError where the time of the run is up.
        """
        self.rounds(self.begin(costs), tolerance)

    def climb(self, now: Round) -> tuple[Ints, Patterns, int]:
        """Climb; prove these prices, or means with those proven if too much counts."""
        climb = self.climb_on(now)
        prices = climb.prices
        while (found := self.counting_at(prices, self._most_counting)) is None:
            mean = self._lower * prices + (1 - self._lower) * self.prices
            self.reached = prices = mean.astype(np.int64)
        if self.keep(prices, found):
            self.proven()
        return prices, found, climb.value
