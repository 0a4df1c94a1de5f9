"""Tests that the patterns that are listed are those of the definition."""

import itertools
import random
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.instances import STARS, Objective, Run, Scales, Table, Taxonomy
from starmin.instances.scales.numbers import Width
from starmin.instances.scales.scale import TaxonomyScale
from starmin.models.bounds import lagrangian as lagrangian_file
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.lagrangian_relaxation.price_bound import pricing_values
from starmin.models.pattern_ilp.column_generation import column_generation
from starmin.models.patterns import star_listing
from starmin.models.patterns.closed_listing import (
    cheapest_pattern_costs,
    closed_patterns,
    own_costs,
)
from starmin.models.patterns.patterns import Sought
from starmin.models.price_unit import MOST_BITS
from starmin.models.pricing import pool_sources
from starmin.models.pricing.pricing import priced_patterns
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.certificates.prices.node_prices import node_price_bound
from tests.support.effort import seeds
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_problem,
    random_table,
)

DENOMINATOR = 1 << MOST_BITS  # of small tables


def types_of(table, l):
    return table.sensitive_types if l > 1 else table.row_types


def closures(table, types, objective, k, l):
    """By definition: what sets of types are published as, with all that fit."""
    scales = objective.scales_of(table)
    places, kept = scales.positions(types.codes), objective.kept(table)
    found = {}
    for size in range(1, len(types) + 1):
        for chosen in itertools.combinations(range(len(types)), size):
            some = places[list(chosen)]
            nodes = scales.nodes(some.min(axis=0)[None], some.max(axis=0)[None])
            low, high = scales.spans(nodes)
            fits = ((places >= low) & (places <= high)).all(axis=1)
            values = set(types.sensitive[fits, 0].tolist()) if l > 1 else range(l)
            rows = types.counts[fits].sum()
            allowed = (nodes[0, kept] >= 0).all() and all(
                scale.allowed[scale.size - 1 - node]
                for scale, node in zip(scales.scales, nodes[0].tolist(), strict=True)
                if isinstance(scale, TaxonomyScale) and node < 0
            )
            if rows >= max(k, l) and len(values) >= l and allowed:
                found[tuple(nodes[0].tolist())] = set(np.flatnonzero(fits).tolist())
    return found


@pytest.mark.parametrize("seed", seeds(20))
def test_all_closed_patterns_are_found_and_the_cheapest_of_each_type(seed):
    _, table, objective, k, l = random_problem(seed)
    types = types_of(table, l)
    expected = closures(table, types, objective, k, l)
    patterns = closed_patterns(table, types, objective, k, l)
    ends = zip(patterns.starts[:-1], patterns.starts[1:], strict=True)
    members = [set(patterns.types[a:b].tolist()) for a, b in ends]
    nodes = map(tuple, patterns.nodes.tolist())
    assert dict(zip(nodes, members, strict=True)) == expected
    assert len(patterns) == len(expected)
    assert (
        patterns.cost.tolist() == objective.node_costs(table, patterns.nodes).tolist()
    )
    if len(expected) and len(np.unique(patterns.types)) == len(types):
        run = Run(table, ask(k, l), objective)
        if not objective.apart(table):
            costs = own_costs(run, types, k, l)
            assert costs.tolist() == cheapest_pattern_costs(patterns).tolist()


@pytest.mark.parametrize("seed", seeds(20))
def test_the_walks_of_search_and_checker_agree_with_all_patterns(seed):
    rng, table, objective, k, l = random_problem(seed)
    if max(k, l) > table.n:
        return
    types = types_of(table, l)
    whole = objective.whole(table) // table.n
    prices = np.array([rng.randint(0, whole * DENOMINATOR) for _ in types.counts])

    def proven(patterns):
        fills = np.minimum(pricing_values(patterns, prices, k, l), 0)
        total = int(prices @ types.counts) + int(fills.sum())
        return max(0, -(-total // DENOMINATOR))

    found = priced_patterns(Sought(table, types, objective, k, l), prices)
    every = closed_patterns(table, types, objective, k, l)
    problem = PricedTypes(table, types, objective, k, l, prices, DENOMINATOR)
    # Fills that a smaller pattern holds as well count there alone.
    assert node_price_bound(problem) == proven(found) >= proven(every)


@pytest.mark.parametrize("seed", range(8))
def test_bounds_without_a_list_of_patterns_are_proven(seed, monkeypatch):
    _, table, objective, k, l = random_problem(seed)
    for file in (lagrangian_file, pool_sources):
        monkeypatch.setattr(file, "is_wide", lambda *_: True)
    asked = ask(k, l)
    optimum = brute_force(table, asked, objective).value
    bound = lagrangian(table, asked, objective=objective)
    exact = column_generation(table, asked, objective=objective)
    found = large_neighbourhood(table, asked, objective=objective, time_limit=2.0)
    if optimum is None:
        assert bound.reason and exact.reason and found.reason
        return
    assert exact.lower_bound <= optimum <= exact.value
    assert bound.lower_bound <= optimum <= found.value
    proof = bound.certificate
    check = check_certificate(proof, table, asked, objective)
    assert check.accepted and check.bound >= bound.lower_bound
    assert not check_certificate(
        replace(proof, bound=check.bound + 1), table, asked, objective
    ).accepted


def test_a_proof_is_for_its_hierarchies_alone():
    rows = [["1"], ["2"], ["5"], ["7"]]
    table = Table.from_rows(["a"], rows, qi=["a"])
    first, other = "{x{1,2},y{5,7}}", "{x{1,5},y{2,7}}"

    def objective(tree):
        trees = {"a": Taxonomy.parse(tree)}
        return Objective("gcp", scales=Scales.of(table, (), trees))

    claim = lagrangian(table, ask(2, 1), objective=objective(first)).certificate
    assert claim is not None and claim.bound == 8
    assert check_certificate(claim, table, None, objective(first)).accepted
    assert "hierarchies" in check_certificate(claim, table, None, objective(other)).why
    assert "name them" in check_certificate(claim, table).why
    flat = Objective("gcp")
    assert not check_certificate(claim, table, None, flat).accepted
    data = {**claim.data, "prices": [4 * price for price in claim.data["prices"]]}
    assert not check_certificate(
        replace(claim, data=data), table, None, objective(first)
    ).accepted
    stated = {**claim.objective, "scales": {}}
    assert not check_certificate(
        replace(claim, objective=stated), table, None, objective(first)
    ).accepted


def test_a_proof_is_for_its_loss_and_its_missing_values_alone():
    rows = [["1", "1"], ["2", "2"], ["5", "0"], ["7", "?"]]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    tree = Taxonomy.parse("{x{1,2},y{5,7}}")

    def objective(trees, missing, loss="ncp", **limits):
        scales = Scales.of(table, ["b"], trees, missing, loss, **limits)
        return Objective("gcp", scales=scales)

    asked = objective({"a": tree}, ["?"], "granularity")
    claim = lagrangian(table, ask(2, 1), objective=asked).certificate
    assert check_certificate(claim, table, None, asked).accepted
    own = {"a": {"x": Fraction(1, 2), "y": Fraction(1, 3), "*": Fraction(1)}}
    limits = (
        *({"steps": {"b": "2"}}, {"widths": {"b": Width("2")}}),
        *({"max_levels": {"a": 2}}, {"max_levels": {"a": 1}}),
    )
    for other in (
        objective({"a": tree}, ["?"]),
        objective({"a": tree}, ["?"], own),
        objective({"a": tree}, ["?", "0"], "granularity"),
        *(objective({"a": tree}, ["?"], "granularity", **each) for each in limits),
    ):
        assert "losses" in check_certificate(claim, table, None, other).why
        stated = {**claim.objective, "scales": other.scales.as_json()}
        assert not check_certificate(
            replace(claim, objective=stated), table, None, asked
        ).accepted
    # Where there is no tree, the scales are made as the certificate states them.
    width = {"widths": {"b": Width("1", "4")}}
    for loss, limits in ("ncp", {"steps": {"b": "2"}}), ("ncp", width), ("stars", {}):
        ranges = objective({}, ["?", "0"], loss, **limits)
        claim = lagrangian(table, ask(2, 1), objective=ranges).certificate
        assert check_certificate(claim, table).accepted
    number = {"scale": "numeric", "missing": []}
    for scale in (None, [], number | {"missing": 5}, number | {"width": "5"}):
        stated = {**claim.objective, "scales": {"b": scale}}
        assert check_certificate(replace(claim, objective=stated), table).why


def by_definition(table, types, keep, k, l):
    """Pairs of starred columns and row types, for each closed pattern."""
    found = set()
    for starred in product((False, True), repeat=table.d):
        if any(starred[j] for j in keep):
            continue
        groups = defaultdict(list)
        for t, codes in enumerate(types.codes.tolist()):
            seen = tuple(c for c, s in zip(codes, starred, strict=True) if not s)
            groups[seen].append(t)
        for members in groups.values():
            values = {tuple(types.sensitive[t, :1]) for t in members}
            differs = (len(set(types.codes[members, j])) > 1 for j in range(table.d))
            closed = all(d for d, s in zip(differs, starred, strict=True) if s)
            if types.counts[members].sum() >= k and len(values) >= l and closed:
                found.add((starred, tuple(members)))
    return found


@pytest.mark.parametrize("few", [0, star_listing._FEW])
@pytest.mark.parametrize("seed", seeds(20))
def test_closed_patterns_are_those_of_the_definition(seed, few, monkeypatch):
    monkeypatch.setattr(star_listing, "_FEW", few)
    rng = random.Random(seed)
    table = random_table(rng, 2, 12)
    table = table.with_roles(table.qi, table.sensitive[:1])
    k, l = random_bounds(rng)
    types = table.sensitive_types if l > 1 else table.row_types
    keep = rng.sample(range(table.d), rng.randint(0, table.d - 1))
    objective = Objective(keep=[table.qi[j] for j in keep])
    patterns = closed_patterns(table, types, objective, k, l)
    bounds = zip(patterns.starts[:-1], patterns.starts[1:], strict=True)
    members = [tuple(patterns.types[a:b]) for a, b in bounds]
    masks = [tuple(mask) for mask in patterns.starred.tolist()]
    listed = list(zip(masks, members, strict=True))
    assert len(set(listed)) == len(listed)
    assert set(listed) == by_definition(table, types, keep, k, l)
    assert patterns.cost.tolist() == [sum(mask) for mask in masks]


@pytest.mark.parametrize("few", [0, star_listing._FEW])
def test_fewer_rows_than_a_group_needs_have_no_pattern(few, monkeypatch):
    monkeypatch.setattr(star_listing, "_FEW", few)
    table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    assert len(closed_patterns(table, table.row_types, STARS, 3)) == 0


def diverse_problem(seed):
    """The first problem from a seed on in which diversity is asked for."""
    problems = map(random_problem, itertools.count(1000 * seed))
    return next(p for p in problems if p[4] > 1 and p[1].n >= max(p[3], p[4]))


def in_cheap_sets(types, l, cost, fits, prices):
    """By definition: the members of sets of l rows of l values of negative cost."""
    values = types.sensitive[:, 0]
    found = set()
    for some in itertools.combinations(sorted(fits), l):
        reduced = cost * DENOMINATOR * l - sum(prices[t] for t in some)
        if reduced < 0 and len(set(values[list(some)].tolist())) == l:
            found |= set(some)
    return found


@pytest.mark.parametrize("seed", seeds(20))
def test_members_are_those_of_cheap_sets_of_rows(seed):
    rng, table, objective, _, l = diverse_problem(seed)
    types, whole = table.sensitive_types, objective.whole(table) // table.n
    every = closures(table, types, objective, l, l)
    listed = closed_patterns(table, types, objective, l, l)
    cost_of = dict(
        zip(map(tuple, listed.nodes.tolist()), listed.cost.tolist(), strict=True)
    )
    for most in (whole // 3 + 1, whole):
        prices = np.array([rng.randint(0, most * DENOMINATOR) for _ in types.counts])
        found = priced_patterns(Sought(table, types, objective, l, l), prices)
        ends = zip(found.starts[:-1], found.starts[1:], strict=True)
        members = [set(found.types[a:b].tolist()) for a, b in ends]
        nodes = map(tuple, found.nodes.tolist())
        expected = {
            key: in_cheap_sets(types, l, cost_of[key], fits, prices)
            for key, fits in every.items()
        }
        got = dict(zip(nodes, members, strict=True))
        assert got == {key: expected[key] for key in got}
        # What is left out has a smaller pattern that holds all cheap sets.
        places = objective.scales_of(table).positions(types.codes)
        for key in expected.keys() - got.keys():
            if expected[key]:
                some = places[sorted(expected[key])]
                ends = some.min(axis=0)[None], some.max(axis=0)[None]
                closure = objective.scales_of(table).nodes(*ends)[0]
                assert tuple(closure.tolist()) != key


@pytest.mark.parametrize("seed", seeds(20))
def test_no_prices_prove_more_than_the_optimum(seed):
    rng, table, objective, k, l = diverse_problem(seed)
    optimum = brute_force(table, ask(k, l), objective).value
    if optimum is None:
        return
    types = table.sensitive_types
    mean = optimum * DENOMINATOR // table.n
    for spread in (mean // 4, mean, 2 * mean, 4 * mean):
        for _ in range(5):
            prices = np.array(
                [max(0, mean + rng.randint(-spread, spread)) for _ in types.counts]
            )
            problem = PricedTypes(table, types, objective, k, l, prices, DENOMINATOR)
            assert node_price_bound(problem) <= optimum
