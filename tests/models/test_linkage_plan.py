"""Tests that the plans of (l, eps)-diversity are optimal and their samples suffice."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from starmin.instances import Table, TableError
from starmin.models.linkage.broadcast import free_classes, interval_error
from starmin.models.linkage.contiguous_classes import (
    JointDistribution,
    greedy_classes,
    least_masses,
)
from starmin.models.linkage.failure import (
    association_bound,
    failure_probability,
    union_bound,
)
from starmin.models.linkage.plans import (
    MEASURES,
    bound_on_classes,
    most_classes,
    plan,
    sweep,
)
from tests.support.effort import seeds


def random_joint(seed: int, size: int, values: int) -> JointDistribution:
    weights = np.random.default_rng(seed).integers(0, 9, (size, values))
    weights[0] += 1
    names = tuple(f"s{s}" for s in range(values))
    return JointDistribution(weights, tuple((str(q),) for q in range(size)), names)


def admissible(joint: JointDistribution, l: int, gamma: float, labels) -> bool:
    return bool((least_masses(joint, l, labels) >= gamma * (1 - 1e-9)).all())


def contiguous(size: int) -> Iterator[npt.NDArray[np.int32]]:
    """Every partition of 0 .. size - 1 into intervals."""
    for cuts in itertools.product([0, 1], repeat=size - 1):
        yield np.cumsum([0, *cuts]).astype(np.int32)


def all_partitions(size: int) -> Iterator[list[int]]:
    """Every partition, as restricted growth strings."""
    if size == 1:
        yield [0]
        return
    for labels in all_partitions(size - 1):
        for label in range(max(labels) + 2):
            yield [*labels, label]


@pytest.mark.parametrize("seed", seeds(20))
def test_greedy_is_optimal_among_contiguous_partitions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    joint = random_joint(seed, int(rng.integers(1, 9)), int(rng.integers(2, 5)))
    l = int(rng.integers(1, joint.weights.shape[1] + 1))
    top = float(joint.sorted_marginal[l - 1])
    if top == 0:
        pytest.skip("fewer than l values occur")
    gamma = top * rng.choice([1.0, 0.6, 0.3, 0.1])
    found = greedy_classes(joint, l, gamma)
    assert (np.diff(found) >= 0).all() and admissible(joint, l, gamma, found)
    best = max(
        int(labels.max()) + 1
        for labels in contiguous(joint.size)
        if admissible(joint, l, gamma, labels)
    )
    assert int(found.max()) + 1 == best


@pytest.mark.parametrize("seed", range(25))
def test_free_classes_are_optimal_among_all_partitions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    joint = random_joint(seed, int(rng.integers(2, 8)), int(rng.integers(2, 4)))
    l = int(rng.integers(1, 3))
    gamma = float(joint.sorted_marginal[l - 1]) * rng.choice([0.5, 0.3, 0.15])
    found = free_classes(joint, l, gamma)
    best = max(
        max(labels) + 1
        for labels in all_partitions(joint.size)
        if admissible(joint, l, gamma, np.array(labels))
    )
    assert found.optimal and found.size == best
    assert admissible(joint, l, gamma, found.classes)
    assert best <= bound_on_classes(joint.sorted_marginal, l, gamma) * (1 + 1e-9)
    assert best >= int(greedy_classes(joint, l, gamma).max()) + 1


def test_free_classes_keep_the_start_and_a_bound_at_time_limit_zero() -> None:
    joint = random_joint(3, 12, 4)
    found = free_classes(joint, 3, 0.02, time_limit=0)
    assert admissible(joint, 3, 0.02, found.classes)
    assert found.size <= found.upper_bound


@pytest.mark.parametrize("seed", range(16))
def test_failure_and_its_bounds_against_enumeration(seed: int) -> None:
    """Every sequence of samples: exact for one release, bounds for one and two."""
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 3)), int(rng.integers(2, 4)))
    cells = rng.dirichlet(np.ones(shape[0] * shape[1]))
    l, n = int(rng.integers(1, shape[1])) + 1, int(rng.integers(2, 6))
    masses = cells.reshape(shape)
    seen: dict[tuple[int, ...], float] = {}
    for drawn in itertools.product(range(len(cells)), repeat=n):
        values = tuple(sorted(set(drawn)))
        seen[values] = seen.get(values, 0.0) + math.prod(cells[list(drawn)])

    def fails(values: set[int]) -> bool:
        shown = np.bincount([v // shape[1] for v in values], minlength=shape[0])
        return bool((shown < l).any())

    one = sum(chance for values, chance in seen.items() if fails(set(values)))
    two = sum(
        p * q
        for (first, p), (second, q) in itertools.product(seen.items(), repeat=2)
        if fails(set(first) & set(second))
    )
    assert failure_probability(masses, l, n) == pytest.approx(one, abs=1e-12)
    for releases, truth in ((1, one), (2, two)):
        assert truth <= association_bound(masses, l, n, releases) + 1e-12
        assert truth <= union_bound(masses, l, n, releases) + 1e-12


def test_failure_probability_is_accurate_far_below_rounding() -> None:
    """Two values of probability 1/2: one of them is missed with 2 * 2^-N."""
    masses = np.full((1, 2), 0.5)
    for n in (10, 60, 200):
        found = failure_probability(masses, 2, n)
        assert found == pytest.approx(2 * 0.5**n, rel=1e-8)


@pytest.mark.parametrize("l", [2, 3, 5])
@pytest.mark.parametrize("releases", [1, 3])
def test_sample_sizes_are_ordered_and_least(l: int, releases: int) -> None:
    joint = JointDistribution.geometric(60, 8, 0.8)
    made = plan(joint, l, 1e-3, 0.005, releases=releases)
    sizes = [made.samples(measure) for measure in MEASURES]
    if releases > 1:
        assert sizes.pop() is None
    else:
        exact = sizes[-1]
        assert made.failure_probability(exact) <= 1e-3
        assert made.failure_probability(exact - 1) > 1e-3
    assert sizes == sorted(sizes, reverse=True)
    _, _, union, association = sizes[:4]
    assert made.union_bound(union) <= 1e-3 < made.union_bound(union - 1)
    assert made.failure_bound(association) <= 1e-3
    assert made.failure_bound(association - 1) > 1e-3


@pytest.mark.parametrize("seed", range(10))
def test_sweep_finds_the_best_gamma_for_every_number_of_classes(seed: int) -> None:
    joint = random_joint(seed, 9, 3)
    plans = sweep(joint, 2, 0.01)
    best: dict[int, float] = {}
    for labels in contiguous(joint.size):
        gamma = float(least_masses(joint, 2, labels).min())
        size = int(labels.max()) + 1
        best[size] = max(best.get(size, 0.0), gamma)
    # A plan of more classes with the same gamma stands for those of fewer.
    frontier = {
        size: gamma
        for size, gamma in best.items()
        if gamma > 0 and all(best[m] < gamma for m in best if m > size)
    }
    assert {made.size: made.gamma for made in plans} == frontier
    sizes = [made.samples("paper") for made in plans]
    assert sizes == sorted(sizes)
    for made in plans:
        needed = made.samples("paper")
        found = most_classes(joint, 2, 0.01, needed, "paper")
        assert found.size == made.size
        fewer = most_classes(joint, 2, 0.01, needed - 1, "paper")
        assert (fewer.size if fewer else 0) < made.size


@pytest.mark.parametrize("seed", range(6))
def test_plan_from_an_estimate_holds_for_every_truth_in_the_ball(seed: int) -> None:
    rng = np.random.default_rng(seed)
    estimate = random_joint(seed, 12, 4)
    made = plan(estimate, 2, 0.05, 0.1, tv=0.02)
    n = made.samples("union")
    least = made.samples("association")
    assert made.samples("exact") is None and made.samples("paper") >= n >= least
    for _ in range(20):
        truth = estimate.weights / estimate.total
        moved, gained = rng.choice(truth.size, 2, replace=False)
        take = min(0.02, truth.flat[moved])
        truth.flat[moved] -= take
        truth.flat[gained] += take
        masses = JointDistribution.from_masses(truth).masses(made.classes)
        assert failure_probability(masses, 2, least) <= 0.05
        assert np.sort(masses, axis=1)[:, -2].min() >= made.gamma - 1e-9
    worst = made.masses.copy()
    l_likeliest = np.argsort(worst, axis=1)[:, -2:]
    least = min((worst[c, s], c, s) for c, ss in enumerate(l_likeliest) for s in ss)
    worst[least[1], least[2]] -= 0.02
    assert union_bound(made.masses, 2, n, tv=0.02) == pytest.approx(
        sum((1 - worst[c, s]) ** n for c, ss in enumerate(l_likeliest) for s in ss)
    )


@pytest.mark.parametrize("seed", range(5))
def test_estimation_errors_hold_on_samples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = JointDistribution.geometric(30, 5, 0.7)
    flat = (truth.weights / truth.total).ravel()
    n = 5_000
    drawn = rng.multinomial(n, flat) / n
    error = (drawn - flat).reshape(30, 5).cumsum(axis=0)
    spread = (error.max(axis=0) - error.min(axis=0)).max()
    assert spread <= interval_error(5, n, 0.999)


def test_a_table_gives_its_distribution_in_the_declared_order() -> None:
    table = Table.from_rows(
        ["age", "ill"],
        [["9", "flu"], ["10", "flu"], ["9", "gout"], ["9", "flu"]],
        qi=["age"],
        sensitive=["ill"],
    )
    as_text = JointDistribution.from_table(table)
    as_number = JointDistribution.from_table(table, numeric=["age"])
    assert as_text.quasi_identifiers == (("10",), ("9",))
    assert as_number.quasi_identifiers == (("9",), ("10",))
    assert as_number.weights.tolist() == [[2, 1], [1, 0]]
    with pytest.raises(TableError, match="one sensitive column"):
        JointDistribution.from_table(table.with_roles(["age"]))
    with pytest.raises(TableError, match=r"'ill'.*not numeric"):
        JointDistribution.from_table(
            table.with_roles(["ill"], ["age"]), numeric=["ill"]
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda j: greedy_classes(j, 3, 0.1), "1 <= l <= 2"),
        (lambda j: greedy_classes(j, 2, 0.6), "gamma <= 0.5"),
        (lambda j: greedy_classes(j, 2, 0.0), "gamma > 0"),
        (lambda j: plan(j, 2, 0.0, 0.1), "eps < 1"),
        (lambda j: plan(j, 2, 0.1, 0.1, tv=0.2), "estimate's error"),
        (lambda j: plan(j, 2, 0.1, 0.1, releases=0), "releases >= 1"),
    ],
)
def test_wrong_parameters_are_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(JointDistribution.uniform(4, 2))
