"""Tests that neighbourhoods are what their operators say, and keep releases valid."""

import numpy as np
import pytest

from starmin.heuristics.orders.suppression import (
    lexicographic_suppression,
)
from starmin.instances import STARS, Requirement, Table
from starmin.instances.catalogue.generators import clustered
from starmin.models.pattern_program.destroy_operators import DestroyOperators
from starmin.models.pattern_program.neighbourhood import WholeGroups
from starmin.models.pattern_program.pattern_program import loads_of, partition_of_loads
from starmin.models.patterns.closed_listing import closed_patterns
from tests.small_problems import ask


def begin(k: int, l: int, seed: int) -> tuple[Table, Requirement, DestroyOperators]:
    table = clustered(80, 3, 4, seed=seed, sensitive=4)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, STARS, k, l)
    useful = np.ones(len(patterns.types), bool)
    rng = np.random.default_rng(seed)
    return table, ask(k, l), DestroyOperators(patterns, types, k, l, useful, rng)


def release(table: Table, requirement: Requirement, operators: DestroyOperators):
    best = lexicographic_suppression(table, requirement).best
    loads = loads_of(table, STARS, operators.types, operators.patterns, best)
    assert loads is not None
    return loads


@pytest.mark.parametrize(("k", "l"), [(3, 1), (1, 2), (3, 2)])
def test_each_step_leaves_a_release_whose_cost_fell_by_the_gain(k, l):
    table, requirement, operators = begin(k, l, seed=k + l)
    loads = release(table, requirement, operators)
    first = loads @ operators.cost
    for _ in range(6):
        operators.sizes[:] = 25.0
        better = operators.step(loads, 5.0)
        if better is None:
            continue
        assert better @ operators.cost < loads @ operators.cost
        found = partition_of_loads(operators.types, operators.patterns, better)
        assert found.violation(table, requirement) is None
        assert found.value(table) <= better @ operators.cost
        loads = better
    assert loads @ operators.cost < first


def test_operators_free_as_many_types_as_wanted_and_none_that_is_busy():
    table, requirement, operators = begin(3, 1, seed=5)
    loads = release(table, requirement, operators)
    busy = np.random.default_rng(0).random(len(operators.types)) < 0.5
    for operator in operators.kinds:
        for wanted in (5, 40, len(operators.types)):
            free = operator(loads, wanted)
            assert free.dtype == bool and 0 < free.sum() <= wanted
    for _ in range(20):
        task = operators.propose(loads, 1.0, busy)
        assert task is None or (task.free.any() and not (task.free & busy).any())
    assert operators.propose(loads, 1.0, np.ones_like(busy)) is None


def test_a_neighbourhood_that_others_made_wrong_is_not_taken():
    """What was fixed for it has moved since: a pattern would lack rows."""
    table, requirement, operators = begin(3, 1, seed=7)
    operators.sizes[:] = 25.0
    loads = release(table, requirement, operators)
    refused = 0
    for _ in range(10):
        task = operators.propose(loads, 5.0)
        found, seconds = task.solve()
        fixed = np.flatnonzero((loads > 0) & ~task.free[operators.patterns.types])
        moved = loads.copy()
        moved[fixed] = 0
        merged = operators.merge(moved, task, found, seconds)
        if merged is None:
            refused += 1
            continue
        totals = np.bincount(operators.patterns.pattern, merged)
        assert (totals[totals > 0] >= 3).all()
    assert refused > 0


def test_groups_are_given_up_whole():
    table, requirement, operators = begin(3, 1, seed=11)
    loads = release(table, requirement, operators)
    groups = WholeGroups.of_loads(operators.patterns, loads, operators.excess)
    assert groups.copies.sum() == table.n
    score = np.random.default_rng(1).random(len(groups.excess))
    for most in (3, 20, len(operators.types)):
        chosen = groups.first(score, most)
        assert len(set(chosen.tolist())) <= most
        inside = np.isin(groups.types, chosen)
        taken = np.unique(groups.of[inside])
        whole = [inside[groups.of == group].all() for group in taken]
        assert sum(whole) >= (len(chosen) > 0)
    codes = groups.mean(np.ones(len(groups.of)))
    assert codes.tolist() == [1.0] * len(groups.excess)
