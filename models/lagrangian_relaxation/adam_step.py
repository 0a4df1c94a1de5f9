"""The direction of a step of prices: smoothed, and of a like size for every type."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_MEAN, _SQUARE, _LEAST = 0.9, 0.9, 0.01


class AdamStep:
    """Running means of supergradients, as Kingma and Ba (2015) take them.

    Examples
    --------
    >>> steps = AdamStep(2)
    >>> steps.along(np.array([4.0, -1.0])).round(2).tolist()
    [1.0, -0.99]
    """

    def __init__(self, size: int) -> None:
        self._mean, self._square = np.zeros(size), np.zeros(size)
        self._step = 0

    def along(self, lack: Floats) -> Floats:
        """The mean of ``lack`` over the last steps, by the root of its mean square."""
        self._step += 1
        self._mean = _MEAN * self._mean + (1 - _MEAN) * lack
        self._square = _SQUARE * self._square + (1 - _SQUARE) * lack**2
        # Both means start at 0, which the divisors make up for.
        mean = self._mean / (1 - _MEAN**self._step)
        square = self._square / (1 - _SQUARE**self._step)
        return np.asarray(mean / (np.sqrt(square) + _LEAST))
