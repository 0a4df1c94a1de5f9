"""Tests that planned sample sizes keep the failure of linked releases below eps."""

from importlib import import_module

import numpy as np
import pytest

from starmin.instances import Table
from starmin.models.linkage.broadcast import interval_error
from starmin.models.linkage.contiguous_classes import JointDistribution
from starmin.models.linkage.failure import failure_probability
from starmin.models.linkage.plans import plan
from starmin.verify.linkage import attack, simulate
from starmin.verify.linkage.monte_carlo import clopper_pearson

EPS = 0.1
SURE = 1 - 1e-5


def joint_of(marginal: str) -> JointDistribution:
    ratio = {"uniform": 1.0, "geometric": 0.7}[marginal]
    return JointDistribution.geometric(12, 8, ratio)


@pytest.mark.parametrize("marginal", ["uniform", "geometric"])
@pytest.mark.parametrize("l", range(2, 7))
@pytest.mark.parametrize("releases", range(1, 5))
def test_failures_never_significantly_exceed_eps(
    marginal: str, l: int, releases: int
) -> None:
    """Theorems 4.4 and 4.5, with each of the sample sizes."""
    joint = joint_of(marginal)
    gamma = 0.3 * float(joint.sorted_marginal[l - 1])
    made = plan(joint, l, EPS, gamma, releases=releases)
    for measure in ("paper", "union", "association", "exact"):
        n = made.samples(measure)
        if n is None:
            continue
        found = simulate(
            made.masses, l, n, releases, runs=3000, seed=l, confidence=SURE
        )
        assert found.low <= EPS, measure
        assert found.low <= made.failure_bound(n), measure
        if releases == 1:
            truth = failure_probability(made.masses, l, n)
            assert found.low <= truth <= min(found.high, EPS), measure
    if releases == 1:
        few = made.samples("exact") * 2 // 3
        assert simulate(made.masses, l, few, runs=3000, confidence=SURE).low > EPS


def test_a_plan_from_an_estimate_keeps_the_truth_below_eps() -> None:
    """The classes and N come from a sample; the releases come from the truth."""
    rng = np.random.default_rng(5)
    truth = JointDistribution.geometric(40, 6, 0.8)
    sample = rng.multinomial(20_000, (truth.weights / truth.total).ravel())
    estimate = JointDistribution.from_masses(sample.reshape(40, 6))
    error = interval_error(6, 20_000, 0.999)
    made = plan(estimate, 3, EPS, 0.05, cell_error=error)
    masses = truth.masses(made.classes)
    assert np.sort(masses, axis=1)[:, -3].min() >= made.gamma > 0
    for measure in ("paper", "union", "association"):
        assert failure_probability(masses, 3, made.samples(measure)) <= EPS


def test_simulation_counts_what_the_attack_finds() -> None:
    """Sampled tables, generalized to the classes and linked, run by run."""
    joint = JointDistribution.uniform(6, 4)
    made = plan(joint, 3, EPS, 0.12)
    rng = np.random.default_rng(1)
    n, runs, failures = 24, 300, 0
    people = Table.from_rows("q", [[str(c)] for c in range(made.size)], "q")
    for _ in range(runs):
        releases = []
        for _ in range(2):
            q, s = np.divmod(rng.integers(0, 24, n), 4)
            rows = [(str(c), f"s{v}") for c, v in zip(made.classes[q], s, strict=True)]
            releases.append(Table.from_rows("qs", rows, "q", "s"))
        failures += int((attack(releases, people).after < 3).any())
    found = simulate(made.masses, 3, n, releases=2, runs=20_000, confidence=SURE)
    low, high = clopper_pearson(failures, runs, SURE)
    assert low <= found.rate <= high and 0.05 < found.rate < 0.95


def test_simulations_repeat_and_batches_do_not_matter(monkeypatch) -> None:
    masses = np.full((3, 4), 1 / 12)
    first = simulate(masses, 3, 30, 2, runs=500, seed=3)
    assert first == simulate(masses, 3, 30, 2, runs=500, seed=3)
    assert first != simulate(masses, 3, 30, 2, runs=500, seed=4)
    assert first.failures >= first.failures_of_one > 0
    monkeypatch.setattr(
        import_module("starmin.verify.linkage.monte_carlo"), "_CELLS", 130
    )
    batched = simulate(masses, 3, 30, 2, runs=500, seed=3, confidence=SURE)
    assert batched.runs == 500 and batched.low <= first.rate <= batched.high


@pytest.mark.parametrize("truth", [0.0, 0.01, 0.3, 1.0])
def test_clopper_pearson_covers(truth: float) -> None:
    """The interval covers the truth with at least its confidence, by summation."""
    from scipy.stats import binom

    runs = 40
    covered = 0.0
    for successes in range(runs + 1):
        low, high = clopper_pearson(successes, runs, 0.9)
        covered += binom.pmf(successes, runs, truth) * (low <= truth <= high)
    assert covered >= 0.9
    with pytest.raises(ValueError, match="confidence < 1"):
        clopper_pearson(1, 2, 1.0)


def test_wrong_masses_are_refused() -> None:
    with pytest.raises(ValueError, match="add up to at most 1"):
        simulate(np.array([[0.9, 0.9]]), 2, 3)
    with pytest.raises(ValueError, match="runs >= 1"):
        simulate(np.array([[0.5, 0.5]]), 2, 3, runs=0)


@pytest.mark.parametrize(
    ("masses", "why"),
    [
        ([1.0, 2.0], "matrix"),
        ([[1.0, -1.0]], "matrix"),
        ([[1.0, np.nan]], "matrix"),
        ([[0.0, 0.0]], "not all 0"),
    ],
)
def test_what_is_no_distribution_is_refused(masses: list[float], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        JointDistribution.from_masses(masses)
    names = (("0",),), ("x", "y")
    for weights in ([[1, 2, 3]], [[1, -1]], [[0, 0]], [[2**61, 1]]):
        with pytest.raises(ValueError, match="Expected weights"):
            JointDistribution(np.array(weights), *names)
    for ratio in (0.0, 1.5):
        with pytest.raises(ValueError, match="0 < ratio <= 1"):
            JointDistribution.geometric(3, 2, ratio)
