"""The loop of the subgradient method: prices move along supergradients."""

from collections.abc import Callable

import numpy as np

from starmin.instances.arrays import Floats, Ints
from starmin.models.lagrangian_relaxation.adam_step import AdamStep


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

    Parameters
    ----------
    supergradient
        Solves the pricing problems at given prices and returns a supergradient of the
        bound there. The array of prices changes later.
    prices
        To begin with, in the unit of costs.
    demand
        For each price the right-hand side of its constraint: a supergradient is
        measured as a share of this.
    steps
        How many steps.
    length
        The length of a step, in the unit of costs, by the share of the round that is
        done, from 0 to 1.
    spent
        The share of the time that is used up, given the supergradient just computed;
        from 1 on the loop ends.
    ceiling
        What the prices never exceed.

    Returns
    -------
    array
        The prices after the last step.

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
