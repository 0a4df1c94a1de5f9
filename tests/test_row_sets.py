"""Tests that types in no cheap set of rows are left out, and what that proves."""

import itertools

import numpy as np
import pytest

from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.price_unit import MOST_BITS
from starmin.models.pricing.pricing import priced_patterns
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.prices.node_prices import (
    node_price_bound,
)
from tests.seeds import seeds
from tests.small_losses import random_problem
from tests.small_problems import ask
from tests.test_node_patterns import closures

DENOMINATOR = 1 << MOST_BITS  # of small tables


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
        found = priced_patterns(table, types, objective, prices, l, l)
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
            problem = table, types, k, l, objective, prices, DENOMINATOR
            assert node_price_bound(*problem) <= optimum
