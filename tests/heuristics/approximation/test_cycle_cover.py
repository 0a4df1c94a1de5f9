"""Tests that the cycle cover keeps its ratio of 1.6 against its own bound."""

from itertools import combinations

import numpy as np
import pytest

from starmin.heuristics.approximation.cycle_cover import (
    MAX_ROWS,
    cut_cycles,
    cycle_cover,
)
from starmin.instances import TUPLES, KAnonymity, NotSupportedError, Objective
from starmin.models.matching.general_factor import general_factor
from starmin.verify.brute_force import brute_force
from tests.heuristics.approximation.test_forest import numbers
from tests.heuristics.approximation.test_guarantees import TABLES, problem


def test_its_ratio_holds_on_small_tables():
    seen = 0
    for seed in range(TABLES):
        given = problem(seed, "k")
        if given is None or given[1] != KAnonymity(2):
            continue
        table, requirement, objective, optimum = given
        result = cycle_cover(table, requirement, objective=objective)
        assert result.lower_bound <= optimum <= result.value
        assert 5 * result.value <= 8 * result.lower_bound
        seen += 1
    assert seen > TABLES / 6


@pytest.mark.parametrize("objective", [Objective(weights={"q1": 7}), TUPLES])
def test_its_ratio_holds_on_larger_tables(objective):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        codes = rng.integers(rng.integers(2, 9), size=(rng.integers(10, 150), 5))
        result = cycle_cover(numbers(codes), KAnonymity(2), objective=objective)
        assert 5 * result.value <= 8 * result.lower_bound


def test_cheapest_factors_alone_do_not_give_one_and_a_half():
    """With three values, cheapest factors of degrees 1 and 2 cost up to 8 / 5."""
    table = numbers(np.array([[0, 0], [1, 0], [1, 1], [2, 0], [2, 1]]))
    codes = table.row_types.codes
    factors = []
    for pair in combinations(range(5), 2):
        groups = [codes[list(pair)], np.delete(codes, pair, axis=0)]
        weight = value = 0
        for group in groups:
            apart = sorted(int((a != b).sum()) for a, b in combinations(group, 2))
            weight += sum(apart[: len(group) - 1])
            value += len(group) * int((group != group[0]).any(axis=0).sum())
        factors.append((weight, value))
    least = min(weight for weight, _ in factors)
    assert {value for weight, value in factors if weight == least} == {5, 8}
    assert brute_force(table, KAnonymity(2)).value == 5
    assert cycle_cover(table, KAnonymity(2)).value == 5


def test_it_is_near_the_optimum():
    for seed in range(5):
        table = numbers(np.random.default_rng(seed).integers(4, size=(24, 4)))
        optimum = general_factor(table, KAnonymity(2)).value
        result = cycle_cover(table, KAnonymity(2))
        assert result.lower_bound <= optimum <= result.value <= 1.2 * optimum


@pytest.mark.parametrize("size", range(2, 9))
def test_a_cycle_is_cut_at_the_least_cost(size):
    for seed in range(20):
        codes = np.random.default_rng(seed).integers(3, size=(size, 4)).astype(np.int32)
        prices = np.ones(4, np.int64)
        following = np.roll(np.arange(size), -1)
        labels = cut_cycles(following, codes, prices, False, 2)
        groups = [codes[labels == label] for label in np.unique(labels)]
        cost = sum(len(g) * (g != g[0]).any(axis=0).sum() for g in groups)
        length = (codes != codes[following]).sum()
        assert all(2 <= len(g) <= 3 for g in groups)
        assert 5 * cost <= 8 * length


def test_it_refuses_what_it_cannot_do():
    with pytest.raises(NotSupportedError, match="at most 4000 rows, got 4001"):
        cycle_cover(numbers(np.zeros((MAX_ROWS + 1, 1), int)), KAnonymity(2))
    with pytest.raises(NotSupportedError, match="Expected 2-anonymity"):
        cycle_cover(numbers(np.zeros((6, 1), int)), KAnonymity(3))
    without = cycle_cover(numbers(np.eye(4)), KAnonymity(2), time_limit=0)
    assert without.limit.value == "time" and without.value == 16
