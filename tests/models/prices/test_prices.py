"""Tests that prices have a unit in which no sum wraps, and are never too high."""

import itertools
import random
from functools import cache

import numpy as np
import pytest

from starmin.instances import (
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Scales,
    Table,
)
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.lagrangian_relaxation import pricing_l as diverse_sets
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.lagrangian_relaxation.price_bound import (
    lagrangian_fixing,
    price_bound,
    pricing_values,
)
from starmin.models.lagrangian_relaxation.pricing_distinct import (
    pricing_data,
    solve_pricing_distinct,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import (
    ANY_COST,
    INFEASIBLE,
    MOST_BITS,
    MOST_ROWS,
    MOST_SUM,
    NO_PRICE,
    WORD,
    PriceUnit,
    exact_product,
    exact_sum,
    highest_loss,
    is_fine,
)
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import patiently, seeds
from tests.support.interpreted import interpreted
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)

sum_highest_prices = interpreted(diverse_sets.sum_highest_prices)


@cache
def best_choice(reduced, counts, values, k, l):
    """What the best choice of a pattern is worth, in Python's integers; or None."""
    members = sorted(zip(reduced, counts, values, strict=True))
    found = []
    for h in range(1, sum(counts) + 1) if l > 1 else [sum(counts)]:
        need = max(k, l * h) if l > 1 else k
        taken, total, used = 0, 0, dict.fromkeys(values, 0)
        for cost, copies, value in members:
            take = min(copies, h - used[value])
            if cost >= 0:
                take = min(take, max(0, need - taken))
            used[value] += take
            taken += take
            total += take * cost
        if taken >= need:
            found.append(total)
    return min(found, default=None)


def exact_values(patterns, prices, k, l):
    """What each pattern's best choice is worth: Python's integers, no loops."""
    counts, types = patterns.counts.tolist(), patterns.row_types
    values = types.sensitive[:, 0].tolist() if l > 1 else [0] * len(types)
    for p, cost in enumerate(patterns.cost.tolist()):
        members = patterns.types[patterns.starts[p] : patterns.starts[p + 1]].tolist()
        yield best_choice(
            tuple(cost * patterns.unit.per_cost - int(prices[t]) for t in members),
            tuple(counts[t] for t in members),
            tuple(values[t] for t in members),
            *(k, l),
        )


def exact_bound(patterns, prices, k, l):
    """What prices prove, in the unit of prices."""
    paid = sum(p * c for p, c in zip(prices.tolist(), patterns.counts, strict=True))
    values = exact_values(patterns, prices, k, l)
    return int(paid) + sum(min(0, value or 0) for value in values)


def line(rng, longest):
    """A table with a column of numbers from 0 to ``longest``, and a flat one."""
    between = [rng.randint(0, longest) for _ in range(rng.randint(1, 4))]
    numbers = [0, 1, longest, *between]
    numbers += rng.choices(numbers, k=2)
    rows = [[str(x), rng.choice("ab"), "uvw"[i % 3]] for i, x in enumerate(numbers)]
    table = Table.from_rows(["a", "b", "s"], rows, qi=["a", "b"], sensitive=["s"])
    return table, Objective("gcp", {"b": 0}, scales=Scales.of(table, ["a"]))


def extreme_prices(rng, count, most):
    """Prices of any size up to the most, either sign."""
    chosen = [0, 1, most, most - 1, rng.randint(0, most), 2 ** rng.randint(0, 40)]
    return np.array([rng.choice([-1, 1, 1]) * rng.choice(chosen) for _ in range(count)])


def expect_exact(patterns, prices, k, l):
    """Compare each loop that adds over patterns with Python."""
    exact = list(exact_values(patterns, prices, k, l))
    found = pricing_values(patterns, prices, k, l).tolist()
    assert found == [INFEASIBLE if value is None else value for value in exact]
    bound = exact_bound(patterns, prices, k, l)
    function = LagrangianFunction(patterns, k, l)
    assert function(prices)[0] == function(prices)[0] == bound
    assert price_bound(patterns, prices, k, l) == patterns.unit.bound(bound)
    least = lagrangian_fixing(patterns, prices, k, l)
    worth = np.minimum.reduceat(least, patterns.starts[:-1]).tolist()
    for value, forced in zip(exact, worth, strict=True):
        if bound > -INFEASIBLE and value is not None:
            assert forced == bound - min(0, value) + value


@pytest.mark.parametrize("bits", range(MOST_BITS + 1))
def test_loops_agree_with_python_on_both_sides_of_each_limit(bits):
    rng = random.Random(bits)
    for each in range(30):  # what a row may lose, exactly at the limit or just beyond
        longest = highest_loss(4, bits) + each % 2
        table, objective = line(rng, longest)
        if bits == 0 and each % 2:
            assert is_fine(objective, table)
            with pytest.raises(NotSupportedError):
                PriceUnit.of(table, objective)
            continue
        unit = PriceUnit.of(table, objective)
        assert unit.per_cost == 2 ** (bits - each % 2)
        assert unit.most == MOST_ROWS * longest * unit.per_cost < 2**53
        k, l = rng.choice([(2, 1), (3, 1), (1, 2), (3, 2), (1, 3)])
        types = table.sensitive_types if l > 1 else table.row_types
        patterns = closed_patterns(table, types, objective, max(k, l), l)
        if len(patterns):
            prices = extreme_prices(rng, len(types), unit.most)
            expect_exact(patterns, prices, k, l)


@pytest.mark.parametrize(("k", "l"), [(2, 1), (1, 2), (3, 2)])
def test_sums_over_tens_of_thousands_of_patterns_do_not_wrap(k, l):
    longest, many = highest_loss(4, 3), 40_000
    table, objective = line(random.Random(1), longest)
    unit = PriceUnit.of(table, objective)
    types = table.sensitive_types if l > 1 else table.row_types
    m = len(types)
    patterns = Patterns(
        np.full((many, 2), -1, np.int32),
        np.arange(many) % 9,
        m * np.arange(many + 1),
        np.tile(np.arange(m, dtype=np.int32), many),
        types,
        unit,
    )
    prices = np.full(m, unit.most)
    prices[0] = -unit.most
    value = sum(exact_values(patterns, prices, k, l))
    assert value < -(2**68)
    bound = exact_bound(patterns, prices, k, l)
    assert LagrangianFunction(patterns, k, l)(prices)[0] == bound
    assert price_bound(patterns, prices, k, l) == unit.bound(bound)
    least = lagrangian_fixing(patterns, prices, k, l)
    assert (least < 0).all()  # it says nothing of any incidence, and so it is true
    if l > 1:
        words = solve_pricing_distinct(
            pricing_data(patterns, k, l),
            prices,
            np.zeros(many, bool),
            types.counts.copy(),
            np.zeros(0, np.int64),
        )
        assert unit.total(words) == value


def with_an_outlier(seed):
    """Sixty rows, three columns of numbers, one row far from all others."""
    rng = random.Random(seed)
    rows = [
        [5 * rng.randint(0, 60), rng.randint(1, 30), rng.randint(1, 99), i % 2, i % 9]
        for i in range(59)
    ]
    rows.append([1_506_000, 1, 5_000, 1, 6])
    names = ["spent", "months", "orders", "card", "times"]
    cells = [[str(cell) for cell in row] for row in rows]
    table = Table.from_rows(names, cells, qi=names[:4], sensitive=names[4:])
    return table, Objective("gcp", scales=Scales.of(table, names[:3]))


def test_many_patterns_of_large_losses_prove_no_false_bound():
    table, objective = with_an_outlier(0)
    found = patiently(
        lambda seconds: lagrangian(
            table, LDiversity(2), objective=objective, time_limit=seconds
        ),
        lambda found: found.lower_bound > 0,
        1.0,
    )
    assert found.lower_bound < objective.whole(table) // 8
    check = check_certificate(found.certificate, table, LDiversity(2), objective)
    assert check.accepted


@pytest.mark.parametrize("method", [own_pattern, lagrangian])
def test_weighted_stars_of_many_rows_have_true_bounds(method):
    names = tuple(f"c{j}" for j in range(8))
    codes = np.tile(np.arange(3, dtype=np.int32), (8, 1))
    counts = np.full(3, 10**7)
    table = Table(names, codes, (("x", "y", "z"),) * 8, names, counts=counts)
    objective = Objective(weights=dict.fromkeys(names, 10**6))
    assert PriceUnit.of(table, objective).per_cost < 2**MOST_BITS
    requirement = KAnonymity(2 * 10**7)
    result = method(table, requirement, objective=objective)
    # All rows have to be one group, and differ in all columns.
    assert result.lower_bound == objective.whole(table)
    assert check_certificate(result.certificate, table, requirement).accepted


def test_sentinels_lie_beyond_all_that_loops_add_up():
    assert 3 * MOST_SUM < ANY_COST < INFEASIBLE == -NO_PRICE
    assert 2 * INFEASIBLE + MOST_SUM < 2**63 and WORD + MOST_SUM < 2**63
    # Too few values are no choice, however high the prices of those that are there.
    table, objective = line(random.Random(0), highest_loss(4, 3))
    most = PriceUnit.of(table, objective).most
    members, highest = np.arange(3, dtype=np.int32), np.empty(3, np.int64)
    for values, expected in (([0, 1, 1], NO_PRICE), ([0, 1, 2], 3 * most)):
        given = members, np.full(3, most), np.array(values, np.int32), highest
        assert sum_highest_prices(*given) == expected


def test_a_sum_that_has_wrapped_is_told():
    unit = PriceUnit("some table", 2, 100)
    assert unit.total((-5, 3, float(-5 - 3 * WORD))) == -5 - 3 * WORD
    for words in ((5, 0, -(2.0**64)), (-5, 0, -6.0), (-5, 0, float("nan"))):
        with pytest.raises(ArithmeticError, match=r"some table: .* 1/2 "):
            unit.total(words)
    with pytest.raises(ArithmeticError, match="a price is above 100"):
        unit.expect(np.array([3, -101]))
    assert unit.clipped(np.array([3, -101, 2**62])).tolist() == [3, -100, 100]


def test_loops_refuse_prices_that_might_wrap():
    table, objective = line(random.Random(0), 7)
    patterns = closed_patterns(table, table.row_types, objective, 2)
    prices = np.full(len(table.row_types), patterns.unit.most + 1)
    for refuse in (
        lambda: LagrangianFunction(patterns, 2, 1)(prices),
        lambda: lagrangian_fixing(patterns, prices, 2),
        lambda: pricing_values(patterns, prices, 2),
    ):
        with pytest.raises(ArithmeticError):
            refuse()


def test_exact_sums_are_those_of_python():
    rng = random.Random(0)
    for _ in range(50):
        numbers = [rng.choice([-1, 1]) * rng.randint(0, 2**63 - 1) for _ in range(9)]
        counts = [rng.randint(0, 2**27) for _ in numbers]
        assert exact_sum(np.array(numbers)) == sum(numbers)
        product = sum(a * b for a, b in zip(numbers, counts, strict=True))
        assert exact_product(np.array(numbers), np.array(counts)) == product


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
    found = pricing_values(patterns, prices, k, l)
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
    assert price_bound(patterns, prices, k, l) <= optimum
