"""Tests that the Lagrangian bound is valid, near the relaxation, and interruptible."""

import random

import numpy as np
import pytest

from starmin.instances import STARS, KAnonymity, LDiversity, Limit, Run
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.bounds.pattern_lp import pattern_lp
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianFunction,
    LagrangianSubgradient,
)
from starmin.models.lagrangian_relaxation.price_bound import price_bound, pricing_values
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, MOST_BITS
from starmin.verify.certificates.certificate_check import check_certificate
from tests.reached_prices import reached_prices
from tests.real_scale import FIVE, SIX, SIX_BOUND, SIX_FOUND, persons
from tests.seeds import seeds
from tests.small_problems import ask, random_bounds, random_objective, random_table

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
    bounds = LagrangianFunction(patterns, types, k, l)
    for _ in range(8):  # it remembers what it saw at other prices
        prices = np.array(
            [rng.randint(-1, 5) * DENOMINATOR + rng.randint(0, 9) for _ in types.counts]
        )
        value, lack = bounds(prices)
        assert -(-value // DENOMINATOR) == price_bound(patterns, types, prices, k, l)
        values = np.minimum(pricing_values(patterns, types, prices, k, l), 0)
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
    remembers = LagrangianFunction(patterns, types, k, 1, outside=outside)
    prices = rng.integers(0, 2 * DENOMINATOR, len(types))
    for _ in range(60):
        looks = LagrangianFunction(patterns, types, k, 1, outside=outside)
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
    prices = reached_prices(run, patterns, table.row_types, 3)
    assert price_bound(patterns, table.row_types, prices, 3) == run.lower_bound
    again = reached_prices(run, patterns, table.row_types, 3, initial=prices)
    assert price_bound(patterns, table.row_types, again, 3) == run.lower_bound
