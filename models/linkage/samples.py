"""How many samples make every class show l sensitive values, with what failure."""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

_LEAST_EPS = 1e-13


def bound_on_classes(
    sorted_marginal: npt.NDArray[np.float64], l: int, gamma: float
) -> float:
    """B: no admissible generalization has more classes (Lemma 4.3).

    .. math:: B = \\min(1 / (l \\gamma), \\; \\sum_{j >= l} P_S(j) / \\gamma)

    Every class holds l disjoint masses of at least gamma, and at least one of them
    belongs to a value that is not among the l - 1 most likely ones.

    Examples
    --------
    >>> bound_on_classes(np.array([0.25, 0.25, 0.25, 0.25]), l=2, gamma=0.01)
    50.0
    """
    tail = float(sorted_marginal[l - 1 :].sum())
    return min(1 / (l * gamma), tail / gamma)


def bound_on_samples(
    l: int, classes: float, eps: float, gamma: float, form: Literal["paper", "power"]
) -> int:
    """A number of samples that suffices, whatever the admissible classes are.

    With N samples each of l values in each of at most B classes is missed with
    probability at most ``(1 - gamma)^N``, so ``l B (1 - gamma)^N <= eps`` suffices
    (form ``power``); the paper weakens ``(1 - gamma)^N`` to ``exp(-gamma N)``:

    .. math:: N \\ge \\ln(l B / \\epsilon) / \\gamma

    Parameters
    ----------
    l, gamma
        Every class has l values of mass at least gamma.
    classes
        B, the number of classes or a bound on it.
    eps
        Allowed probability of failure, ``0 < eps < 1``.

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


def failure_bound(
    masses: npt.NDArray[np.float64],
    l: int,
    samples: int,
    tv: float = 0.0,
    cell_error: float = 0.0,
) -> float:
    """The union bound on the failure with these very classes; at most 1.

    The sum over classes and their l most likely values of ``(1 - mass)^N``: at most
    l B (1 - gamma)^N, often far less.

    Parameters
    ----------
    masses
        Classes x a, the (estimated) P(C, s).
    l, samples
        Values a class must show; N.
    tv
        Bound on the total variation distance of the estimate from the truth. The sum
        is convex in the masses, so its maximum over that ball takes all of ``tv``
        from one mass, the least.
    cell_error
        Bound on the error of every single mass: each is lowered by it.

    Examples
    --------
    >>> round(failure_bound(np.array([[0.5, 0.5]]), l=2, samples=5), 6)
    0.0625
    """
    likely = np.sort(masses, axis=1)[:, -l:].ravel() - cell_error
    likely[np.argmin(likely)] -= tv
    if masses.shape[1] < l or likely.min() <= 0:
        return 1.0
    with np.errstate(divide="ignore"):  # a certain value is never missed: log 0
        missed = np.exp(samples * np.log1p(-np.minimum(likely, 1.0)))
    return min(1.0, float(missed.sum()))


def failure_probability(
    masses: npt.NDArray[np.float64], l: int, samples: int, releases: int = 1
) -> float:
    """The probability that N i.i.d. samples leave some class short of values. Exact.

    For one release: the probability that some class shows fewer than l distinct
    values. For several, each of N samples: that in some release some class misses
    one of its l most likely values; only then can linking them leave a class with
    fewer than l common values (the event that Theorem 4.5 bounds).

    With a Poisson number of samples of mean N the counts of all pairs (C, s) are
    independent, so the generating function of the number of samples, on the event
    that no class fails, is a product over classes. Conditioning on exactly N samples
    is reading off one coefficient,

    .. math:: P(\\text{ok}) = [z^N] \\prod_C f_C(z) \\; / \\; [z^N] e^{N (z - 1)}

    which a discrete Fourier transform over the unit circle does. Its length is some
    40 standard deviations of the Poisson number, so that what wraps around is below
    1e-60; the failing part is summed by itself, so that small probabilities are not
    differences of large ones.

    Notes
    -----
    O(sqrt(N) |C| a l) time.

    Examples
    --------
    >>> round(failure_probability(np.array([[0.5, 0.5]]), l=2, samples=5), 12)
    0.0625
    """
    if releases > 1:
        masses = np.sort(masses, axis=1)[:, -l:]
    if samples < l or masses.shape[1] < l:
        return 1.0
    length = 64 + 40 * math.ceil(math.sqrt(samples))
    circle = np.exp(2j * np.pi * np.arange(length) / length)
    shifted = samples * (circle - 1)
    ok, failing = np.exp(shifted * (1 - masses.sum())), np.zeros(length, complex)
    for class_masses in masses:
        short = _short(class_masses, l, samples, shifted)
        whole = np.exp(shifted * class_masses.sum())
        failing = failing * whole + ok * short
        ok = ok * (whole - short)
    coefficient = (failing * circle ** (-samples % length)).mean().real
    poisson = math.exp(samples * math.log(samples) - samples - math.lgamma(samples + 1))
    single = min(1.0, max(0.0, coefficient / poisson))
    if single == 1.0:
        return 1.0
    return -math.expm1(releases * math.log1p(-single))


def _short(
    masses: npt.NDArray[np.float64],
    l: int,
    samples: int,
    shifted: npt.NDArray[np.complex128],
) -> npt.NDArray[np.complex128]:
    """On the circle: the samples of one class, on the event of fewer than l values."""
    states = np.zeros((l, len(shifted)), complex)  # row j: j values seen so far
    states[0] = 1
    for mass in masses:
        absent = math.exp(-samples * mass)
        present = np.exp(shifted * mass) - absent
        states[1:] = states[1:] * absent + states[:-1] * present
        states[0] *= absent
    return np.asarray(states.sum(axis=0), np.complex128)


def least_samples(failure: Callable[[int], float], eps: float, most: int) -> int | None:
    """The least N <= ``most`` with ``failure(N) <= eps``; None if there is none.

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
