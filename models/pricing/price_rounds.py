"""The loop of all column generations: climb on a list, prove by all, list anew."""

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple, TypeVar

from starmin.instances import Run
from starmin.instances.arrays import Ints
from starmin.models.patterns.patterns import Patterns

Found = TypeVar("Found")


class Round(NamedTuple):
    """A climb on a list."""

    listed: Patterns  # the patterns
    # prices, ceiling: to begin with, and what they never exceed, in units of
    # ``PriceUnit``; None for no ceiling
    prices: Ints
    ceiling: Ints | None
    # first, steps: the first step, in the unit of costs, and how many there are; None
    # for those of the subgradient method
    first: float
    steps: int | None
    # whether the prices to begin with tell which patterns may matter
    is_good: bool = False


class PriceRounds(ABC, Generic[Found]):
    """Prices that climb on one list after the other, by a rule for the next list."""

    run: Run[Any]  # its time ends the rounds, and so does a gap that is closed
    value: int  # what the best prices prove, in units of ``PriceUnit``, exact

    def rounds(self, first: Round | None, tolerance: float) -> None:
        """Climb, prove and list, until the rule ends it.

        ``first`` is None for no round at all. A round that gains less than the share
        ``tolerance`` of the bound may be the last. TimeoutError where the time of the
        run is up.
        """
        now = first
        while now is not None and not self.run.closed:
            before = self.value
            prices, found, estimate = self.climb(now)
            last = now._replace(prices=prices)
            now = self.follow(last, found, estimate, before, tolerance)

    @abstractmethod
    def climb(self, now: Round) -> tuple[Ints, Found, int]:
        """Climb on a list, and find out what the prices reached prove.

        Returns the prices, what the proof found for the next list, and what the list
        alone proves: where it lacks patterns, an estimate.
        """

    @abstractmethod
    def follow(
        self, last: Round, found: Found, estimate: int, before: int, tolerance: float
    ) -> Round | None:
        """Return the next round; None at the end.

        ``last`` is the round that was climbed, with the prices that were reached;
        ``found`` and ``estimate`` are as in ``climb``. ``before`` is what was proven
        before this round; a gain of less than the share ``tolerance`` of the bound is
        too little.
        """
