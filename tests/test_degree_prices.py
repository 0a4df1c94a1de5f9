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
    Table,
)
from starmin.instances.catalogue.catalogue import load_instance
from starmin.models.nonhomogeneous.degree_prices import degree_prices, price_bound
from starmin.models.nonhomogeneous.own_star_set import KIND, StarSets, own_star_set
from starmin.models.nonhomogeneous.pair_matching import pair_matching
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.prices.node_prices import nonhomogeneous_price_bound
from starmin.verify.nonhomogeneous.matcher import brute_force
from tests.seeds import seeds


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
    checked = nonhomogeneous_price_bound(table, k, STARS, prices, 1)
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
