"""Tests that the factor cover keeps its ratios against its own bound."""

from itertools import permutations

import numpy as np
import pytest

from starmin.heuristics.approximation.cycle_cover import cut_cycles
from starmin.heuristics.approximation.factor_cover import MAX_ROWS, factor_cover
from starmin.heuristics.approximation.forest import row_distances
from starmin.instances import (
    STARS,
    TUPLES,
    KAnonymity,
    NotSupportedError,
    Objective,
    Run,
    Table,
)
from starmin.models.matching.two_factor import APART, two_factor
from starmin.verify.brute_force import brute_force
from tests.heuristics.approximation.test_forest import numbers
from tests.heuristics.approximation.test_guarantees import TABLES, problem

THREE = KAnonymity(3)


def is_binary(table: Table, objective: Objective) -> bool:
    codes = table.row_types.codes
    few = all(len(np.unique(column)) <= 2 for column in codes.T)
    return few and objective.kind == "stars"


def test_its_ratios_hold_on_small_tables():
    seen, binary = 0, 0
    for seed in range(TABLES):
        given = problem(seed, "k")
        if given is None or given[1] != THREE:
            continue
        table, requirement, objective, optimum = given
        result = factor_cover(table, requirement, objective=objective)
        assert result.lower_bound <= optimum <= result.value
        assert result.limit is None and result.value <= 3 * result.lower_bound
        if is_binary(table, objective):
            assert result.value <= 2 * result.lower_bound
            binary += 1
        seen += 1
    assert seen > TABLES / 8 and binary > TABLES / 50


@pytest.mark.parametrize(
    "objective", [STARS, Objective(weights={"q1": 7}, keep=("q0",)), TUPLES]
)
def test_its_ratios_hold_on_larger_tables(objective):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        values = 2 if seed % 2 else int(rng.integers(3, 9))
        table = numbers(rng.integers(values, size=(int(rng.integers(60, 150)), 5)))
        result = factor_cover(table, THREE, objective=objective)
        ratio = 2 if is_binary(table, objective) else 3
        assert result.limit is None and result.value <= ratio * result.lower_bound


@pytest.mark.parametrize("n", [3, 5, 6, 7])
def test_the_two_factor_is_a_cheapest_one(n):
    orders = np.array(list(permutations(range(n))))
    rows = np.arange(n)
    long = (orders != rows).all(axis=1)
    long &= (np.take_along_axis(orders, orders, 1) != rows).all(axis=1)
    cycles = orders[long]
    for seed in range(10):
        rng = np.random.default_rng(seed)
        distance = np.triu(rng.integers(9, size=(n, n)), 1)
        distance += distance.T
        np.fill_diagonal(distance, APART)
        least = distance[rows, cycles].sum(axis=1).min()
        found = two_factor(distance, Run(numbers(np.zeros((n, 1), int)), THREE))
        assert (cycles == found.following).all(axis=1).any()
        assert distance[rows, found.following].sum() == found.bound == least


def test_no_better_ratio_comes_of_cutting_cycles():
    """Eight rows around a cycle of length 8, in any groups of three or more."""
    codes = np.array([[i < j <= i + 4 for j in range(4, 8)] for i in range(8)])
    distances = row_distances(codes.astype(np.int32), np.ones(4, np.int64), False)
    following = np.roll(np.arange(8), -1)
    assert distances[np.arange(8), following].sum() == 8
    prices = np.ones(4, np.int64)
    labels = cut_cycles(following, codes.astype(np.int32), prices, False, 3)
    groups = [codes[labels == label] for label in np.unique(labels)]
    assert sum(len(g) * (g != g[0]).any(axis=0).sum() for g in groups) == 24
    table = numbers(codes.astype(int))
    assert brute_force(table, THREE).value == 24
    result = factor_cover(table, THREE)
    assert result.value == 24 and result.lower_bound == 12


def test_it_refuses_what_it_cannot_do():
    with pytest.raises(NotSupportedError, match="at most 1000 rows, got 1001"):
        factor_cover(numbers(np.zeros((MAX_ROWS + 1, 1), int)), THREE)
    with pytest.raises(NotSupportedError, match="Expected 3-anonymity"):
        factor_cover(numbers(np.zeros((6, 1), int)), KAnonymity(2))
    without = factor_cover(numbers(np.eye(6, dtype=int)), THREE, time_limit=0)
    assert without.limit.value == "time" and without.best is not None
