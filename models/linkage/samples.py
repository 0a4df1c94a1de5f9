"""How many samples make every class show l sensitive values with high probability."""

import math
from collections.abc import Callable
from typing import Literal

from starmin.instances.arrays import Floats

_LEAST_EPS = 1e-13  # Below it rounding would decide.


def bound_on_classes(sorted_marginal: Floats, l: int, gamma: float) -> float:
    """Return B: no admissible generalization has more classes (Lemma 4.3).

    .. math:: B = \\min(1 / (l \\gamma), \\; \\sum_{j >= l} P_S(j) / \\gamma)

    Every class holds l disjoint masses of at least gamma, and at least one of them
    belongs to a value that is not among the l - 1 most likely ones.

    Examples
    --------
    >>> import numpy as np
    >>> bound_on_classes(np.array([0.25, 0.25, 0.25, 0.25]), l=2, gamma=0.01)
    50.0
    """
    tail = float(sorted_marginal[l - 1 :].sum())
    return min(1 / (l * gamma), tail / gamma)


def bound_on_samples(
    l: int, classes: float, eps: float, gamma: float, form: Literal["paper", "power"]
) -> int:
    r"""Return a number of samples that suffices for any admissible classes.

    With N samples each of l values in each of at most B classes is missed with
    probability at most ``(1 - gamma)^N``, so ``l B (1 - gamma)^N <= eps`` suffices
    (form ``power``); the paper weakens ``(1 - gamma)^N`` to ``exp(-gamma N)``:

    .. math:: N \ge \ln(l B / \epsilon) / \gamma

    Every class has ``l`` values of mass at least ``gamma``; ``classes`` is B, the
    number of classes or a bound on it; ``eps``, with ``0 < eps < 1``, is the allowed
    probability of failure.

    References
    ----------
    Rameshwar, Tandon 2025, Theorem 4.4.

    Examples
    --------
    >>> bound_on_samples(l=2, classes=50, eps=0.01, gamma=0.01, form="paper")
    922
    >>> bound_on_samples(l=2, classes=50, eps=0.01, gamma=0.01, form="power")
    917
    """
    check_eps(eps)
    logarithm = math.log(l * classes / eps)
    rate = gamma if form == "paper" else -math.log1p(-gamma) if gamma < 1 else math.inf
    return max(1, l, math.ceil(logarithm / rate))


def least_samples(failure: Callable[[int], float], eps: float, most: int) -> int | None:
    """Find the least N <= ``most`` with ``failure(N) <= eps``, or None.

    ``failure`` must not grow with N, as no failure probability does.

    Examples
    --------
    >>> least_samples(lambda n: 0.5**n, eps=0.01, most=100)
    7
    """
    check_eps(eps)
    if failure(most) > eps:
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if failure(middle) <= eps:
            high = middle
        else:
            low = middle
    return high


def check_eps(eps: float) -> None:
    """Raise ValueError unless 1e-13 <= eps < 1: below it rounding would decide."""
    if not _LEAST_EPS <= eps < 1:
        raise ValueError(f"Expected {_LEAST_EPS} <= eps < 1, got {eps}.")
