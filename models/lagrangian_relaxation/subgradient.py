"""The subgradient method: prices improved along supergradients of their bound."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from starmin.instances import Certificate, Run
from starmin.instances.arrays import Floats, Ints
from starmin.instances.runs.search_control import now
from starmin.models.price_unit import PriceUnit

# The direction of a step of prices: smoothed, and of a like size for every type.

_PAST = 0.9  # its weight in the means of supergradients and of their squares
# Added to the root of the mean square, so that a type whose supergradient is all but 0
# moves little.
_LEAST = 0.01


class AdamStep:
    """Running means of supergradients, as Kingma and Ba (2015) take them.

    ``size`` is the number of prices.

    Examples
    --------
    >>> steps = AdamStep(2)
    >>> steps.along(np.array([4.0, -1.0])).round(2).tolist()
    [1.0, -0.99]
    """

    def __init__(self, size: int) -> None:
        self._mean, self._square = np.zeros(size), np.zeros(size)
        self._step = 0

    def along(self, supergradient: Floats) -> Floats:
        """Return the direction of the next step.

        It is the mean of the supergradients so far divided by the root of their mean
        square, the latest ones weighing most.
        """
        self._step += 1
        self._mean = _PAST * self._mean + (1 - _PAST) * supergradient
        self._square = _PAST * self._square + (1 - _PAST) * supergradient**2
        rest = 1 - _PAST**self._step  # Both means start at 0, which this makes up for.
        mean, square = self._mean / rest, self._square / rest
        return np.asarray(mean / (np.sqrt(square) + _LEAST))


# The loop of the subgradient method: prices move along supergradients.


def subgradient_steps(
    supergradient: Callable[[Floats], Ints],
    prices: Floats,
    demand: Ints,
    steps: int,
    length: Callable[[float], float],
    spent: Callable[[Ints], float] = lambda found: 0.0,
    ceiling: Floats | None = None,
) -> Floats:
    """Move prices along smoothed supergradients of the bound they prove.

    Prices are in the unit of costs; those after the last step are returned, and never
    exceed ``ceiling``. ``supergradient`` solves the pricing problems at given prices,
    an array that changes later, and returns a supergradient of the bound there; it is
    measured as a share of ``demand``, for each price the right-hand side of its
    constraint. ``length`` is that of a step, in the unit of costs, by the share of the
    round that is done, from 0 to 1. ``spent`` is the share of the time that is used up,
    given the supergradient just computed; from 1 on the loop ends.

    Examples
    --------
    >>> prices = subgradient_steps(
    ...     lambda at: np.where(at < 2, 1, -1), np.zeros(1), np.ones(1), 60,
    ...     lambda done: 0.5 * 0.05**done,
    ... )
    >>> prices.round().tolist()
    [2.0]
    """
    prices, smoothed = prices.copy(), AdamStep(len(prices))
    for step in range(1, steps + 1):
        found = supergradient(prices)
        used = spent(found)
        if used >= 1:
            break
        prices += length(max(step / steps, used)) * smoothed.along(found / demand)
        if ceiling is not None:
            np.minimum(prices, ceiling, out=prices)
    return prices


@dataclass(frozen=True)
class SubgradientParams:
    """Constants that steer the subgradient method."""

    # the first step of the first round, in mean costs of a star
    first_step: float = 0.3
    steps: int = 500  # of the first round
    last_step: float = 0.005  # the last step of a round, as a share of its first one
    # the first step of a round, as a share of that of the round before
    next_step: float = 0.3
    longer: int = 1  # steps of a round, as a multiple of those of the round before
    # seconds after which the run is told of a better bound within a round
    note_every: float = 5.0
    share: float = 1.0  # of the time left, what a round may take


class SubgradientMethod(ABC):
    """Prices, the bound they prove, and steps that raise it.

    The run learns the bounds; its time ends the search.

    A supergradient is measured as a share of ``demand``, for each price the right-hand
    side of its constraint; ``first`` is the first step of the first round, in the unit
    of the costs. ``prices``, in ``unit``, are those to begin with, then the best so
    far; ``value`` is their bound in the same unit, not rounded, exact. ``ceiling`` is
    what they never exceed, or None; ``iterations`` counts the bounds computed.
    """

    method: ClassVar[str]

    def __init__(
        self,
        run: Run[Any],
        prices: Ints,
        demand: Ints,
        first: float,
        params: SubgradientParams,
    ) -> None:
        self.run, self.prices, self.params = run, prices, params
        self.unit = PriceUnit.of(run.table, run.objective)
        self.value = -(1 << 62)
        self.iterations = 0
        self.ceiling: Floats | None = None
        self._demand, self._first = demand, first
        self._noted = now()

    @abstractmethod
    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        """Return the bound of these prices, and a supergradient of it there."""

    @abstractmethod
    def _certificate(self, bound: int) -> Certificate | None:
        """Return the certificate of the best prices, where there is a form for it."""

    def improve(self, tolerance: float) -> None:
        """Take rounds of steps until one gains too little, or time or gap are used up.

        Too little is the share ``tolerance`` of the bound, for as many steps as the
        first round has. Rounds may be longer than the one before, for prices converge
        slowly where many patterns share the rows, and begin with smaller steps.
        Whatever ends it, the run knows the best bound and its certificate.
        """
        params = self.params
        first, steps = self._first, params.steps
        try:
            while True:
                before = self.value
                self._round(first, steps)
                self._note()
                gained = (self.value - before) * params.steps / steps
                if self.run.closed or gained <= tolerance * abs(self.value):
                    return
                if self.run.remaining <= 0:
                    return
                first *= params.next_step
                steps *= params.longer
        except KeyboardInterrupt:
            self._note()
            raise

    def improve_once(self, first: float, steps: int | None = None) -> None:
        """Take one round of steps from the best prices, and tell the run the bound.

        ``first`` is the first step, in the unit of the costs; the steps are by default
        as many as those of the first round.
        """
        try:
            self._evaluate(self.prices)
            self._round(first, steps or self.params.steps)
        finally:
            self._note()

    def _round(self, first: float, steps: int) -> None:
        """Take one round: large steps first, small ones in the end."""
        self._climb(self._evaluate, self.prices, first, steps)

    def _climb(
        self, evaluate: Callable[[Ints], Ints], prices: Ints, first: float, steps: int
    ) -> None:
        """Take steps from some prices on, along what ``evaluate`` returns there."""
        started = now()
        seconds = self.params.share * self.run.remaining

        def spent(supergradient: Ints) -> float:
            passed = now() - started
            done = self.run.closed or passed >= seconds or not self.run.remaining
            if done or not supergradient.any():
                return 1.0
            return passed / seconds

        subgradient_steps(
            lambda at: evaluate(self.unit.whole(at)),
            prices / self.unit.per_cost,
            self._demand,
            steps,
            lambda done: first * self.params.last_step**done,
            spent,
            self.ceiling,
        )

    def _evaluate(self, prices: Ints) -> Ints:
        """Note the bound of these prices; return its supergradient."""
        value, supergradient = self._bound(prices)
        self.iterations += 1
        if value > self.value:
            self.value, self.prices = value, prices
            if now() - self._noted > self.params.note_every:
                self._note()
        return supergradient

    def _note(self) -> None:
        """Tell the run a higher bound, with its certificate."""
        self._noted = now()
        bound = max(0, self.unit.bound(self.value))
        held = self.run.certificate
        if self.iterations and (held is None or bound > held.bound):
            self.run.raise_bound(bound, self.method, self._certificate(bound))
