"""The subgradient method on prices of items."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Floats, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.rules.price_function import PriceFunction


@dataclass(frozen=True)
class PriceStepParams:
    """Constants of the steps (running means as of Kingma and Ba 2015)."""

    # first, last: the first step in mean costs of a star, and the last one as a share
    # of it
    first: float = 0.12
    last: float = 0.02
    steps: int = 1500  # of a whole round; fewer where the time is short
    # mean, square: weight of the past in the means of supergradients and of their
    # squares
    mean: float = 0.95
    square: float = 0.98
    # added to the root of the mean square; the larger it is, the less a price moves
    # whose supergradient is small
    least: float = 0.2
    # idle, gain: the round ends where so many steps gain less than this share of the
    # bound
    idle: int = 200
    gain: float = 2e-6


PARAMS = PriceStepParams()


class PriceSteps:
    """Prices, the best bound that they proved, and steps that raise it.

    ``best`` are the best prices so far and ``value`` is their bound, in the unit of the
    function.
    """

    def __init__(
        self, function: PriceFunction, params: PriceStepParams = PARAMS
    ) -> None:
        self.function, self.params = function, params
        self.best = function.none
        self.value = function(self.best)
        entries = len(self.best)
        self._prices, self._mean, self._square = np.zeros((3, entries))
        self._scale = function.program.mean_star_cost

    def improve(self, seconds: float, told: Callable[[int], bool]) -> None:
        """Take a round of steps, large ones first, in so many seconds at most.

        ``told`` is called now and then with the best bound; a false answer ends the
        round.
        """
        params, function = self.params, self.function
        started = time.perf_counter()
        before = self.value
        for step in range(1, params.steps + 1):
            done = max(
                step / params.steps,
                (time.perf_counter() - started) / max(seconds, 1e-9),
            )
            if done >= 1:
                break
            length = self._scale * params.first * params.last**done
            whole = self._move(length)
            value = function(whole)
            if value > self.value:
                self.value, self.best = value, whole.copy()
            if step % params.idle == 0:
                if self.value - before < params.gain * abs(self.value):
                    break
                before = self.value
            if step % 16 == 0 and not told(function.bound(self.value)):
                break

    def begin(self, prices: Ints) -> None:
        """Go on from some prices, in the unit of the function."""
        self._prices = prices / self.function.unit.per_cost
        if (value := self.function(prices)) > self.value:
            self.value, self.best = value, prices

    def _move(self, length: float) -> Ints:
        function, params = self.function, self.params
        whole = np.empty(len(self._prices), np.int64)
        _move(
            self._prices,
            self._mean,
            self._square,
            function.shown,
            function.used,
            function.copies,
            np.array([length, params.mean, params.square, params.least]),
            whole,
            function.unit.per_cost,
            function.unit.most,
        )
        return whole


@compiled
def _move(
    prices: Floats,
    mean: Floats,
    square: Floats,
    shown: Ints,
    used: Ints,
    copies: Ints,
    constants: Floats,
    whole: Ints,
    per_cost: int,
    most: int,
) -> None:
    """Move prices along smoothed supergradients, and write them as whole numbers.

    A supergradient says, as a share of the rows of an entry, how many more show it than
    are in the best fill.
    """
    step, past, past_square, least = constants
    for e in range(len(prices)):
        found = (shown[e] - used[e]) / copies[e]
        mean[e] = past * mean[e] + (1 - past) * found
        square[e] = past_square * square[e] + (1 - past_square) * found * found
        prices[e] += step * mean[e] / (np.sqrt(square[e]) + least)
        number = np.rint(prices[e] * per_cost)
        whole[e] = int(min(max(number, -most), most))
