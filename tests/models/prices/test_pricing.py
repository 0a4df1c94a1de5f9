"""Tests that pricing finds all patterns that count, at the values of enumeration."""

import itertools
import random

import numpy as np
import pytest

from starmin.models.lagrangian_relaxation import pricing_distinct as member_scan
from starmin.models.lagrangian_relaxation import pricing_l as diverse_sets
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.lagrangian_relaxation.price_bound import (
    lagrangian_fixing,
    pricing_values,
)
from starmin.models.lagrangian_relaxation.pricing_distinct import (
    Memory,
    PricingData,
    solve_pricing_k,
    workspace,
)
from starmin.models.lagrangian_relaxation.pricing_l import (
    solve_pricing_l,
    sort_by_value,
)
from starmin.models.lagrangian_relaxation.subgradient import AdamStep
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Sought
from starmin.models.price_unit import INFEASIBLE, MOST_BITS, PriceUnit
from starmin.models.pricing.pricing import priced_patterns
from tests.support.effort import seeds
from tests.support.interpreted import interpreted
from tests.support.small_problems import random_bounds, random_objective, random_table

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
    found = priced_patterns(
        Sought(table, types, objective, k, l), prices, threshold=1 << 50
    )
    known = closed_patterns(table, types, objective, max(k, l), l)
    assert by_name(found) == by_name(known)
    assert sorted(found.cost) == sorted(known.cost)


@pytest.mark.parametrize("seed", seeds(33))
def test_below_the_ceiling_the_bound_is_at_least_that_of_all_patterns(seed):
    rng, table, types, objective, ceiling, k, l = problem(seed)
    found = priced_patterns(Sought(table, types, objective, k, l), ceiling)
    every = closed_patterns(table, types, objective, max(k, l), l)
    if len(found) == 0 or len(every) == 0:
        return
    known = by_name(every)
    for name, members in by_name(found).items():
        assert any(
            name[:-1] == other[:-1] and members <= known[other] for other in known
        )
    few, all_ = (LagrangianFunction(found, k, l), LagrangianFunction(every, k, l))
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
        found_values = pricing_values(every, prices, k, l)
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
    found = priced_patterns(
        Sought(table, types, objective, k, l), prices, threshold=threshold
    )
    every = closed_patterns(table, types, objective, max(k, l), l)
    if len(every) == 0:
        return
    least = lagrangian_fixing(every, prices, k, l)
    bound = LagrangianFunction(every, k, l)(prices)[0]
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
        Sought(table, types, objective), prices, threshold=1 << 50, most_incidences=2
    )
    assert found is None


def test_the_check_can_end_it():
    _, table, types, objective, prices, *_ = problem(3)

    def check():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        priced_patterns(Sought(table, types, objective, check=check), prices)


heapify, list_candidates, scan_members, sift_down = map(
    interpreted,
    (
        member_scan.heapify,
        member_scan.list_candidates,
        member_scan.scan_members,
        member_scan.sift_down,
    ),
)
sum_highest_prices = interpreted(diverse_sets.sum_highest_prices)


def choices(counts, values, k, l):
    """All numbers of copies that make a valid group."""
    for x in itertools.product(*(range(c + 1) for c in counts)):
        frequency = np.bincount(values, x, minlength=1).max()
        if sum(x) >= max(k, 1) and l * frequency <= sum(x):
            yield np.array(x)


def random_pricing(rng, k, l):
    """Pricing problems of a few patterns, the members of each in order of value."""
    m = rng.randint(l, 5)
    values = np.array([t % l for t in range(m)], np.int32)
    rng.shuffle(values)
    lists = [
        sorted(
            rng.sample(range(m), rng.randint(m // 2 + 1, m)), key=lambda t: values[t]
        )
        for _ in range(rng.randint(1, 4))
    ]
    return PricingData(
        np.cumsum([0, *map(len, lists)]),
        np.array(list(itertools.chain(*lists)), np.int32),
        np.array([rng.randint(0, 6) for _ in lists]),
        np.array([rng.randint(1, 3) for _ in range(m)]),
        values,
        k,
        l,
        np.full(len(lists), INFEASIBLE),
    )


def pricing_by_enumeration(data, prices):
    """For each pattern its value, 0 if not negative, and all choices that have it."""
    for p, (a, b) in enumerate(itertools.pairwise(data.starts)):
        members = data.members[a:b]
        reduced = data.cost[p] - prices[members]
        found = [
            (int(x @ reduced), x)
            for x in choices(data.counts[members], data.values[members], data.k, data.l)
        ]
        least = min([0, *(value for value, _ in found)])
        yield members, least, [x for value, x in found if value == least < 0]


@pytest.mark.parametrize(
    ("k", "l"), [(1, 1), (2, 1), (4, 1), (1, 2), (1, 3), (3, 2), (5, 2), (4, 3)]
)
def test_values_and_choices_are_those_of_enumeration(k: int, l: int) -> None:
    rng = random.Random(10 * k + l)
    negative = 0
    for _ in range(40):
        data = random_pricing(rng, k, l)
        count, m = len(data.cost), len(data.counts)
        room = workspace(data)
        memory = Memory(np.zeros(count, np.int64), np.ones(count, np.int64))
        prices, risen = np.array([rng.randint(-2, 9) for _ in range(m)]), 0
        for _ in range(4):  # What is remembered must hold at the next prices too.
            left, chosen = np.zeros(m, np.int64), np.zeros(len(data.members), np.int64)
            if l == 1:
                found = solve_pricing_k(data, prices, risen, memory, room, left)
            else:
                found = solve_pricing_l(data, prices, risen, memory, room, left, chosen)
            expected = list(pricing_by_enumeration(data, prices))
            total = PriceUnit("table", 1, 9).total(found)
            assert total == sum(least for _, least, _ in expected)
            negative += sum(least < 0 for _, least, _ in expected)
            if l > 1:
                parts = np.split(chosen, data.starts[1:-1])
                taken = np.bincount(data.members, chosen, m)
                assert (left == -taken).all()
            else:
                parts = [-left[expected[0][0]]] if count == 1 else []
            for x, (_, least, best) in zip(parts, expected, strict=False):
                assert any((x == y).all() for y in best) if least else not x.any()
            move = np.array([rng.randint(-3, 3) for _ in range(m)])
            prices, risen = prices + move, risen + max(0, int(move.max()))
    assert negative > 10


@pytest.mark.parametrize("seed", range(20))
def test_no_choice_of_negative_value_has_a_member_that_is_no_candidate(
    seed: int,
) -> None:
    rng = random.Random(seed)
    data = random_pricing(rng, 2, 1)
    prices = np.array([rng.randint(-2, 9) for _ in data.counts])
    keys, items = np.empty(5, np.int64), np.empty(5, np.int32)
    for p, (a, b) in enumerate(itertools.pairwise(data.starts)):
        members = data.members[a:b]
        reduced = data.cost[p] - prices[members]
        gain, copies, least = scan_members(members, data.cost[p], data.counts, prices)
        gainful = reduced < 0
        assert gain == (reduced * data.counts[members])[gainful].sum()
        assert copies == data.counts[members][gainful].sum()
        assert least == min(reduced[~gainful], default=INFEASIBLE)
        size = list_candidates(
            members, data.cost[p], prices, -INFEASIBLE, -gain, keys, items
        )
        near = set(items[:size].tolist())
        for x in choices(data.counts[members], data.values[members], 1, 1):
            if x @ reduced < 0:
                assert set(members[x > 0].tolist()) <= near
        heapify(keys, items, size)
        order = []
        for last in range(size - 1, -1, -1):
            assert data.cost[p] - prices[items[0]] == keys[0]
            order.append(int(keys[0]))
            keys[0], items[0] = keys[last], items[last]
            sift_down(keys, items, 0, last)
        assert order == sorted(reduced[reduced < -gain])


@pytest.mark.parametrize("seed", range(20))
def test_without_l_values_of_enough_price_no_choice_is_negative(seed: int) -> None:
    rng = random.Random(seed)
    l = rng.choice([2, 3])
    data = random_pricing(rng, 1, l)
    prices = np.array([rng.randint(0, 9) for _ in data.counts])
    shuffled = data.members.copy()
    for a, b in itertools.pairwise(data.starts):
        shuffled[a:b] = rng.sample(shuffled[a:b].tolist(), b - a)
    by_value = sort_by_value(data.starts, shuffled, data.values, 3)
    highest = np.empty(l, np.int64)
    for p, (a, b) in enumerate(itertools.pairwise(data.starts)):
        members = by_value[a:b]
        assert sorted(members) == sorted(data.members[a:b])
        assert (np.diff(data.values[members]) >= 0).all()
        top: dict[int, int] = {}
        for t in members:
            v = int(data.values[t])
            top[v] = max(top.get(v, 0), int(prices[t]))
        total = sum_highest_prices(members, prices, data.values, highest)
        if len(top) < l:
            assert total < 0
        else:
            assert total == sum(sorted(top.values())[-l:]) == highest.sum()
        if total <= l * data.cost[p]:
            reduced = data.cost[p] - prices[members]
            every = choices(data.counts[members], data.values[members], 1, l)
            assert all(x @ reduced >= 0 for x in every)


def test_a_step_depends_on_signs_and_not_on_sizes() -> None:
    steps, scaled = AdamStep(3), AdamStep(3)
    rng = np.random.default_rng(0)
    sizes = np.array([1e3, 1e4, 1e5])
    for _ in range(50):
        lack = rng.normal(size=3) * 1e4
        one, other = steps.along(lack), scaled.along(lack * sizes)
        assert np.allclose(one, other, atol=1e-4)
    # Means that start at 0 must not make the first steps smaller.
    fresh = AdamStep(3)
    for _ in range(5):
        step = fresh.along(np.array([5.0, -7.0, 0.0]))
        assert np.allclose(step, [5 / 5.01, -7 / 7.01, 0])
