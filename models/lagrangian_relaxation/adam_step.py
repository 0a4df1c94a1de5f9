"""The direction of a step of prices: smoothed, and of a like size for every type."""

from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Floats


@dataclass(frozen=True)
class AdamParams:
    """Constants of the running means (Kingma and Ba 2015)."""

    # mean, square: weight of the past in the running mean of supergradients, and in
    # that of their squares; 0 to 1
    mean: float = 0.9
    square: float = 0.9
    # added to the root of the mean square, so that a type whose supergradient is all
    # but 0 moves little; in the unit of the supergradients
    least: float = 0.01


class AdamStep:
    """Running means of supergradients, as Kingma and Ba (2015) take them.

    ``size`` is the number of prices.

    Examples
    --------
    >>> steps = AdamStep(2)
    >>> steps.along(np.array([4.0, -1.0])).round(2).tolist()
    [1.0, -0.99]
    """

    def __init__(self, size: int, params: AdamParams = AdamParams()) -> None:
        self._mean, self._square = np.zeros(size), np.zeros(size)
        self._step = 0
        self._params = params

    def along(self, supergradient: Floats) -> Floats:
        """Return the direction of the next step.

        It is the mean of the supergradients so far divided by the root of their mean
        square, the latest ones weighing most.
        """
        params = self._params
        self._step += 1
        self._mean = params.mean * self._mean + (1 - params.mean) * supergradient
        self._square = (
            params.square * self._square + (1 - params.square) * supergradient**2
        )
        # Both means start at 0, which the divisors make up for.
        mean = self._mean / (1 - params.mean**self._step)
        square = self._square / (1 - params.square**self._step)
        return np.asarray(mean / (np.sqrt(square) + params.least))
