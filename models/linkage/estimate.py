"""How far an estimated distribution may be from the true one."""

import math


def total_variation_error(cells: int, samples: int, confidence: float) -> float:
    r"""Bound the total variation distance of an empirical distribution.

    Over an alphabet of K cells, n i.i.d. samples and every t > 0 (Weissman et al.),

    .. math:: P(TV > t) \le (2^K - 2) e^{-2 n t^2}

    The alphabet must be known beforehand: cells nobody was seen in count too. With many
    cells the bound is weak; ``interval_error`` does not depend on |Q|.

    ``cells`` is K, |Q| times the number of sensitive values; the estimate is made of n
    i.i.d. ``samples``; the bound holds with the probability ``confidence``.

    References
    ----------
    Weissman, Ordentlich, Seroussi, Verdu, Weinberger: Inequalities for the L1
    Deviation of the Empirical Distribution, 2003, Theorem 2.1.

    Examples
    --------
    >>> round(total_variation_error(cells=20, samples=10_000, confidence=0.99), 4)
    0.0304
    """
    _check(cells, samples, confidence)
    if cells == 1:
        return 0.0
    logarithm = cells * math.log(2) + math.log1p(-(2.0 ** (1 - cells)))
    return min(1.0, math.sqrt((logarithm - math.log1p(-confidence)) / (2 * samples)))


def interval_error(values: int, samples: int, confidence: float) -> float:
    """Bound the error of P(C, s), for every contiguous class C and s at once.

    For one sensitive value s, ``P(Q <= q, S = s)`` is the distribution function of a
    variable that is q where S = s and infinite elsewhere, so its empirical form is
    off by more than t with probability at most 2 exp(-2 n t^2) (Dvoretzky, Kiefer,
    Wolfowitz, Massart). The mass of an interval is a difference of two of its values:
    off by at most 2 t. A union bound over the a sensitive values:

    .. math:: 2 \\sqrt{\\ln(2 a / (1 - \\text{confidence})) / (2 n)}

    It holds for classes chosen by the same data, because it holds for all of them.

    Examples
    --------
    >>> round(interval_error(values=14, samples=30_162, confidence=0.99), 4)
    0.0229
    """
    _check(values, samples, confidence)
    logarithm = math.log(2 * values) - math.log1p(-confidence)
    return min(1.0, 2 * math.sqrt(logarithm / (2 * samples)))


def _check(cells: int, samples: int, confidence: float) -> None:
    if cells < 1 or samples < 1:
        raise ValueError(f"Expected at least one cell and sample, got {cells, samples}")
    if not 0 < confidence < 1:
        raise ValueError(f"Expected 0 < confidence < 1, got {confidence}.")
