"""Tests that prices under distinct l-diversity prove bounds, for all and for each."""

import random

import numpy as np
import pytest

from starmin.auto.choice import solve_by
from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.instances import (
    STARS,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Problem,
    Requirement,
    Run,
)
from starmin.instances.catalogue.generators import clustered
from starmin.models.distinct.distinct_prices import (
    DistinctParams,
    DistinctPrices,
    distinct_prices,
    prove_by_prices,
)
from starmin.models.distinct.distinct_reduction import (
    distinct_program,
    has_prices,
    smallest_reduction,
)
from starmin.models.pattern_ilp.pattern_ilp import PatternIlpParams, pattern_ilp
from starmin.models.pattern_program.pattern_program import loads_of
from starmin.models.price_unit import MOST_BITS
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import patiently
from tests.support.small_problems import random_objective, random_table

DENOMINATOR = 1 << MOST_BITS  # of small tables

BY_PRICES = PatternIlpParams(distinct=DistinctParams(large=0))


def test_bounds_are_at_most_what_the_best_release_costs() -> None:
    """At prices of all kinds; and those of incidences hold for the ones it uses."""
    positive = 0
    for seed in range(120):
        rng = random.Random(seed)
        table = random_table(rng, 2, 9)
        table = table.with_roles(table.qi, table.sensitive[:1])
        requirement = DistinctDiversity(rng.choice([2, 2, 3]))
        objective = random_objective(rng, table, "stars")
        oracle = brute_force(table, requirement, objective)
        if oracle.best is None:
            continue
        run = Run(table, requirement, objective)
        reduction = smallest_reduction(run)
        if len(reduction.inside) == 0:
            continue
        prices = DistinctPrices(run, reduction)
        size = len(prices.prices)
        for _ in range(5):
            at = np.array([rng.randint(-1, 6) * DENOMINATOR // 2 for _ in range(size)])
            bound, _ = prices._bound(at)
            assert bound <= oracle.value * DENOMINATOR
            positive += bound > 0
        prices.improve(1e-3)
        assert run.lower_bound is not None and run.lower_bound <= oracle.value
        loads = loads_of(table, STARS, reduction.patterns, oracle.best)
        assert loads is not None
        used = reduction.split(loads)[0] > 0
        assert (prices.least()[used] <= oracle.value + 1e-9).all()
    assert positive > 20


@pytest.mark.parametrize("l", [2, 3, 4])
def test_the_best_prices_are_worth_the_relaxation(l: int) -> None:
    table = clustered(300, 4, 5, seed=l, sensitive=6)
    run = Run(table, DistinctDiversity(l))
    reduction = smallest_reduction(run)
    relaxed = LinearSolver(distinct_program(reduction).program).solve(60.0)
    prices = DistinctPrices(run, reduction)
    prices.improve(1e-4)
    assert relaxed is not None
    assert prices.value / DENOMINATOR > 0.99 * relaxed.value


def test_a_search_by_prices_ends_with_the_optimum() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        table = random_table(rng, 2, 9)
        table = table.with_roles(table.qi, table.sensitive[:1])
        requirement = DistinctDiversity(2)
        optimum = brute_force(table, requirement).value
        found = pattern_ilp(table, requirement, params=BY_PRICES)
        assert found.value == optimum and found.limit is None
        assert optimum is None or found.lower_bound == optimum


def test_a_large_table_gets_a_bound_and_a_better_release() -> None:
    table = clustered(1000, 5, 6, seed=1, sensitive=8)
    requirement = DistinctDiversity(3)
    start = lexicographic_suppression(table, requirement)
    given = {"initial": start.best, "params": BY_PRICES}
    found = patiently(
        lambda seconds: pattern_ilp(table, requirement, time_limit=seconds, **given),
        lambda found: found.value < start.value,
        2.0,
    )
    assert found.lower_bound <= found.value


@pytest.mark.parametrize("large", [0, 1_000_000])
def test_a_search_that_its_limit_ends_leaves_a_certificate(large: int) -> None:
    """Of prices, whether they replace the relaxation or are its duals."""
    table = clustered(1000, 5, 6, seed=1, sensitive=8)
    requirement = DistinctDiversity(3)
    params = PatternIlpParams(distinct=DistinctParams(large=large))
    found = patiently(
        lambda seconds: pattern_ilp(
            table, requirement, time_limit=seconds, params=params
        ),
        lambda found: (found.certified_bound or 0) > 0.97 * found.lower_bound,
        1.0,
    )
    check = check_certificate(found.certificate, table, requirement, STARS)
    assert check.accepted, check.why


def test_certificates_of_any_prices_are_accepted_and_true() -> None:
    """Also with k or diversity by frequency, and with several sensitive columns."""
    positive = 0
    for seed in range(150):
        rng = random.Random(seed)
        table = random_table(rng, 2, 9)
        if rng.random() < 0.7:
            table = table.with_roles(table.qi, table.sensitive[:1])
        requirement: Requirement = DistinctDiversity(rng.choice([2, 2, 3]))
        more = [KAnonymity(rng.choice([3, 4])), LDiversity(2), None, None]
        if (other := rng.choice(more)) is not None:
            requirement &= other
        objective = random_objective(rng, table, "stars")
        best = brute_force(table, requirement, objective).value
        if best is None:
            continue
        run = Run(table, requirement, objective)
        reduction = smallest_reduction(run)
        if len(reduction.inside) == 0:
            continue
        at = [rng.randint(-2, 8) / 2 for _ in range(reduction.placed.sum())]
        prove_by_prices(run, reduction, np.array(at))
        assert run.certificate is not None and run.lower_bound is not None
        assert run.certificate.bound == run.lower_bound <= best
        check = check_certificate(run.certificate, table, requirement, objective)
        assert check.accepted, (seed, check.why)
        positive += run.lower_bound > 0
    assert positive > 50


def test_the_bound_alone_is_true_and_certified() -> None:
    tight = 0
    for seed in range(80):
        rng = random.Random(seed)
        table = random_table(rng, 2, 9)
        table = table.with_roles(table.qi, table.sensitive[: 1 + seed % 2])
        requirement: Requirement = DistinctDiversity(rng.choice([2, 3]))
        if seed % 4 == 0:
            requirement &= KAnonymity(4)
        objective = random_objective(rng, table, "stars")
        best = brute_force(table, requirement, objective).value
        found = distinct_prices(table, requirement, objective=objective)
        if best is None:
            assert found.lower_bound is None
            continue
        assert found.lower_bound is not None and found.lower_bound <= best
        tight += found.lower_bound == best > 0
        if found.certificate is not None:
            assert found.certified_bound == found.lower_bound
            check = check_certificate(found.certificate, table, requirement, objective)
            assert check.accepted, (seed, check.why)
    assert tight > 20


def test_auto_bounds_and_certifies_what_a_heuristic_solves() -> None:
    """Nearly all rows differ: more pairs than the exact method has time for."""
    table = clustered(1500, 9, 12, seed=2, sensitive=8)
    problem = Problem(table, DistinctDiversity(3), STARS)
    found = patiently(
        lambda seconds: solve_by("auto", problem, {"time_limit": seconds}),
        lambda found: found.certificate is not None and found.certificate.bound > 0,
        2.5,
    )
    assert found.stats["method"] != "pattern_ilp"
    assert found.certificate.bound <= found.value


def test_which_requirements_have_prices() -> None:
    assert has_prices(DistinctDiversity(3), 1)
    assert has_prices(DistinctDiversity(3) & KAnonymity(3), 1)
    assert not has_prices(DistinctDiversity(3) & KAnonymity(4), 1)
    assert not has_prices(DistinctDiversity(3) & LDiversity(2), 1)
    assert not has_prices(DistinctDiversity(3), 2)
