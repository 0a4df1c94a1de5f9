"""The loop of all column generations: climb on a list, prove by all, list anew."""

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple, TypeVar

from starmin.instances import Run
from starmin.instances.arrays import Ints
from starmin.models.patterns.patterns import Patterns

Found = TypeVar("Found")


class Round(NamedTuple):
    """A climb on a list.

    Attributes
    ----------
    listed
        The patterns.
    prices, ceiling
        To begin with, and what they never exceed, in units of ``PriceUnit``; None for
        no ceiling.
    first, steps
        The first step, in the unit of costs, and how many there are; None for those of
        the subgradient method.
    is_good
        Whether the prices to begin with tell which patterns may matter.
    """

    listed: Patterns
    prices: Ints
    ceiling: Ints | None
    first: float
    steps: int | None
    is_good: bool = False


class PriceRounds(ABC, Generic[Found]):
    """Prices that climb on one list after the other, by a rule for the next list.

    Attributes
    ----------
    run
        The problem; its time ends the rounds, and so does a gap that is closed.
    value
        What the best prices prove, in units of ``PriceUnit``, exact.
    """

    run: Run[Any]
    value: int

    def rounds(self, first: Round | None, tolerance: float) -> None:
        """Climb, prove and list, until the rule ends it.

        Parameters
        ----------
        first
            The first round; None for no round at all.
        tolerance
            Of the bound: a round that gains less may be the last.

        Raises
        ------
        TimeoutError
            The time of the run was up.
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

        Returns
        -------
        tuple
            The prices, what the proof found for the next list, and what the list alone
            proves: where it lacks patterns, an estimate.
        """

    @abstractmethod
    def follow(
        self, last: Round, found: Found, estimate: int, before: int, tolerance: float
    ) -> Round | None:
        """Return the next round; None at the end.

        Parameters
        ----------
        last
            The round that was climbed; its prices are those that were reached.
        found, estimate
            See ``climb``.
        before
            What was proven before this round.
        tolerance
            Too little is less than this share of the bound.
        """
