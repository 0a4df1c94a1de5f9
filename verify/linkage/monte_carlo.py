"""Monte Carlo of the failure of (l, eps)-diversity, with confidence intervals."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from starmin.instances.arrays import Bools, Floats

_CELLS = 2**22


@dataclass(frozen=True)
class Simulation:
    """How often linked releases failed."""

    # failures, runs: runs in which some class had fewer than l values common to all
    # releases, and all runs
    failures: int
    runs: int
    # runs in which the first release alone had a class of fewer than l values
    failures_of_one: int
    # low, high: Clopper-Pearson interval of the failure probability, for ``confidence``
    low: float
    high: float
    confidence: float  # probability with which the interval covers the truth, at least

    @property
    def rate(self) -> float:
        """Failures per run."""
        return self.failures / self.runs

    def as_json(self) -> dict[str, Any]:
        """Return all figures."""
        return asdict(self) | {"rate": self.rate}


def simulate(
    masses: Floats,
    l: int,
    samples: int,
    releases: int = 1,
    *,
    runs: int = 10_000,
    seed: int = 0,
    confidence: float = 0.99,
) -> Simulation:
    """Draw releases of i.i.d. samples, link them, and count the failures.

    A run draws ``releases`` tables of ``samples`` rows each and generalizes them to
    the classes; it fails if, after linking, some class has fewer than l sensitive
    values. A class without rows fails: Theorems 4.4 and 4.5 bound that too.

    ``masses`` is P(C, s), classes x a, adding up to at most 1 (the rest are in no
    class). Every class must have ``l`` values in common; ``samples`` is the rows of a
    release. The ``runs`` are independent; figures are the same for the same ``seed`` of
    numpy's default generator. ``confidence`` is that of the interval.

    Notes
    -----
    Only which values a class shows matters, not how often: one multinomial draw for
    each release and run, vectorised over runs.

    Examples
    --------
    >>> found = simulate(np.array([[0.5, 0.5]]), l=2, samples=3, runs=1000)
    >>> found.low < 0.25 < found.high
    True
    """
    if min(samples, releases, runs) < 1:
        raise ValueError("Expected samples, releases and runs >= 1.")
    if masses.min() < 0 or masses.sum() > 1 + 1e-9:
        raise ValueError("Expected masses >= 0 that add up to at most 1.")
    rest = max(0.0, 1.0 - float(masses.sum()))
    cells = np.append(masses.ravel(), rest)
    cells /= cells.sum()
    rng = np.random.default_rng(seed)
    step = max(1, _CELLS // len(cells))
    failures = alone = 0
    for done in range(0, runs, step):
        size = min(step, runs - done)
        first = _seen(rng, samples, cells, size, masses.shape)
        common = first.copy()
        for _ in range(releases - 1):
            common &= _seen(rng, samples, cells, size, masses.shape)
        alone += int((first.sum(axis=2) < l).any(axis=1).sum())
        failures += int((common.sum(axis=2) < l).any(axis=1).sum())
    low, high = clopper_pearson(failures, runs, confidence)
    return Simulation(failures, runs, alone, low, high, confidence)


def clopper_pearson(
    successes: int, runs: int, confidence: float
) -> tuple[float, float]:
    """Return the exact two-sided confidence interval of a binomial probability.

    It covers the truth with at least the given probability, whatever the truth is:
    the ends are where the tail probabilities are half of what is left over.

    References
    ----------
    Clopper, Pearson: The use of confidence or fiducial limits illustrated in the
    case of the binomial, Biometrika 26, 1934.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 100, 0.95)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    from scipy.stats import beta

    if not 0 < confidence < 1:
        raise ValueError(f"Expected 0 < confidence < 1, got {confidence}.")
    tail = (1 - confidence) / 2
    low = beta.ppf(tail, successes, runs - successes + 1) if successes else 0.0
    high = beta.isf(tail, successes + 1, runs - successes) if successes < runs else 1.0
    return float(low), float(high)


def _seen(
    rng: np.random.Generator,
    samples: int,
    cells: Floats,
    size: int,
    shape: tuple[int, ...],
) -> Bools:
    """Return which values occur in which classes: runs x classes x values."""
    counts = rng.multinomial(samples, cells, size=size)
    return np.asarray(counts[:, :-1].reshape(size, *shape) > 0, bool)
