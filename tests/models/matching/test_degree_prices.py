"""Tests that prices of originals prove what they say, whoever computes it."""

import random
from itertools import combinations

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    Certificate,
    KAnonymity,
    LDiversity,
    Objective,
    Scales,
    Table,
)
from starmin.instances.catalogue.catalogue import load_instance
from starmin.instances.tables.row_types import canonical_order
from starmin.models.nonhomogeneous.degree_prices import degree_prices, price_bound
from starmin.models.nonhomogeneous.node_degree_prices import node_price_bound
from starmin.models.nonhomogeneous.own_star_set import KIND, StarSets, own_star_set
from starmin.models.nonhomogeneous.pair_matching import pair_matching
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.price_unit import MOST_BITS
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.certificates.prices.node_prices import (
    nonhomogeneous_node_price_bound,
    nonhomogeneous_price_bound,
)
from tests.fuzz_certificates import random_scales
from tests.support.effort import seeds
from tests.support.rowwise import rowwise_optimum as brute_force
from tests.support.small_problems import random_objective, random_table


def by_definition(table: Table, k: int, prices: list[int]) -> int:
    """The bound from rows, sets and subsets, nothing sorted."""
    rows = list(zip(*(table.cells(c) for c in table.qi), strict=True))
    price = [prices[t] for t in table.row_types.inverse]
    total = (k - 1) * sum(price)
    for j, own in enumerate(rows):
        others = [i for i in range(len(rows)) if i != j]
        total += min(
            len({a for i in group for a in range(table.d) if rows[i][a] != own[a]})
            - sum(price[i] for i in group)
            for group in combinations(others, k - 1)
        )
    return total


@pytest.mark.parametrize("seed", seeds(15))
def test_any_prices_prove_a_bound_and_all_agree_which(seed):
    rng = random.Random(seed)
    n, d, k = rng.randint(3, 7), rng.randint(1, 3), rng.randint(2, 3)
    names = list("uvw"[:d])
    rows = [rng.choices("abc"[: rng.randint(2, 3)], k=d) for _ in range(n)]
    table = Table.from_rows(names, rows, names)
    prices = np.array([rng.randint(-2, 3) for _ in range(len(table.row_types))])
    bound = by_definition(table, k, prices.tolist())
    unit = 1 << 16
    sets = StarSets.of(table, STARS, k)
    value, lack = price_bound(sets, k, prices * unit)
    assert value == bound * unit and lack.sum() == 0
    types = table.row_types
    given = PricedTypes(table, types, STARS, k, 1, prices, 1)
    checked = nonhomogeneous_price_bound(given)
    assert checked == max(0, bound)
    assert checked <= brute_force(table, KAnonymity(k))


@pytest.mark.parametrize("k", [2, 5])
def test_it_is_far_above_the_own_star_sets(k):
    table = load_instance("census:n=400,sensitive=none")
    own = own_star_set(table, KAnonymity(k))
    result = degree_prices(table, KAnonymity(k))
    assert own.lower_bound * 1.05 < result.lower_bound
    for each in (own, result):
        check = check_certificate(
            each.certificate, table, KAnonymity(k), STARS, "nonhomogeneous"
        )
        assert check.accepted and check.bound == each.lower_bound
    if k == 2:
        optimum = pair_matching(table, KAnonymity(2)).value
        assert result.lower_bound <= optimum < result.lower_bound * 1.01


def test_types_and_rows_agree_on_pairs():
    table = load_instance("census:n=300,sensitive=none,seed=3")
    goal = Objective(weights={"age": 3, "race": 2}, keep=("gender",))
    by_types = pair_matching(table, KAnonymity(2), objective=goal)
    by_rows = pair_matching(table, KAnonymity(2), objective=goal, on="rows")
    assert by_types.value == by_rows.value == by_types.certified_bound


def test_a_certificate_that_proves_less_is_refused():
    table = load_instance("hospital")
    types = len(table.row_types)

    def check(requirement, prices, bound=1, recoding="nonhomogeneous"):
        data = {"denominator": 1, "prices": prices}
        claim = Certificate.of(table, requirement, STARS, KIND, bound, data)
        return check_certificate(claim, table, recoding=recoding)

    zero = [0] * types
    proven = check(KAnonymity(2), zero).bound
    assert check(KAnonymity(2), zero, proven, "suppression").accepted
    assert not check(KAnonymity(2), zero, proven + 1).accepted
    assert "k-anonymity only" in check(LDiversity(2), zero).why
    assert "not a list of" in check(KAnonymity(2), zero[1:]).why
    assert "64 bits" in check(KAnonymity(2), [2**60] * types).why
    other = Certificate.of(table, KAnonymity(2), STARS, "prices", 0, {})
    assert "groups only" in check_certificate(other, table, recoding=KIND[:14]).why


DENOMINATOR = 1 << MOST_BITS  # of small tables


def problem(seed: int) -> tuple[random.Random, Table, int, Objective]:
    """A small table with random scales, weights and kept columns."""
    rng = random.Random(seed)
    table = random_table(rng, least=3, most=6)
    table = table.with_roles(table.qi)
    stars = random_objective(rng, table, "stars")
    scales = random_scales(rng, table)
    goal = Objective("gcp", stars.weights, stars.keep, scales)
    return rng, table, rng.choice([2, 2, 3]), goal


def lost_by_definition(table: Table, k: int, goal: Objective, prices: list[int]) -> int:
    """The bound from rows and all sets of k rows, nothing sorted and nothing walked."""
    positions = goal.scales_of(table).row_positions(table)
    price = [prices[t] for t in table.row_types.inverse]
    kept = goal.kept(table)
    total = (k - 1) * sum(price)
    for j in range(table.n):
        left = []
        for others in combinations([i for i in range(table.n) if i != j], k - 1):
            here = positions[[j, *others]]
            low, high = here.min(axis=0)[None], here.max(axis=0)[None]
            if not (low != high)[:, kept].any():
                cost = goal.range_costs(table, np.ones(1, np.int64), low, high)
                left.append(cost - sum(price[i] for i in others))
        total += min(left)
    return total


@pytest.mark.parametrize("seed", seeds(15))
def test_any_prices_of_losses_prove_a_bound_and_all_agree_which(seed: int) -> None:
    rng, table, k, goal = problem(seed)
    optimum = brute_force(table, KAnonymity(k), goal)
    types = table.row_types
    whole = goal.whole(table) // table.n
    prices = np.array([rng.randint(-whole, whole) for _ in range(len(types))])
    stated = np.full(len(types), 3 * k * whole)
    given = PricedTypes(table, types, goal, k, 1, prices, 1)
    if optimum is None:
        with pytest.raises(ValueError, match="fewer than k"):
            nonhomogeneous_node_price_bound(given, stated)
        return
    bound = lost_by_definition(table, k, goal, prices.tolist())
    patterns = closed_patterns(table, types, goal, k)
    value, lack, least = node_price_bound(patterns, k, prices * DENOMINATOR)
    assert value == bound * DENOMINATOR and lack.sum() == 0
    for claim in stated, least // DENOMINATOR:
        checked = nonhomogeneous_node_price_bound(given, claim)
        assert checked == max(0, bound) <= optimum


@pytest.mark.parametrize("seed", seeds(8, 150))
def test_the_bound_is_below_the_optimum_and_its_certificate_is_accepted(seed):
    _, table, k, goal = problem(seed)
    requirement = KAnonymity(k)
    optimum = brute_force(table, requirement, goal)
    result = degree_prices(table, requirement, objective=goal)
    if optimum is None:
        assert result.reason
        return
    assert (result.lower_bound or 0) <= optimum
    if result.certificate is not None:
        check = check_certificate(
            result.certificate, table, requirement, goal, "nonhomogeneous"
        )
        assert check.accepted and check.bound == result.lower_bound


@pytest.mark.parametrize("k", [2, 5])
def test_it_is_far_above_what_each_row_pays_alone(k: int) -> None:
    table = load_instance("census:n=120,sensitive=none")
    goal = Objective("gcp", scales=Scales.of(table, ["age", "education"]))
    result = degree_prices(table, KAnonymity(k), objective=goal)
    types = len(table.row_types)
    none, much = np.zeros(types, np.int64), np.full(types, goal.whole(table))
    given = PricedTypes(table, table.row_types, goal, k, 1, none, 1)
    alone = nonhomogeneous_node_price_bound(given, much)
    assert result.lower_bound > 1.1 * alone
    check = check_certificate(result.certificate, table, KAnonymity(k), goal)
    assert check.accepted and check.bound == result.lower_bound


def test_what_claims_too_much_is_lowered_and_what_is_no_proof_refused() -> None:
    table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    goal = Objective("gcp", scales=Scales.of(table, table.qi))
    order = canonical_order(table, table.row_types)

    def check(prices, least, bound):
        prices, least = (np.array(v)[order].tolist() for v in (prices, least))
        data = {"denominator": 1, "prices": prices, "least": least}
        claim = Certificate.of(table, KAnonymity(2), goal, KIND, bound, data)
        return check_certificate(claim, table, recoding="nonhomogeneous")

    assert check([0, 0, 1], [1, 1, 7], 10).accepted
    assert check([0, 0, 1], [9, 9, 9], 10).accepted
    assert check([0, 0, 1], [9, 9, 9], 11).bound == 10
    assert "64 bits" in check([2**60] * 3, [0] * 3, 1).why
    data = {"denominator": 1, "prices": [0] * 3}
    claim = Certificate.of(table, KAnonymity(2), goal, KIND, 1, data)
    assert "no entry 'least'" in check_certificate(claim, table).why
