"""Monte Carlo of the failure of (l, eps)-diversity, with confidence intervals."""

import csv
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from starmin.instances import Table, TableError
from starmin.instances.arrays import Bools, Floats
from starmin.instances.io.atomic import expect_file

# Read a taxonomy as a table of levels.


def read_ancestors(path: Path) -> dict[str, tuple[str, ...]]:
    """Read for each value the nodes above it, from a file of levels.

    One line a value, without a header: the value, its parent, .., the root, separated
    by semicolons (as ARX writes hierarchies). Raises TableError for no such file, or a
    line without a value and at least one node above it.
    """
    above: dict[str, tuple[str, ...]] = {}
    expect_file(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            for number, cells in enumerate(csv.reader(file, delimiter=";"), start=1):
                if not cells:
                    continue
                if len(cells) < 2:
                    raise TableError(
                        f"{path}: line {number}: expected a value and the nodes above "
                        "it, separated by semicolons"
                    )
                if cells[0] in above:
                    raise TableError(f"{path}: line {number}: {cells[0]!r} again")
                above[cells[0]] = tuple(cells[1:])
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{path}: not a table of levels: {error}") from None
    return above


# How little diversity is left when l-diverse releases are linked, at worst.


def least_linked_diversity(values: int, l: int, releases: int) -> int:
    """Return the least diversity after linking, over all releases there are. Exact.

    With a sensitive values, c releases in each of which the class of a common person
    shows at least l values, at least

    .. math:: \\max(1, \\; c l - (c - 1) a)

    values are common to all, and some releases have no more (Proposition 3.1, here
    also where c does not divide a).

    Each release misses at most a - l values, so all of them miss at most c (a - l),
    and none misses the common person's own. ``extremal_supports`` misses different
    values as long as there are any left, which is the least possible.

    >>> [least_linked_diversity(8, l, releases=2) for l in range(1, 9)]
    [1, 1, 1, 1, 2, 4, 6, 8]
    """
    _check(values, l, releases)
    return max(1, releases * l - (releases - 1) * values)


def extremal_supports(values: int, l: int, releases: int) -> Bools:
    """Find the values the common person's class shows in each release, at worst.

    Releases x values; value 0 is the person's own. Release i misses the i-th run of
    a - l of the other values, which are taken around and around.

    >>> extremal_supports(4, 3, releases=2).astype(int).tolist()
    [[1, 0, 1, 1], [1, 1, 0, 1]]
    """
    _check(values, l, releases)
    shows = np.ones((releases, values), bool)
    for i in range(releases):
        run = np.arange(i * (values - l), (i + 1) * (values - l))
        shows[i, 1 + run % max(values - 1, 1)] = False
    return shows


def extremal_releases(values: int, l: int, releases: int) -> list[Table]:
    """Build l-diverse releases that reveal as much as possible when linked.

    The common person has the quasi-identifier ``x``, whose class shows the values of
    ``extremal_supports``, each once. A second class shows all values.

    >>> from starmin.verify.linkage import attack
    >>> linkage = attack(extremal_releases(8, 4, releases=2))
    >>> linkage.before[:, 0].tolist(), int(linkage.after[0]), linkage.values_of(0)
    ([4, 4], 1, ['s0'])
    """
    tables = []
    for i, shows in enumerate(extremal_supports(values, l, releases)):
        rows = [("x", f"s{s}") for s in np.flatnonzero(shows)]
        rows += [("others", f"s{s}") for s in range(values)]
        name = f"release {i + 1} of {releases}"
        tables.append(Table.from_rows(("q", "s"), rows, ["q"], ["s"], name))
    return tables


def _check(values: int, l: int, releases: int) -> None:
    if not 1 <= l <= values:
        raise ValueError(f"Expected 1 <= l <= {values} (sensitive values), got {l}.")
    if releases < 1:
        raise ValueError(f"Expected releases >= 1, got {releases}.")


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

    Only which values a class shows matters, not how often: one multinomial draw for
    each release and run, vectorised over runs.

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

    def seen(size: int) -> Bools:
        """Draw which values occur in which classes: runs x classes x values."""
        counts = rng.multinomial(samples, cells, size=size)
        return np.asarray(counts[:, :-1].reshape(size, *masses.shape) > 0, bool)

    for done in range(0, runs, step):
        size = min(step, runs - done)
        first = seen(size)
        common = first.copy()
        for _ in range(releases - 1):
            common &= seen(size)
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

    Clopper, Pearson: The use of confidence or fiducial limits illustrated in the
    case of the binomial, Biometrika 26, 1934.

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
