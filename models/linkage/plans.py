"""Plan an (l, eps)-diverse publication: classes to broadcast, samples to wait for."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from starmin.instances.arrays import Floats, Int32s
from starmin.models.linkage.contiguous_classes import greedy_classes, least_masses
from starmin.models.linkage.failure import (
    association_bound,
    failure_probability,
    union_bound,
)
from starmin.models.linkage.joint_distribution import JointDistribution
from starmin.models.linkage.samples import (
    bound_on_classes,
    bound_on_samples,
    check_eps,
    least_samples,
)

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
    ``cell_error`` say how far the estimate may be off: see ``total_variation_error``
    and ``interval_error``.

    Raises ValueError where gamma is above P_S(l), or not above the error of the
    estimate.
    """
    classes = greedy_classes(joint, l, gamma)
    return Plan(joint, l, eps, classes, releases, tv, cell_error)
