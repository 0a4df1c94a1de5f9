"""Tests that bounds through incidences are exact for a pattern, and valid in all."""

import itertools
import random

import numpy as np
import pytest

from starmin.instances import STARS, Run
from starmin.models.lagrangian_relaxation.price_bound import (
    lagrangian_fixing,
    pricing_values,
)
from starmin.models.pattern_program.pattern_program import loads_of
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.price_unit import MOST_BITS
from starmin.verify.brute_force import brute_force
from tests.reached_prices import reached_prices
from tests.seeds import seeds
from tests.small_problems import ask, random_bounds, random_objective, random_table

DENOMINATOR = 1 << MOST_BITS  # of small tables


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
    pricing = np.minimum(pricing_values(patterns, types, prices, k, l), 0)
    bound = int(prices @ types.counts + pricing.sum()) // DENOMINATOR
    found = -(-lagrangian_fixing(patterns, types, prices, k, l) // DENOMINATOR)
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
    loads = loads_of(table, STARS, types, patterns, optimum.best)
    run = Run(table, ask(k, l), objective)
    good = reached_prices(run, patterns, types, k, l)
    wild = np.array([rng.randint(-1, 5 * DENOMINATOR) for _ in types.counts])
    for prices in (good, wild):
        least = -(-lagrangian_fixing(patterns, types, prices, k, l) // DENOMINATOR)
        assert (least[loads > 0] <= optimum.value).all()
