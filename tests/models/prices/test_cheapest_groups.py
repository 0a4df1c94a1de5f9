"""Tests that groups found among near rows are the cheapest, and prove what they say."""

import random
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from starmin.auto.choice import solve_by
from starmin.instances import (
    KAnonymity,
    Objective,
    Problem,
    Run,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.catalogue.generators import normal
from starmin.models.bounds import cheapest_groups
from starmin.models.bounds import own_pattern as own_pattern_file
from starmin.models.bounds.cheapest_groups import Diversity, column_costs, group_search
from starmin.models.bounds.dual_ascent import dual_ascent
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.patterns import patterns as many_patterns
from starmin.models.patterns.coarse_losses import CoarseLosses
from starmin.models.price_unit import is_fine
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.certificates.prices import group_prices
from starmin.verify.certificates.prices.group_prices import group_price_bound
from starmin.verify.certificates.untrusted import RefusalError
from starmin.verify.exact import BeyondError
from tests.support.cheap_groups import cheapest_group_costs
from tests.support.effort import only, patiently, seeds
from tests.support.every_partition import groups_of
from tests.support.small_problems import ask, random_problem


@pytest.mark.parametrize("seed", seeds(27))
def test_the_cheapest_group_of_each_row_is_found(seed):
    _, table, objective, k, l = random_problem(seed)
    k = min(max(k, l), table.n)
    l = min(k, l)
    types = table.sensitive_types if l > 1 else table.row_types
    beyond = objective.whole(table) // table.n + 1
    expected = [beyond] * len(types)
    for chosen, cost in groups_of(table, objective, k, l):
        for t in types.inverse[list(chosen)]:
            expected[t] = min(expected[t], cost)
    problem = table, types, objective, k
    costs = cheapest_group_costs(*problem, Diversity(l, 0))
    if 0 in objective.weights.values():  # nodes above the highest level cost nothing
        assert all(costs <= expected)
    else:
        assert costs.tolist() == expected


@pytest.mark.parametrize("seed", seeds(27))
def test_each_column_for_itself_costs_what_its_cheapest_rows_do(seed):
    _, table, objective, k, l = random_problem(seed)
    k, types = min(max(k, l), table.n), table.row_types
    order, search = group_search(table, types, objective, k, Diversity())
    found = np.empty(len(types), np.int64)
    found[order] = column_costs(search)
    scales, beyond = objective.scales_of(table), 1 << 52
    places, units = scales.row_positions(table), np.array(objective.units(table))
    costs = np.full((len(types), table.d), beyond)
    for chosen in map(list, combinations(range(table.n), k)):
        low, high = places[chosen].min(axis=0), places[chosen].max(axis=0)
        paid = scales.extents(low[np.newaxis], high[np.newaxis])[0] * units
        paid[objective.kept(table) & (low != high)] = beyond
        group = types.inverse[chosen]
        costs[group] = np.minimum(costs[group], paid)
    if all(scale.layout.allowed.all() for scale in scales.scales):
        assert found.tolist() == costs.sum(axis=1).tolist()
    else:  # nodes above the highest level may not be published
        assert (found >= costs.sum(axis=1)).all() or 0 in objective.weights.values()


@pytest.mark.parametrize("seed", seeds(27))
def test_prices_are_proven_if_no_group_costs_less_than_its_own(seed, monkeypatch):
    if seed % 2:  # shared among threads
        monkeypatch.setattr(group_prices, "_TYPES", 1)
    rng, table, objective, k, l = random_problem(seed)
    k = min(max(k, l), table.n)
    l = min(k, l)
    types = table.sensitive_types if l > 1 else table.row_types
    whole = objective.whole(table) // table.n
    prices = np.array([rng.randint(-whole, 2 * whole) for _ in range(len(types))])
    groups = list(groups_of(table, objective, k, l))
    if 0 in objective.weights.values():
        return
    for _ in range(4):
        prices //= 2
        row = prices[types.inverse]
        fails = any(k * 3 * cost < row[list(c)].sum() for c, cost in groups)
        problem = PricedTypes(table, types, objective, k, l, prices, 3)
        with monkeypatch.context() as little_room:
            little_room.setattr(group_prices, "_ROOM", 0)  # two levels: deep, or right
            with suppress(RefusalError, BeyondError):
                group_price_bound(problem)
                assert not fails
        if fails:
            with pytest.raises(RefusalError, match="cost less than their prices"):
                group_price_bound(problem)
        else:
            assert group_price_bound(problem) == max(0, -(-row.sum() // 3))
    # Lowered until some group pays its prices, and no more: one more is refused.
    over = int(bool(groups))
    while over > 0:
        row = prices[types.inverse]
        over, chosen = max((row[list(c)].sum() - 3 * k * cost, c) for c, cost in groups)
        first = types.inverse[chosen[0]]
        prices[first] -= max(0, over)
    problem = PricedTypes(table, types, objective, k, l, prices, 3)
    if not groups:
        return
    assert group_price_bound(problem) == max(0, -(-row.sum() // 3))
    prices[first] += 1 - over
    with pytest.raises(RefusalError, match="cost less than their prices"):
        group_price_bound(problem)


def fine_problem(seed):
    """Trees and numbers whose losses have no common unit of 64 bits."""
    rng = random.Random(seed)
    rows = [[str(rng.choice([0, 1, 5, 7, 10**7 + 19])) for _ in "abcd"]]
    rows += [["0", "0", "0", "0"], [str(10**7 + x) for x in (19, 79, 103, 121)]]
    rows += [[str(rng.randint(0, 10**7)) for _ in "abcd"] for _ in range(3)]
    table = Table.from_rows("abcd", rows, qi="abcd")
    leaves = sorted({row[3] for row in rows}) + [f"no {i}" for i in range(1_000)]
    tree = Taxonomy([(leaf, "low" if leaf < "5" else "high", "*") for leaf in leaves])
    return table, Objective(
        "gcp", {"b": 2}, (), Scales.of(table, [*"abc"], {"d": tree})
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", [own_pattern, lagrangian])
def test_fine_losses_have_bounds_that_are_checked(seed, method):
    table, objective = fine_problem(seed)
    assert is_fine(objective, table)
    requirement = ask(2, 1)
    best = brute_force(table, requirement, objective)
    found = method(table, requirement, objective=objective)
    assert 0 < found.lower_bound <= best.value
    certificate = found.certificate
    check = check_certificate(certificate, table, requirement, objective)
    assert check.accepted and check.bound == certificate.bound == found.lower_bound
    for change in (
        {"unit": certificate.data["unit"] * 2},
        {"prices": [price + price // 2 + 1 for price in certificate.data["prices"]]},
    ):
        wrong = replace(
            certificate, data=certificate.data | change, bound=best.value + 1
        )
        assert not check_certificate(wrong, table, requirement, objective).accepted


def test_auto_finds_a_release_and_a_bound_for_fine_losses():
    table, objective = fine_problem(0)
    problem = Problem(table, KAnonymity(2), objective)
    found = patiently(
        lambda seconds: solve_by("auto", problem, {"time_limit": seconds, "seed": 0}),
        lambda found: (1 - 1e-8) * found.value < found.lower_bound,
        0.5,
    )
    assert found.lower_bound <= found.value
    assert found.value == brute_force(table, KAnonymity(2), objective).value


def test_a_unit_too_coarse_for_the_ranges_proves_nothing():
    table, objective = fine_problem(0)
    coarse = CoarseLosses.of(objective, table, 1)
    assert coarse.bound(table.n * coarse.excess, table.n) == 0


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_by_rows_is_that_by_nodes(seed, monkeypatch):
    _, table, objective, k, _ = random_problem(seed)
    requirement = KAnonymity(max(k, 2))
    if objective.apart(table) or objective.keep or table.n < requirement.k:
        return
    by_nodes = own_pattern(table, requirement, objective=objective)
    monkeypatch.setattr(many_patterns, "_MOST_PAIRS", 0)
    by_rows = own_pattern(table, requirement, objective=objective)
    assert by_rows.lower_bound == by_nodes.lower_bound
    proof = by_rows.certificate, table, requirement, objective
    assert check_certificate(*proof).accepted


def test_a_walk_over_nodes_without_time_leaves_the_bound_by_rows(monkeypatch):
    table = normal(60, 2, seed=2)
    problem = table, KAnonymity(3)
    objective = Objective("gcp", scales=Scales.of(table, table.qi))
    whole = own_pattern(*problem, objective=objective)

    def broken_off(*asked):
        raise TimeoutError

    monkeypatch.setattr(own_pattern_file, "own_costs", broken_off)
    found = own_pattern(*problem, objective=objective, time_limit=60.0)
    assert 0.99 * whole.lower_bound < found.lower_bound <= whole.lower_bound
    assert found.certificate.kind == "group_prices"
    assert check_certificate(found.certificate, *problem, objective).accepted


def test_what_is_proven_by_rows_is_told_while_others_are_looked_at(monkeypatch):
    """So that ``auto`` has a bound soon, of whatever size a table is."""
    monkeypatch.setattr(cheapest_groups, "_COMPARED", 1)  # one row type at a time
    monkeypatch.setattr(own_pattern_file, "_LATER", 1.0)
    monkeypatch.setattr(many_patterns, "_MOST_PAIRS", 0)
    rows = np.random.default_rng(5).integers(0, 9, (40, 4)).astype(str).tolist()
    table = Table.from_rows(list("abcd"), rows, qi=list("abcd"))
    objective = Objective("gcp", scales=Scales.of(table, table.qi))
    told: list[int] = []
    told_of = Run.raise_bound

    def raise_bound(run, bound, method, certificate=None):
        told.append(bound)
        proof = certificate, table, run.requirement, objective
        assert check_certificate(*proof).accepted
        told_of(run, bound, method, certificate)

    monkeypatch.setattr(Run, "raise_bound", raise_bound)
    found = own_pattern(table, KAnonymity(3), objective=objective)
    assert len(set(told)) > 10
    assert told == sorted(told)
    assert told[0] > 0
    assert told[-1] == found.lower_bound


def test_auto_bounds_losses_before_it_searches_with_one_core(monkeypatch):
    table = normal(60, 2, seed=2)
    objective = Objective("gcp", scales=Scales.of(table, table.qi))

    only(monkeypatch, bounds=("dual_ascent",))
    problem = Problem(table, KAnonymity(3), objective)
    found = solve_by("auto", problem, {"time_limit": 60.0, "workers": 1})
    assert found.value == objective.whole(table) and found.certificate_checked
    first = dual_ascent(table, KAnonymity(3), objective=objective)
    assert found.certified_bound == first.lower_bound > 0


def test_rows_with_a_low_price_do_not_hide_the_group_they_are_in():
    rows = [["x", "0"], ["x", "1"], ["y", "2"], ["y", "3"]]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    problem = table, table.row_types, Objective("gcp", {"b": 0}), 4, 1
    few = PricedTypes(*problem, np.array([1, 1, 1, 1]), 1)
    assert group_price_bound(few) == 4
    with pytest.raises(RefusalError, match="some 4 rows"):
        group_price_bound(PricedTypes(*problem, np.array([3, 3, 2, 0]), 1))
