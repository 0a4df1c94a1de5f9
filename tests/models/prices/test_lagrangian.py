"""Tests that the Lagrangian bound is valid, fixes incidences, and starts well."""

import itertools
import random

import numpy as np
import pytest

import starmin
from starmin.instances import STARS, KAnonymity, LDiversity, Limit, Run
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.bounds.pattern_lp import pattern_lp
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianFunction,
    LagrangianSubgradient,
    certified_prices,
    scaled,
)
from starmin.models.lagrangian_relaxation.price_bound import (
    lagrangian_fixing,
    price_bound,
    pricing_values,
)
from starmin.models.pattern_program.pattern_program import loads_of
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, MOST_BITS, PriceUnit
from starmin.models.pricing.pool_sources import ListedPatterns
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.models.prices.reached_prices import reached_prices
from tests.support.effort import seeds
from tests.support.real_scale import FIVE, SIX, SIX_BOUND, SIX_FOUND, persons
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)

DENOMINATOR = 1 << MOST_BITS  # of small tables


def one_value(table):
    """Only the first sensitive column, as price bounds use it."""
    return table.with_roles(table.qi, table.sensitive[:1])


@pytest.mark.parametrize("seed", seeds(20))
def test_the_function_is_the_price_bound(seed):
    rng = random.Random(seed)
    table = one_value(random_table(rng, 2, 14))
    k, l = random_bounds(rng)
    types = table.sensitive_types if l > 1 else table.row_types
    objective = random_objective(rng, table, "stars")
    patterns = closed_patterns(table, types, objective)
    bounds = LagrangianFunction(patterns, k, l)
    for _ in range(8):  # it remembers what it saw at other prices
        prices = np.array(
            [rng.randint(-1, 5) * DENOMINATOR + rng.randint(0, 9) for _ in types.counts]
        )
        value, lack = bounds(prices)
        assert -(-value // DENOMINATOR) == price_bound(patterns, prices, k, l)
        values = np.minimum(pricing_values(patterns, prices, k, l), 0)
        assert value == prices @ patterns.counts + values.sum()
        # Concave: what is lacking is a supergradient.
        other = prices + np.array([rng.randint(-999, 999) for _ in prices])
        assert bounds(other)[0] <= value + lack @ (other - prices)


@pytest.mark.parametrize("seed", seeds(20))
def test_patterns_that_are_not_looked_at_again_are_worth_nothing(seed: int) -> None:
    """Small steps, after which most patterns are passed over; also with outsiders."""
    rng = np.random.default_rng(seed)
    table = one_value(random_table(random.Random(seed), 12, 30))
    types, k = table.row_types, int(rng.integers(2, 6))
    patterns = closed_patterns(table, types, STARS, 1)
    outside = rng.integers(1, 4, len(patterns)) * DENOMINATOR
    outside[rng.random(len(patterns)) < 0.5] = INFEASIBLE
    remembers = LagrangianFunction(patterns, k, 1, outside=outside)
    prices = rng.integers(0, 2 * DENOMINATOR, len(types))
    for _ in range(60):
        looks = LagrangianFunction(patterns, k, 1, outside=outside)
        (value, lack), (whole, exact) = remembers(prices), looks(prices)
        assert value == whole and (lack == exact).all()
        prices = prices + rng.integers(
            -DENOMINATOR // 16, DENOMINATOR // 12, len(types)
        )


@pytest.mark.parametrize("seed", seeds(20))
def test_it_reaches_the_relaxation_of_small_tables(seed):
    rng = random.Random(seed)
    table = one_value(random_table(rng, 2, 14))
    requirement = ask(*random_bounds(rng))
    objective = random_objective(rng, table, "stars")
    relaxed = pattern_lp(table, requirement, objective=objective).lower_bound
    result = lagrangian(table, requirement, objective=objective)
    if relaxed is None:
        assert result.reason
        return
    own = own_pattern(table, requirement, objective=objective).lower_bound
    assert result.lower_bound >= own and result.lower_bound >= 0.999 * relaxed
    check = check_certificate(result.certificate, table, requirement, objective)
    assert check.accepted and check.bound >= result.lower_bound


@pytest.mark.parametrize("near", [0.0, 2.0])
@pytest.mark.parametrize("requirement", [KAnonymity(3), LDiversity(2)], ids=str)
def test_rounds_that_look_at_some_patterns_prove_as_much(
    requirement, near, monkeypatch
):
    where = "starmin.models.lagrangian_relaxation.lagrangian_function."
    table = persons(FIVE, ("occupation",), 500)
    whole = lagrangian(table, requirement)
    thinned: list[int] = []
    select = Patterns.select

    def counted(patterns, chosen):
        thinned.append(len(patterns) - np.count_nonzero(chosen))
        return select(patterns, chosen)

    monkeypatch.setattr(f"{where}LONG", 0)
    monkeypatch.setattr(f"{where}NEAR", near)
    monkeypatch.setattr(Patterns, "select", counted)
    found = lagrangian(table, requirement)
    assert max(thinned) > 0
    assert found.lower_bound >= 0.999 * whole.lower_bound
    check = check_certificate(found.certificate, table, requirement)
    assert check.accepted and check.bound >= found.lower_bound


@pytest.mark.parametrize(
    "requirement",
    [KAnonymity(2), KAnonymity(5), LDiversity(2), KAnonymity(5) & LDiversity(2)],
    ids=str,
)
def test_it_reaches_the_relaxation_of_seeded_persons(requirement):
    n = 600 if len(requirement.parts) > 1 else 900
    table = persons(FIVE, ("occupation",), n)
    result = lagrangian(table, requirement)
    relaxed = pattern_lp(table, requirement).lower_bound
    assert result.lower_bound >= 0.999 * relaxed
    check = check_certificate(result.certificate, table, requirement)
    assert check.accepted and check.bound >= result.lower_bound


def test_thirty_thousand_rows():
    table, requirement = persons(SIX), KAnonymity(5)
    result = lagrangian(table, requirement, tolerance=1e-2)
    assert 0.999 * SIX_BOUND <= result.lower_bound <= SIX_FOUND
    assert result.lower_bound > own_pattern(table, requirement).lower_bound
    check = check_certificate(result.certificate, table, requirement)
    assert check.accepted and result.lower_bound <= check.bound <= SIX_FOUND


def table_of(n):
    rng = random.Random(n)
    return one_value(random_table(rng, n, n))


def test_no_time_is_no_error():
    table = table_of(60)
    result = lagrangian(table, KAnonymity(2), time_limit=0)
    assert result.limit is Limit.TIME and result.stats["iterations"] <= 1


def test_an_interrupt_keeps_what_is_proven(monkeypatch):
    evaluate = LagrangianSubgradient._evaluate

    def interrupted(self, prices):
        if self.iterations == 20:
            raise KeyboardInterrupt
        return evaluate(self, prices)

    monkeypatch.setattr(LagrangianSubgradient, "_evaluate", interrupted)
    table = table_of(60)
    result = lagrangian(table, KAnonymity(3))
    assert result.limit is Limit.INTERRUPTED and result.stats["iterations"] == 20
    assert result.lower_bound >= own_pattern(table, KAnonymity(3)).lower_bound
    assert check_certificate(result.certificate, table, KAnonymity(3)).accepted


def test_prices_prove_what_the_run_learns():
    table = table_of(60)
    run = Run(table, KAnonymity(3))
    patterns = closed_patterns(table, table.row_types, run.objective, 3)
    prices = reached_prices(run, patterns)
    assert price_bound(patterns, prices, 3) == run.lower_bound
    again = reached_prices(run, patterns, initial=prices)
    assert price_bound(patterns, again, 3) == run.lower_bound


def group_costs(counts, reduced, values, k, l):
    """All choices that make a group, with what they cost."""
    for x in itertools.product(*(range(c + 1) for c in counts)):
        by_value = np.bincount(values, x)
        if sum(x) >= k and l * by_value.max() <= sum(x) > 0:
            yield x, int(np.dot(x, reduced))


@pytest.mark.parametrize("seed", seeds(27))
def test_forcing_a_copy_costs_what_enumeration_says(seed):
    rng = random.Random(seed)
    table = random_table(rng, 2, 8)
    table = table.with_roles(table.qi, table.sensitive[:1])
    k, l = random_bounds(rng)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, random_objective(rng, table, "stars"))
    prices = np.array([rng.randint(-1, 4) * DENOMINATOR for _ in types.counts])
    pricing = np.minimum(pricing_values(patterns, prices, k, l), 0)
    bound = int(prices @ types.counts + pricing.sum()) // DENOMINATOR
    found = -(-lagrangian_fixing(patterns, prices, k, l) // DENOMINATOR)
    for p in range(len(patterns)):
        a, b = patterns.starts[p], patterns.starts[p + 1]
        members = patterns.types[a:b]
        values = types.sensitive[members, 0] if l > 1 else np.zeros(b - a, int)
        reduced = patterns.cost[p] - prices[members] // DENOMINATOR
        groups = list(group_costs(types.counts[members], reduced, values, k, l))
        for i in range(b - a):
            costs = [cost for x, cost in groups if x[i]]
            if costs:
                expected = bound - pricing[p] // DENOMINATOR + min(costs)
                assert found[a + i] == expected
            else:
                assert found[a + i] > 2**40


@pytest.mark.parametrize("seed", seeds(23))
def test_an_optimal_release_passes(seed):
    rng = random.Random(seed)
    optimum = None
    while optimum is None or optimum.best is None:
        table = random_table(rng, 2, 9)
        k, l = random_bounds(rng)
        objective = random_objective(rng, table, "stars")
        optimum = brute_force(table, ask(k, l), objective)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, objective, k, l)
    loads = loads_of(table, STARS, patterns, optimum.best)
    run = Run(table, ask(k, l), objective)
    good = reached_prices(run, patterns)
    wild = np.array([rng.randint(-1, 5 * DENOMINATOR) for _ in types.counts])
    for prices in (good, wild):
        least = -(-lagrangian_fixing(patterns, prices, k, l) // DENOMINATOR)
        assert (least[loads > 0] <= optimum.value).all()


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
    function = LagrangianFunction(listed.patterns, 5, 1)
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
