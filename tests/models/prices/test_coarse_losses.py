"""Tests that losses too fine for 64 bits are taken, with bounds nearly as good."""

import json
import random
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from starmin.heuristics.annealing.pattern_annealing import pattern_annealing
from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.heuristics.diving.lagrangian_diving import lagrangian_diving
from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.instances import Objective, Partition, Run, Scales, Table, Taxonomy
from starmin.models.bounds.dual_ascent import dual_ascent
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.bounds.own_pattern import own_pattern
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
from starmin.verify.checker import BeyondError
from tests.support.one_file_checker import proven_alone
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


@pytest.mark.parametrize("method", [own_pattern, dual_ascent])
@pytest.mark.parametrize(("k", "l"), [(2, 1), (3, 1), (10, 1), (1, 2)])
@pytest.mark.parametrize("digits", [2, 11])
def test_groups_are_proven_finely_and_exactly_of_few_digits(method, k, l, digits):
    """Groups far apart: each row is in the cheapest one that there is for it."""
    rng, many = random.Random(k * l), max(k, l)
    parts = 200 // many
    cells = [
        [
            *(
                f"{far:02}{rng.randrange(10**n // 4):0{n}}"
                for n in (digits, digits - 1)
            ),
            s,
        ]
        for far in (99 * part // (parts - 1) for part in range(parts))
        for s in ("uvwxyz"[at % 6] for at in range(many))
    ]
    table = Table.from_rows([*"abs"], cells, qi=[*"ab"], sensitive=["s"])
    goal = Objective("gcp", {"b": 2}, (), Scales.of(table, [*"ab"]))
    groups = np.repeat(np.arange(parts, dtype=np.int32), many)
    value = Partition(groups).value(table, goal)
    proof = method(table, ask(k, l), objective=goal).certificate
    given = table, ask(k, l), goal
    if digits == 2:
        assert "unit" not in proof.data and proof.bound == value
    assert (1 - FINELY) * value < proof.bound <= value
    assert check_certificate(proof, *given).bound == proof.bound
    expect_alone(table, proof)
    higher = {"prices": [price + max(1, price >> 20) for price in proof.data["prices"]]}
    lies = [higher, {"prices": [2**61, *proof.data["prices"][1:]]}]
    if "unit" in proof.data:
        lies += [{"unit": proof.data["unit"] // 2}, {"unit": 2**61}, {"unit": 0}]
    for wrong in lies:
        lie = replace(proof, bound=value + 1, data={**proof.data, **wrong})
        assert not check_certificate(lie, *given).accepted
        expect_alone(table, lie, accepted=False)


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
            expect_alone(table, proof, proof.kind not in ("prices", "tree"))
            for wrong in (
                replace(proof, bound=proof.bound + whole // 2**20),
                replace(proof, data={**proof.data, "unit": proof.data["unit"] * 2}),
                replace(proof, data={**proof.data, "unit": 1}),
            ):
                assert not check_certificate(wrong, *problem).accepted
                expect_alone(table, wrong, proof.kind not in ("prices", "tree"), False)
    assert {kind for kind, _ in kinds} == {
        *("prices", "tree", "odd_sets", "nonhomogeneous_prices")
    }
    assert ("prices", True) in kinds


def expect_alone(table, proof, known=True, accepted=True, scales=None):
    """Ask the checker of one file, which knows ranges for some kinds alone."""
    content = json.loads(json.dumps(vars(proof), default=dict))
    if not known:
        with pytest.raises(BeyondError):
            proven_alone(table, content, scales)
        return
    bound = proven_alone(table, content, scales)
    assert (bound is not None and bound >= proof.bound) is accepted, (bound, proof)


@pytest.mark.parametrize("unit", [1, 7, 60, 2**20])
def test_both_checkers_take_units_of_hierarchies(unit, monkeypatch):
    """Prices and trees with a unit, which no hierarchy that is small needs."""
    for name in ("lagrangian", "branch_and_bound"):
        module = sys.modules[globals()[name].__module__]
        monkeypatch.setattr(module, "run_with_prices", lambda run: CoarseRun(run, unit))
    tree, kinds = Taxonomy.parse("{A{a,b,c},D{d,e},F{f,G{g,h}}}"), Counter()
    for seed in range(6):
        rng = random.Random(seed)
        rows = [[rng.choice("abcdefgh"), rng.choice("defg"), rng.choice("xy")]]
        rows += [[rng.choice("abcdefgh"), *rng.choice(rows)[1:]] for _ in range(7)]
        table = Table.from_rows("uvw", rows, qi="uvw")
        goal = Objective(
            "gcp", {"v": 3}, (), Scales.of(table, (), dict.fromkeys("uv", tree))
        )
        optimum = brute_force(table, ask(2, 1), goal).value
        for method in (lagrangian, branch_and_bound):
            proof = method(table, ask(2, 1), objective=goal).certificate
            given = table, ask(2, 1), goal
            assert proof.data["unit"] == unit and proof.bound <= optimum
            assert check_certificate(proof, *given).accepted
            expect_alone(table, proof, scales=goal.scales)
            kinds[proof.kind] += proof.bound > 0
            for wrong in (
                replace(proof, bound=optimum + 1),
                replace(
                    proof, bound=optimum + 1, data={**proof.data, "unit": unit + 1}
                ),
                replace(proof, bound=optimum + 1, data={**proof.data, "unit": 2**62}),
            ):
                assert not check_certificate(wrong, *given).accepted
                expect_alone(table, wrong, accepted=False, scales=goal.scales)
            for wrong in (0, -unit, "7", 1.0, True, None):
                lie = replace(proof, data={**proof.data, "unit": wrong})
                assert not check_certificate(lie, *given).accepted
                expect_alone(table, lie, accepted=False, scales=goal.scales)
    assert unit == 1 or {*kinds} >= {"prices", "tree"}, kinds


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
