"""The acceptance of simulated annealing, for all loops that anneal."""

import numpy as np

from starmin.instances.loops.compiled import inlined


@inlined
def most_increase(temperature: float, draw: float) -> float:
    """Return the largest increase in cost that a move may bring, drawn beforehand.

    Metropolis accepts an increase of x with probability exp(-x / temperature), that is
    if x is at most ``-temperature log(1 - draw)`` for a uniform draw. The limit is
    drawn before the move is tried, so a search for the move can end beyond it.
    ``temperature`` is the mean increase that is accepted, in the unit of costs; 0
    accepts none. ``draw`` is from [0, 1), by the caller's own generator.

    References
    ----------
    Metropolis et al., Equation of state calculations by fast computing machines.
    Journal of Chemical Physics 21, 1953.

    Examples
    --------
    >>> round(most_increase(2.0, 0.5), 3)
    1.386
    """
    return float(-temperature * np.log(1 - draw))
