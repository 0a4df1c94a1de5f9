"""Tests that prices of one k start those of another, and start them well."""

import pytest

import starmin
from starmin.instances import STARS, KAnonymity, Run
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianFunction,
    certified_prices,
    scaled,
)
from starmin.models.price_unit import MOST_BITS, PriceUnit
from starmin.models.pricing.pool_sources import ListedPatterns

DENOMINATOR = 1 << MOST_BITS  # of small tables

TABLE = starmin.load_instance("census:n=150,seed=2")


@pytest.mark.parametrize("k", [2, 10])
def test_prices_of_another_k_start_higher_bounds(k):
    proof = lagrangian(TABLE, KAnonymity(5)).certificate
    bounds = {}
    for given in (None, proof):
        run = Run(TABLE, KAnonymity(k))
        ListedPatterns(run, given).estimate(run, 20)
        bounds[given is proof] = run.lower_bound
    optimum_bound = lagrangian(TABLE, KAnonymity(k)).lower_bound
    assert bounds[False] < bounds[True] <= optimum_bound


def test_a_proof_of_the_same_k_gives_its_bound_back():
    requirement = KAnonymity(5)
    priced = Run(TABLE, requirement)
    ListedPatterns(priced).estimate(priced, 200)
    proof = priced.certificate
    listed = ListedPatterns(Run(TABLE, requirement), proof)
    function = LagrangianFunction(listed.patterns, listed.types, 5, 1)
    own = certified_prices(proof, TABLE, listed.types, function.unit)
    assert -(-function(own)[0] // DENOMINATOR) == proof.bound
    value = function(listed.prices)[0]
    assert value >= function(own)[0]
    assert function(scaled(own // 3, function))[0] > function(own // 3)[0]


def test_a_proof_for_other_row_types_starts_nothing():
    table = starmin.load_instance("hospital")
    proof = starmin.bound(table, l=2, method="lagrangian").certificate
    unit = PriceUnit.of(table, STARS)
    assert certified_prices(None, table, table.row_types, unit) is None
    assert certified_prices(proof, table, table.sensitive_types, unit) is not None
    assert len(table.row_types) != len(table.sensitive_types)
    assert certified_prices(proof, table, table.row_types, unit) is None
