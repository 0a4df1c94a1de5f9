"""Tests that losses too fine for 64 bits are taken, with bounds nearly as good."""

import random
from dataclasses import replace

import numpy as np
import pytest

from starmin.heuristics.annealing.pattern_annealing import pattern_annealing
from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.heuristics.diving.lagrangian_diving import lagrangian_diving
from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.instances import Objective, Partition, Run, Scales, Table
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.bounds.pattern_lp import pattern_lp
from starmin.models.matching.simplex_matching import simplex_matching
from starmin.models.nonhomogeneous.degree_prices import degree_prices
from starmin.models.pattern_ilp.branch_and_bound import branch_and_bound
from starmin.models.pattern_ilp.column_generation import column_generation
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.patterns.coarse_losses import (
    CoarseLosses,
    CoarseRun,
    run_with_prices,
)
from starmin.models.price_unit import PriceUnit, is_fine
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.small_problems import ask

pytestmark = pytest.mark.usefixtures("exactly")

NEARLY = 1e-8  # of the optimum: what rounding losses down may hide
FINELY = 1e-9  # where all that has to fit 64 bits are sums over pairs and triples


def fine_numbers(seed, several="uvuvuv"):
    """Some rows and three columns of numbers whose lengths have no common unit."""
    rng = random.Random(seed)
    rows = [
        [*(str(rng.randint(0, 9) * 10**6 + rng.randint(0, 99)) for _ in "abc"), s]
        for s in several
    ]
    rows += [["0", "0", "0", "u"], ["10000019", "10000079", "10000103", "v"]]
    table = Table.from_rows([*"abcs"], rows, qi=[*"abc"], sensitive=["s"])
    return table, Objective("gcp", {"b": 2}, (), Scales.of(table, [*"abc"]))


EXACT = [branch_and_bound, pattern_ilp, column_generation, simplex_matching]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("k", "l"), [(2, 1), (3, 1), (1, 2)])
def test_exact_methods_find_the_optimum_and_nearly_prove_it(seed, k, l):
    table, objective = fine_numbers(seed, "uvu" if k == 3 else "uvuvuv")
    assert is_fine(objective, table)
    requirement = ask(k, l)
    optimum = brute_force(table, requirement, objective).value
    for method in EXACT:
        if method is simplex_matching and (k, l) != (2, 1):
            continue
        found = method(table, requirement, objective=objective, time_limit=9)
        assert found.value == optimum
        assert (1 - NEARLY) * optimum < found.lower_bound <= optimum
        proof = found.certificate
        assert "unit" in proof.data
        check = check_certificate(proof, table, requirement, objective)
        assert check.accepted and check.bound >= proof.bound
        if method is branch_and_bound:
            assert found.certified_bound == found.lower_bound


@pytest.mark.parametrize("seed", range(4))
def test_pairs_are_proven_finely_of_long_numbers_beside_short_ones(seed):
    rng = random.Random(seed)
    cells = [
        [str(rng.randrange(10**11)), f"{rng.random() / 2:.9f}", str(rng.randrange(9))]
        for _ in range(9)
    ]
    table = Table.from_rows([*"abc"], cells, qi=[*"abc"])
    objective = Objective("gcp", scales=Scales.of(table, [*"abc"]))
    optimum = brute_force(table, ask(2, 1), objective).value
    found = simplex_matching(table, ask(2, 1), objective=objective)
    assert (1 - FINELY) * optimum < found.lower_bound <= optimum == found.value
    proof = found.certificate
    assert proof.bound == found.lower_bound and "unit" in proof.data
    assert check_certificate(proof, table, ask(2, 1), objective).accepted
    prices = proof.data["prices"]
    for wrong in (
        {"prices": [price + abs(price) // 10**6 + 1 for price in prices]},
        {"prices": [2**61, *prices[1:]]},
        {"unit": proof.data["unit"] // 2},
        {"unit": 2**61},
    ):
        lie = replace(proof, data={**proof.data, **wrong})
        assert not check_certificate(lie, table, ask(2, 1), objective).accepted
    higher = replace(proof, bound=proof.bound + optimum // 10**6)
    assert not check_certificate(higher, table, ask(2, 1), objective).accepted


def test_bounds_and_searches_take_fine_losses():
    table, objective = fine_numbers(0)
    requirement = ask(2, 1)
    optimum = brute_force(table, requirement, objective).value
    for bound in (lagrangian, pattern_lp):
        found = bound(table, requirement, objective=objective)
        assert 0.8 * optimum < found.lower_bound <= optimum
    for search, options in (  # each ends by itself
        (pattern_annealing, {"proposals": 200}),
        (large_neighbourhood, {"stagnation": 1}),
        (pattern_cover, {}),
    ):
        found = search(table, requirement, objective=objective, **options)
        assert optimum <= found.value < 1.5 * optimum
        assert 0 < found.lower_bound <= optimum
    found = lagrangian_diving(table, ask(1, 2), objective=objective)
    assert found.value >= brute_force(table, ask(1, 2), objective).value


def test_each_kind_of_proof_that_states_a_unit_is_checked():
    kinds = set()
    for seed in range(3):
        table, objective = fine_numbers(seed)
        for method, k, recoding in (
            (lagrangian, 2, "suppression"),
            (branch_and_bound, 2, "suppression"),
            (simplex_matching, 2, "suppression"),
            (degree_prices, 2, "nonhomogeneous"),
        ):
            requirement = ask(k, 1)
            problem = table, requirement, objective, recoding
            proof = method(table, requirement, objective=objective).certificate
            kinds.add((proof.kind, "cuts" in proof.data))
            assert check_certificate(proof, *problem).bound >= proof.bound
            whole = objective.whole(table)
            for wrong in (
                replace(proof, bound=proof.bound + whole // 2**20),
                replace(proof, data={**proof.data, "unit": proof.data["unit"] * 2}),
                replace(proof, data={**proof.data, "unit": 1}),
            ):
                assert not check_certificate(wrong, *problem).accepted
    assert {kind for kind, _ in kinds} == {
        *("prices", "tree", "odd_sets", "nonhomogeneous_prices")
    }
    assert ("prices", True) in kinds


def test_what_coarse_losses_prove_is_never_above_the_truth():
    table, objective = fine_numbers(0)
    for bits in range(1, 40, 6):
        coarse = CoarseLosses.of(objective, table, 1 << bits)
        for size in range(2, 7):
            rows = Partition.from_labels(np.arange(table.n) < size)
            value = rows.value(table, objective)
            assert coarse.bound(rows.value(table, coarse.objective), table.n) <= value


def test_only_losses_without_a_unit_of_prices_are_made_coarser():
    table, objective = fine_numbers(0)
    run = Run(table, ask(2, 1), objective)
    coarse = run_with_prices(run)
    assert isinstance(coarse, CoarseRun)
    assert PriceUnit.of(table, coarse.objective).per_cost >= 2**8
    few = table.take([0, 1, 2])
    scales = Scales.of(few, ["a"])
    exact = Run(few, ask(2, 1), Objective("gcp", {"b": 0, "c": 0}, (), scales))
    assert run_with_prices(exact) is exact
