"""Tests that all patterns that count at given prices are found, without listing all."""

import random

import numpy as np
import pytest

from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.lagrangian_relaxation.price_bound import (
    lagrangian_fixing,
    pricing_values,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.price_unit import MOST_BITS
from starmin.models.pricing.pricing import priced_patterns
from tests.seeds import seeds
from tests.small_problems import random_bounds, random_objective, random_table

DENOMINATOR = 1 << MOST_BITS  # of small tables


def problem(seed):
    rng = random.Random(seed)
    table = random_table(rng, 2, 14)
    table = table.with_roles(table.qi, table.sensitive[:1])
    k, l = random_bounds(rng)
    types = table.sensitive_types if l > 1 else table.row_types
    objective = random_objective(rng, table, "stars")
    prices = np.array(
        [rng.randint(-DENOMINATOR, 5 * DENOMINATOR) for _ in types.counts]
    )
    return rng, table, types, objective, prices, k, l


def by_name(patterns):
    return {
        (*mask.tolist(), min(patterns.types[a:b])): set(patterns.types[a:b].tolist())
        for mask, a, b in zip(
            patterns.starred, patterns.starts[:-1], patterns.starts[1:], strict=True
        )
    }


@pytest.mark.parametrize("seed", seeds(20))
def test_without_a_threshold_they_are_all_closed_patterns(seed):
    _, table, types, objective, prices, k, l = problem(seed)
    found = priced_patterns(table, types, objective, prices, k, l, threshold=1 << 50)
    known = closed_patterns(table, types, objective, max(k, l), l)
    assert by_name(found) == by_name(known)
    assert sorted(found.cost) == sorted(known.cost)


@pytest.mark.parametrize("seed", seeds(33))
def test_below_the_ceiling_the_bound_is_at_least_that_of_all_patterns(seed):
    rng, table, types, objective, ceiling, k, l = problem(seed)
    found = priced_patterns(table, types, objective, ceiling, k, l)
    every = closed_patterns(table, types, objective, max(k, l), l)
    if len(found) == 0 or len(every) == 0:
        return
    known = by_name(every)
    for name, members in by_name(found).items():
        assert any(
            name[:-1] == other[:-1] and members <= known[other] for other in known
        )
    few, all_ = (
        LagrangianFunction(found, types, k, l),
        LagrangianFunction(every, types, k, l),
    )
    for _ in range(5):
        prices = ceiling - np.array([rng.randint(0, DENOMINATOR) for _ in ceiling])
        assert few(prices)[0] >= all_(prices)[0]
        # What is left out is left out by the rule of stars: no group needs it.
        missing = set(known) - {
            other
            for other in known
            for name, members in by_name(found).items()
            if name[:-1] == other[:-1] and members <= known[other]
        }
        found_values = pricing_values(every, types, prices, k, l)
        for number, name in enumerate(by_name(every)):
            if name in missing and found_values[number] < 0:
                assert agreeing(every, number, types, prices)


def agreeing(patterns, number, types, prices):
    """Whether members of a negative choice all agree on a starred column."""
    members = patterns.types[patterns.starts[number] : patterns.starts[number + 1]]
    reduced = patterns.cost[number] * DENOMINATOR - prices[members]
    gain = -(np.minimum(reduced, 0) * types.counts[members]).sum()
    left = members[reduced < gain]
    starred = np.flatnonzero(patterns.starred[number])
    values = types.sensitive[left]
    few = values.size and any(len(set(v)) < 2 for v in values.T)
    return few or any(len(set(types.codes[left, j])) == 1 for j in starred)


@pytest.mark.parametrize("seed", seeds(33))
def test_a_threshold_keeps_all_that_a_better_release_can_use(seed):
    rng, table, types, objective, prices, k, l = problem(seed)
    threshold = rng.randint(0, 3 * DENOMINATOR)
    found = priced_patterns(table, types, objective, prices, k, l, threshold=threshold)
    every = closed_patterns(table, types, objective, max(k, l), l)
    if len(every) == 0:
        return
    least = lagrangian_fixing(every, types, prices, k, l)
    bound = LagrangianFunction(every, types, k, l)(prices)[0]
    used = {(*m.tolist(), t) for m, t in incidences(found)}
    for (mask, t), through in zip(incidences(every), least, strict=True):
        if through < bound + threshold and (*mask.tolist(), t) not in used:
            number = every.pattern[list_index(every, mask, t)]
            assert short(every, number, types, prices, threshold)


def incidences(patterns):
    return zip(patterns.starred[patterns.pattern], patterns.types, strict=True)


def list_index(patterns, mask, t):
    same = (patterns.starred[patterns.pattern] == mask).all(axis=1)
    return int(np.flatnonzero(same & (patterns.types == t))[0])


def short(patterns, number, types, prices, threshold):
    """Whether no proper group of the pattern is worth less than the threshold."""
    members = patterns.types[patterns.starts[number] : patterns.starts[number + 1]]
    reduced = patterns.cost[number] * DENOMINATOR - prices[members]
    gain = -(np.minimum(reduced, 0) * types.counts[members]).sum()
    left = members[reduced < gain + threshold]
    starred = np.flatnonzero(patterns.starred[number])
    values = types.sensitive[left]
    few = values.size and any(len(set(v)) < 3 for v in values.T)
    return few or any(len(set(types.codes[left, j])) == 1 for j in starred)


def test_it_gives_up_where_there_are_too_many():
    _, table, types, objective, prices, *_ = problem(3)
    found = priced_patterns(
        table, types, objective, prices, threshold=1 << 50, most_incidences=2
    )
    assert found is None


def test_the_check_can_end_it():
    _, table, types, objective, prices, *_ = problem(3)

    def check():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        priced_patterns(table, types, objective, prices, check=check)
