"""How likely some class shows fewer than l values: two bounds, and exactly."""

import math

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats


def union_bound(
    masses: Floats,
    l: int,
    samples: int,
    releases: int = 1,
    *,
    tv: float = 0.0,
    cell_error: float = 0.0,
) -> float:
    """Bound the failure as the composition theorem does, with these very classes.

    Linked releases fail only where some release misses one of the l likeliest values of
    some class, so the sum of ``releases * (1 - mass)^N`` over classes and these values
    is a bound: at most c l B (1 - gamma)^N, often far less.

    ``masses`` are classes x a, the (estimated) P(C, s); a class must show ``l`` values
    in all releases; ``samples`` is N, those of each, and ``releases`` c. ``tv`` bounds
    the total variation distance of the estimate from the truth: the sum is convex in
    the masses, so its maximum over that ball takes all of ``tv`` from one mass, the
    least. ``cell_error`` bounds the error of every single mass: each is lowered by it.

    References
    ----------
    Rameshwar, Tandon 2025, Theorems 4.4 and 4.5.

    Examples
    --------
    >>> round(union_bound(np.array([[0.5, 0.5]]), l=2, samples=5), 6)
    0.0625
    """
    likely = np.sort(masses, axis=1)[:, -l:].ravel() - cell_error
    likely[np.argmin(likely)] -= tv
    if masses.shape[1] < l or likely.min() <= 0:
        return 1.0
    return min(1.0, releases * float(_missed(likely, samples).sum()))


def association_bound(
    masses: Floats,
    l: int,
    samples: int,
    releases: int = 1,
    *,
    tv: float = 0.0,
    cell_error: float = 0.0,
) -> float:
    r"""Bound the failure by how seldom many values are missing at once.

    A class fails if at least m = a - l + 1 of its values are each missing in some
    release. Value s is with probability ``p_s = 1 - (1 - (1 - mass_s)^N)^c``. The
    counts of a multinomial are negatively associated, and so are the indicators of
    these misses, being decreasing functions of disjoint sets of counts; hence all of a
    set A are missing with probability at most the product of their ``p_s``. Over all
    sets of m values,

    .. math:: P(\text{class fails}) \le \sum_{|A| = m} \prod_{s \in A} p_s

    and the sum over classes bounds the failure. Where a class has more than l likely
    values this is far below the union bound, of which it is the sharpening: nothing is
    assumed but independent releases. Arguments are those of ``union_bound``; both
    errors lower every mass.

    Notes
    -----
    O(|C| a l).

    References
    ----------
    Joag-Dev, Proschan: Negative Association of Random Variables with Applications,
    Annals of Statistics 11, 1983 (multinomials: 3.1; functions: P6; products: P2).

    Examples
    --------
    >>> masses = np.full((1, 4), 0.25)
    >>> f"{association_bound(masses, 2, 20):.1e}, {union_bound(masses, 2, 20):.1e}"
    '1.3e-07, 6.3e-03'
    """
    lowered = np.maximum(masses - tv - cell_error, 0.0)
    if masses.shape[1] < l:
        return 1.0
    with np.errstate(divide="ignore"):  # a value that is missed surely: log 0
        missing = -np.expm1(releases * np.log1p(-_missed(lowered, samples)))
    # Column j: sums of products over all values so far but j of them.
    sums = np.zeros((len(masses), l))
    sums[:, 0] = 1.0
    for p in missing.T:
        sums[:, 1:] = sums[:, 1:] * p[:, None] + sums[:, :-1]
        sums[:, 0] *= p
    return min(1.0, float(sums[:, -1].sum()))


def failure_probability(masses: Floats, l: int, samples: int) -> float:
    r"""Compute the probability that samples leave some class short of values. Exact.

    With a Poisson number of samples of mean N the counts of all pairs (C, s) are
    independent, so the generating function of the number of samples, on the event that
    no class fails, is a product over classes. Conditioning on exactly N samples is
    reading off one coefficient,

    .. math:: P(\text{ok}) = [z^N] \prod_C f_C(z) \; / \; [z^N] e^{N (z - 1)}

    which a discrete Fourier transform over the unit circle does. Its length is some 40
    standard deviations of the Poisson number, so that what wraps around is far below
    rounding; the failing part is summed by itself, so that small probabilities are not
    differences of large ones.

    ``masses`` are classes x a, the known P(C, s); a class must show ``l`` values;
    ``samples`` is N, of one release.

    Notes
    -----
    O(sqrt(N) |C| a l) time.

    Examples
    --------
    >>> round(failure_probability(np.array([[0.5, 0.5]]), l=2, samples=5), 12)
    0.0625
    """
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
    return float(min(1.0, max(0.0, coefficient / poisson)))


def _missed(masses: Floats, samples: int) -> Floats:
    """Return (1 - mass)^N; a certain value is never missed."""
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum(masses, 1.0))
    return np.asarray(np.exp(samples * logs), np.float64)


def _short(
    masses: Floats, l: int, samples: int, shifted: npt.NDArray[np.complex128]
) -> npt.NDArray[np.complex128]:
    """Return on the circle the samples of one class that has fewer than l values."""
    states = np.zeros((l, len(shifted)), complex)  # row j: j values seen so far
    states[0] = 1
    for mass in masses:
        absent = math.exp(-samples * mass)
        present = np.exp(shifted * mass) - absent
        states[1:] = states[1:] * absent + states[:-1] * present
        states[0] *= absent
    return np.asarray(states.sum(axis=0), np.complex128)
