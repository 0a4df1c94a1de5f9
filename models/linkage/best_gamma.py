"""The best gamma: the most classes for a number of samples, and the trade of both."""

import numpy as np

from starmin.models.linkage.contiguous_classes import Sweep, check_l, greedy_classes
from starmin.models.linkage.joint_distribution import JointDistribution
from starmin.models.linkage.plans import Measure, Plan
from starmin.models.linkage.samples import check_eps


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

    A class has at least ``l`` likely values, ``eps`` is the failure allowed, and
    ``releases`` are linked. ``tv`` and ``cell_error`` say how far the distribution may
    be from the true one: see ``estimate``.

    Examples
    --------
    >>> plans = sweep(JointDistribution.uniform(6, 3), l=2, eps=0.01)
    >>> [(p.size, round(p.gamma, 3), p.samples("paper")) for p in plans]
    [(1, 0.333, 18), (2, 0.167, 39), (3, 0.111, 62), (6, 0.056, 135)]
    """
    make = _PlanFor(joint, l, eps, releases, tv, cell_error)
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

    A class has at least ``l`` likely values, ``eps`` is the failure allowed, and
    ``releases`` are linked. ``tv`` and ``cell_error`` say how far the distribution may
    be from the true one: see ``estimate``.

    Examples
    --------
    >>> joint = JointDistribution.uniform(6, 3)
    >>> made = most_classes(joint, 2, 0.01, samples=100, measure="paper")
    >>> made.size, made.samples("paper")
    (3, 62)
    """
    make = _PlanFor(joint, l, eps, releases, tv, cell_error)
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
    """Makes the plan of the highest gamma that gives a number of classes."""

    def __init__(
        self,
        joint: JointDistribution,
        l: int,
        eps: float,
        releases: int,
        tv: float,
        cell_error: float,
    ) -> None:
        check_l(joint, l)
        check_eps(eps)
        self._fixed = (releases, tv, cell_error)
        self._joint, self._l, self._eps = joint, l, eps
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
