"""Tests that the price bound is what its definition says, and never too high."""

import itertools
import random

import numpy as np
import pytest

from starmin.models.lagrangian_relaxation.price_bound import price_bound, pricing_values
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.price_unit import MOST_BITS
from starmin.verify.brute_force import brute_force
from tests.seeds import seeds
from tests.small_problems import ask, random_bounds, random_objective, random_table

DENOMINATOR = 1 << MOST_BITS  # of small tables


def value_by_enumeration(counts, reduced, values, k, l):
    """The cheapest group of at least one copy, over all integer choices."""
    best = None
    for x in itertools.product(*(range(c + 1) for c in counts)):
        total = sum(x)
        if total < max(k, 1):
            continue
        by_value: dict[int, int] = {}
        for copies, value in zip(x, values, strict=True):
            by_value[value] = by_value.get(value, 0) + copies
        if l > 1 and l * max(by_value.values()) > total:
            continue
        cost = sum(copies * c for copies, c in zip(x, reduced, strict=True))
        best = cost if best is None else min(best, cost)
    return best


@pytest.mark.parametrize("seed", seeds(20))
def test_pricing_values_equal_enumeration(seed: int) -> None:
    rng = random.Random(seed)
    table = random_table(rng, 2, 8)
    table = table.with_roles(table.qi, table.sensitive[:1])
    k, l = random_bounds(rng)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, random_objective(rng, table, "stars"))
    prices = np.array(
        [rng.randint(-1, 4) * DENOMINATOR + rng.randint(0, 9) for _ in types.counts]
    )
    found = pricing_values(patterns, types, prices, k, l)
    for p in range(len(patterns)):
        members = patterns.types[patterns.starts[p] : patterns.starts[p + 1]]
        expected = value_by_enumeration(
            [int(c) for c in types.counts[members]],
            [int(patterns.cost[p]) * DENOMINATOR - int(prices[t]) for t in members],
            [int(types.sensitive[t, 0]) if l > 1 else 0 for t in members],
            k,
            l,
        )
        if expected is None:
            assert found[p] > 2**50
        else:
            assert found[p] == expected


@pytest.mark.parametrize("seed", seeds(33))
def test_no_prices_prove_more_than_the_optimum(seed: int) -> None:
    rng = random.Random(1000 + seed)
    optimum = None
    while optimum is None:
        table = random_table(rng, 2, 8)
        table = table.with_roles(table.qi, table.sensitive[:1])
        k, l = random_bounds(rng)
        requirement = ask(k, l)
        objective = random_objective(rng, table, "stars")
        optimum = brute_force(table, requirement, objective).value
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, objective, k, l)
    prices = np.array([rng.randint(0, 5 * DENOMINATOR) for _ in types.counts])
    assert price_bound(patterns, types, prices, k, l) <= optimum
