"""Plan an (l, eps)-diverse publication: classes to broadcast, samples to wait for."""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from starmin.instances.arrays import Floats, Int32s
from starmin.models.linkage.contiguous_classes import (
    JointDistribution,
    Sweep,
    check_l,
    greedy_classes,
    least_masses,
)
from starmin.models.linkage.failure import (
    association_bound,
    failure_probability,
    union_bound,
)

# How many samples make every class show l sensitive values with high probability.

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
    return 1 + bisect_left(range(1, most), True, key=lambda n: failure(n) <= eps)


def check_eps(eps: float) -> None:
    """Raise ValueError unless 1e-13 <= eps < 1: below it rounding would decide."""
    if not _LEAST_EPS <= eps < 1:
        raise ValueError(f"Expected {_LEAST_EPS} <= eps < 1, got {eps}.")


Measure: TypeAlias = Literal["paper", "power", "union", "association", "exact"]
MEASURES: tuple[Measure, ...] = ("paper", "power", "union", "association", "exact")


@dataclass(frozen=True, eq=False)
class Plan:
    """Classes and sample sizes that make linked releases (l, eps)-diverse.

    If ``releases`` data owners each publish N i.i.d. samples of P, generalized to these
    classes, then with probability at least 1 - eps every class still has l common
    sensitive values when all their releases are linked (Theorems 4.4, 4.5).

    Notes
    -----
    Five sample sizes, each at most the one before it, and each enough:

    - ``samples("paper")``: ``ln(l B / eps) / gamma`` with the bound B on the number
      of classes; known before the classes are.
    - ``samples("power")``: the same with ``-ln(1 - gamma)``.
    - ``samples("union")``: by ``union_bound`` on the masses of these very classes.
    - ``samples("association")``: by the lower of it and ``association_bound``.
    - ``samples("exact")``: the least N whose failure probability is at most eps; for
      one release, and for a P that is known exactly.

    Examples
    --------
    >>> made = plan(JointDistribution.uniform(7, 3), l=2, eps=0.01, gamma=0.14)
    >>> made.size, [made.samples(measure) for measure in MEASURES]
    (2, [46, 43, 36, 19, 18])
    """

    joint: JointDistribution
    l: int
    eps: float
    classes: Int32s  # for each quasi-identifier the number of its class
    releases: int = 1
    # tv, cell_error: how far P may be from the truth: in total variation, and in every
    # mass
    tv: float = 0.0
    cell_error: float = 0.0

    def __post_init__(self) -> None:
        check_eps(self.eps)
        if self.releases < 1:
            raise ValueError(f"Expected releases >= 1, got {self.releases}.")
        if self.gamma <= 0:
            raise ValueError(
                f"Expected every class to have {self.l} values of more than the "
                f"estimate's error {self.tv + self.cell_error:.3g}; some class has "
                "fewer; take a larger gamma, or more data for the estimate."
            )

    @property
    def size(self) -> int:
        """Number of classes."""
        return int(self.classes.max()) + 1

    @cached_property
    def masses(self) -> Floats:
        """Return the masses P(C, s), classes x a."""
        return self.joint.masses(self.classes)

    @cached_property
    def gamma(self) -> float:
        """Return what the l-th likeliest value of every class surely has."""
        least = float(least_masses(self.joint, self.l, self.classes).min())
        return least - self.tv - self.cell_error

    @property
    def bound_on_classes(self) -> float:
        """B, at the true distribution: its tail may exceed the estimated one."""
        marginal = self.joint.sorted_marginal.copy()
        marginal[-1] += self.tv + (self.l - 1) * self.cell_error
        return bound_on_classes(marginal, self.l, self.gamma)

    def samples(self, measure: Measure = "association") -> int | None:
        """Return how many samples each release needs; None where that is unknown."""
        share = self.eps / self.releases
        if measure == "paper" or measure == "power":
            bound = self.bound_on_classes
            return bound_on_samples(self.l, bound, share, self.gamma, measure)
        if measure == "exact" and (self.releases > 1 or self.tv or self.cell_error):
            return None
        failure = {
            "union": self.union_bound,
            "association": self.failure_bound,
            "exact": self.failure_probability,
        }[measure]
        most = bound_on_samples(self.l, self.size, share, self.gamma, "power")
        return least_samples(failure, self.eps, most + 1)

    def union_bound(self, samples: int) -> float:
        """Return the union bound on the failure of the linked releases."""
        return self._bound(union_bound, samples)

    def failure_bound(self, samples: int) -> float:
        """Return the lowest bound known on the failure of the linked releases."""
        lower = self._bound(association_bound, samples)
        return min(lower, self.union_bound(samples))

    def failure_probability(self, samples: int) -> float:
        """Return the failure of one release, where P is known exactly."""
        return failure_probability(self.masses, self.l, samples)

    def _bound(self, bound: Callable[..., float], samples: int) -> float:
        errors = {"tv": self.tv, "cell_error": self.cell_error}
        return bound(self.masses, self.l, samples, self.releases, **errors)


def plan(
    joint: JointDistribution,
    l: int,
    eps: float,
    gamma: float,
    *,
    releases: int = 1,
    tv: float = 0.0,
    cell_error: float = 0.0,
) -> Plan:
    """Plan the most contiguous classes for a given gamma (Algorithm 1).

    ``joint`` is P(q, s), known or estimated. When all ``releases`` are linked, every
    class has to have ``l`` common values with probability at least 1 - ``eps``;
    ``gamma`` is the least mass of the l likeliest values of a class. ``tv`` and
    ``cell_error`` say how far the estimate may be off: see ``interval_error``.

    Raises ValueError where gamma is above P_S(l), or not above the error of the
    estimate.
    """
    classes = greedy_classes(joint, l, gamma)
    return Plan(joint, l, eps, classes, releases, tv, cell_error)


# The best gamma: the most classes for a number of samples, and the trade of both.


def sweep(
    joint: JointDistribution,
    l: int,
    eps: float,
    *,
    releases: int = 1,
    tv: float = 0.0,
    cell_error: float = 0.0,
    points: int = 40,
) -> list[Plan]:
    """Find the best gamma for each number of classes: the trade of both.

    For every number m of classes, the plan with the highest gamma that still gives m
    contiguous classes, found by bisection. With more than ``points`` numbers, about
    that many, evenly spread on a logarithmic scale. Plans whose gamma the error of the
    estimate swallows are left out.

    Other arguments are those of ``plan``.

    Examples
    --------
    >>> plans = sweep(JointDistribution.uniform(6, 3), l=2, eps=0.01)
    >>> [(p.size, round(p.gamma, 3), p.samples("paper")) for p in plans]
    [(1, 0.333, 18), (2, 0.167, 39), (3, 0.111, 62), (6, 0.056, 135)]
    """
    make = _PlanFor(joint, l, eps, (releases, tv, cell_error))
    wanted = np.unique(np.geomspace(1, make.most, points).round().astype(int))
    if make.most <= points:
        wanted = np.arange(1, make.most + 1)
    plans: list[Plan] = []
    for size in wanted.tolist():
        if plans and plans[-1].size >= size:
            continue
        made = make(size)
        if made is None:
            break  # more classes have a lower gamma still
        plans.append(made)
    return plans


def most_classes(
    joint: JointDistribution,
    l: int,
    eps: float,
    samples: int,
    measure: Measure = "association",
    *,
    releases: int = 1,
    tv: float = 0.0,
    cell_error: float = 0.0,
) -> Plan | None:
    """Find the plan with the most contiguous classes that needs no more samples.

    By bisection over the number of classes, for each the highest gamma. Optimal for the
    measures ``paper`` and ``power``, which grow as gamma falls; the others nearly do,
    so that some other gamma may rarely give a class more. Returns None if even one
    class needs more than ``samples`` by this ``measure``.

    Other arguments are those of ``plan``.

    Examples
    --------
    >>> joint = JointDistribution.uniform(6, 3)
    >>> made = most_classes(joint, 2, 0.01, samples=100, measure="paper")
    >>> made.size, made.samples("paper")
    (3, 62)
    """
    make = _PlanFor(joint, l, eps, (releases, tv, cell_error))
    best: Plan | None = None
    low, high = 0, make.most + 1
    while high - low > 1:
        made = make((low + high) // 2)
        needed = None if made is None else made.samples(measure)
        if made is not None and needed is not None and needed <= samples:
            best, low = made, made.size
        else:
            high = (low + high) // 2
    return best


class _PlanFor:
    """Makes the plan of the highest gamma that gives a number of classes.

    ``fixed`` are the releases, tv and the error of a cell.
    """

    def __init__(
        self,
        joint: JointDistribution,
        l: int,
        eps: float,
        fixed: tuple[int, float, float],
    ) -> None:
        check_l(joint, l)
        check_eps(eps)
        self._joint, self._l, self._eps, self._fixed = joint, l, eps, fixed
        self._runs = Sweep(joint, l)
        self._top = int(np.sort(joint.weights.sum(axis=0))[::-1][l - 1])
        self.most = max(1, len(self._runs.ends(1)))

    def __call__(self, size: int) -> Plan | None:
        """Return the plan, or None if the error of the estimate swallows its gamma."""
        threshold = self._runs.highest_threshold(size, self._top)
        gamma = threshold / self._joint.total
        if gamma <= sum(self._fixed[1:]):
            return None
        classes = greedy_classes(self._joint, self._l, gamma)
        return Plan(self._joint, self._l, self._eps, classes, *self._fixed)
