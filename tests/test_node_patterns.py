"""Tests that patterns over trees and ranges are all found, and priced as checked."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.instances import Objective, Run, Scales, Table, Taxonomy
from starmin.instances.scales.numbers import Width
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.models.bounds import lagrangian as lagrangian_file
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.lagrangian_relaxation.price_bound import pricing_values
from starmin.models.pattern_ilp.column_generation import column_generation
from starmin.models.patterns.closed_listing import (
    cheapest_pattern_costs,
    closed_patterns,
    own_costs,
)
from starmin.models.price_unit import MOST_BITS
from starmin.models.pricing import pool_sources
from starmin.models.pricing.pricing import priced_patterns
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.prices.node_prices import (
    node_price_bound,
)
from tests.seeds import seeds
from tests.small_losses import random_problem
from tests.small_problems import ask

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
        fills = np.minimum(pricing_values(patterns, types, prices, k, l), 0)
        total = int(prices @ types.counts) + int(fills.sum())
        return max(0, -(-total // DENOMINATOR))

    found = priced_patterns(table, types, objective, prices, k, l)
    every = closed_patterns(table, types, objective, k, l)
    problem = table, types, k, l, objective, prices, DENOMINATOR
    # Fills that a smaller pattern holds as well count there alone.
    assert node_price_bound(*problem) == proven(found) >= proven(every)


@pytest.mark.parametrize("seed", range(15))
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
