"""Weights of operators that adapt to what each of them gained of late."""

import numpy as np

from starmin.instances.arrays import Floats


class OperatorWeights:
    """The adaptive weights of a large neighbourhood search.

    The weight of an operator is the running mean of its rewards, and never less than a
    share of the highest weight, so that each operator is tried again.

    ``values`` has the weight of each operator, ``first`` before the first update;
    ``memory`` is the share of a weight that is kept at each update, and ``least`` the
    least weight, as a share of the highest.

    References
    ----------
    Ropke and Pisinger (2006), An adaptive large neighborhood search heuristic for the
    pickup and delivery problem with time windows.

    Examples
    --------
    >>> weights = OperatorWeights(2, memory=0.5, least=0.1)
    >>> weights.update(0, 3.0)
    >>> weights.values.tolist(), weights.share(1)
    ([2.0, 1.0], 0.5)
    """

    def __init__(
        self, operators: int, memory: float, least: float = 0.1, first: float = 1.0
    ) -> None:
        self.values: Floats = np.full(operators, first)
        self.memory, self.least = memory, least

    def add(self, weight: float) -> None:
        """Add an operator with this weight."""
        self.values = np.append(self.values, weight)

    def draw(self, rng: np.random.Generator) -> int:
        """Draw an operator by its weight."""
        shares = self.values / self.values.sum()
        return int(rng.choice(len(self.values), p=shares))

    def update(self, operator: int, reward: float) -> None:
        """Reward an operator for what it gained, for each second or row it took."""
        kept = self.memory * self.values[operator]
        self.values[operator] = kept + (1 - self.memory) * reward
        self.values = np.maximum(self.values, self.least * self.values.max())

    def share(self, operator: int) -> float:
        """Return a weight as a share of the highest one; 1 where all are 0."""
        highest = float(self.values.max())
        return float(self.values[operator]) / highest if highest > 0 else 1.0
