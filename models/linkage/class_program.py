"""The most admissible classes when they need not be contiguous, exactly."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.runs.workers.interruptible import interruptible
from starmin.models.linkage.contiguous_classes import greedy_classes, threshold_of
from starmin.models.linkage.joint_distribution import JointDistribution


@dataclass(frozen=True, eq=False)
class FreeClasses:
    """An admissible generalization and what was proven of all of them."""

    classes: Int32s  # for each quasi-identifier the number of its class
    upper_bound: int  # no admissible generalization has more classes

    @property
    def size(self) -> int:
        """Number of classes."""
        return int(self.classes.max()) + 1

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no generalization has more classes."""
        return self.size == self.upper_bound


def free_classes(
    joint: JointDistribution,
    l: int,
    gamma: float,
    *,
    time_limit: float = math.inf,
    seed: int = 0,
) -> FreeClasses:
    r"""Partition quasi-identifiers into the most admissible classes. Exact.

    Classes need not be contiguous, so the difference to ``greedy_classes`` is what
    contiguity costs. Quasi-identifiers with equal rows of P are one type t with
    multiplicity n(t); ``x[t, g]`` of them go to class g, which is open (``y[g]``) and
    relies on the values s with ``z[g, s]``:

    .. math::

        \max \sum_g y_g \quad \sum_g x_{tg} \le n_t, \quad
        x_{tg} \le n_t y_g, \quad
        \sum_t P(t, s) x_{tg} \ge \gamma z_{gs}, \quad \sum_s z_{gs} = l y_g

    What no class takes joins the first one, which stays admissible. Open classes come
    first. The number of classes that are modelled is bounded beforehand: m classes need
    l m disjoint masses of at least gamma, and of these value s has no more than
    ``min(m, floor(P_S(s) / gamma))``.

    Bin covering is the case of one value, so this is NP-hard.

    ``joint`` is P(q, s), the quasi-identifiers in their order; ``l`` values must be
    likely in every class, each with at least ``gamma``. The search starts from the
    classes that ``greedy_classes`` finds. The proven upper bound equals their number
    where the limit, in wall-clock seconds, did not strike.

    Notes
    -----
    CP-SAT on whole weights. Proven in seconds up to some 12 quasi-identifiers with
    rows all different, more where many are alike.

    Examples
    --------
    >>> joint = JointDistribution.from_masses([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> found = free_classes(joint, l=2, gamma=0.25)
    >>> found.size, found.optimal, int(greedy_classes(joint, 2, 0.25).max()) + 1
    (2, True, 1)
    """
    threshold = threshold_of(joint, l, gamma)
    start = greedy_classes(joint, l, gamma)
    size = int(start.max()) + 1
    limit = _most_classes(joint, l, threshold)
    if size == limit:
        return FreeClasses(start, limit)
    rows, type_of, counts = np.unique(
        joint.weights, axis=0, return_inverse=True, return_counts=True
    )
    model, x = _formulate(rows, counts, l, threshold, limit)
    hint = np.zeros((len(rows), limit), np.int64)
    np.add.at(hint, (type_of, start), 1)
    for t, g in np.ndindex(hint.shape):
        model.add_hint(x[t][g], int(hint[t, g]))
    loads, bound = _solve(model, x, time_limit, seed)
    if loads is not None and loads.any(axis=0).sum() > size:
        start = _labels(loads, type_of)
    return FreeClasses(start, min(limit, bound))


def _formulate(
    rows: Ints,
    counts: Ints,
    l: int,
    threshold: int,
    limit: int,
) -> tuple[Any, list[list[Any]]]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    x = [
        [model.new_int_var(0, int(n), f"x{t},{g}") for g in range(limit)]
        for t, n in enumerate(counts)
    ]
    y = [model.new_bool_var(f"y{g}") for g in range(limit)]
    for t, n in enumerate(counts):
        model.add(sum(x[t]) <= int(n))
    for g in range(limit):
        z = [model.new_bool_var(f"z{g},{s}") for s in range(rows.shape[1])]
        model.add(sum(z) == l * y[g])
        for s, relied in enumerate(z):
            mass = sum(int(w) * row[g] for w, row in zip(rows[:, s], x, strict=True))
            model.add(mass >= threshold * relied)
        for t, n in enumerate(counts):
            model.add(x[t][g] <= int(n) * y[g])
        if g:
            model.add_implication(y[g], y[g - 1])
    model.maximize(sum(y))
    return model, x


def _solve(
    model: Any, x: list[list[Any]], time_limit: float, seed: int
) -> tuple[Ints | None, int]:
    """Return how many of each type go to each class, if found, and a bound."""
    from ortools.sat.python import cp_model

    from starmin.models.solvers.cp_sat_search import new_solver

    solver = new_solver(time_limit, seed)
    status = interruptible(lambda: solver.solve(model), solver.stop_search)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, len(x[0])
    loads = np.array([[solver.value(v) for v in row] for row in x], np.int64)
    return loads, round(solver.best_objective_bound)


def _most_classes(joint: JointDistribution, l: int, threshold: int) -> int:
    shares = joint.weights.sum(axis=0) // threshold
    most = joint.size
    while np.minimum(shares, most).sum() < l * most:
        most -= 1
    return most


def _labels(loads: Ints, type_of: npt.NDArray[np.integer]) -> Int32s:
    """Deal the quasi-identifiers of each type out to its classes, the rest to 0."""
    open_ = np.flatnonzero(loads.any(axis=0))
    classes = np.zeros(len(type_of), np.int32)
    for t, row in enumerate(loads[:, open_]):
        dealt = np.repeat(np.arange(len(open_)), row)
        classes[np.flatnonzero(type_of == t)[: len(dealt)]] = dealt
    return classes
