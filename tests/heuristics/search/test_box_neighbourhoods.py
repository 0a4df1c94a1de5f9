"""Tests that groups solved by boxes are valid releases, never worse than the start."""

import numpy as np
import pytest

from starmin.heuristics.large_neighbourhood.box_neighbourhoods import (
    BoxNeighbourhoodParams,
    NearGroups,
    box_neighbourhoods,
)
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Partition,
    Scales,
    Table,
)
from starmin.verify.brute_force import brute_force
from tests.support.effort import seeds
from tests.support.small_problems import ask, random_problem


@pytest.mark.parametrize("seed", seeds(15))
def test_all_rows_at_once_are_solved_to_the_optimum(seed: int) -> None:
    _, table, objective, k, l = random_problem(seed)
    requirement = ask(k, l)
    optimum = brute_force(table, requirement, objective).value
    if optimum is None:
        return
    start = Partition.coarsest(table, objective)
    given = objective, start, BoxNeighbourhoodParams(rows=table.n)
    found = box_neighbourhoods(
        *(table, requirement), objective=given[0], initial=given[1], params=given[2]
    )
    assert optimum <= found.value <= start.value(table, objective)
    assert found.best.violation(table, requirement, objective) is None


def _ages(rows: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    cells = rng.integers(60, size=(rows, 2)).astype(str)
    values = rng.choice(list("abcd"), (rows, 1))
    names = ["age", "size", "s"]
    given = np.hstack([cells, values]).tolist()
    return Table.from_rows(names, given, qi=names[:2], sensitive=["s"])


@pytest.mark.parametrize("requirement", [KAnonymity(3), LDiversity(2), ask(4, 2)])
def test_parts_gain_and_keep_the_requirement(requirement) -> None:
    """Parts are far smaller than the table; their losses are those of the whole."""
    table = _ages(40, 1)
    objective = Objective("gcp", scales=Scales.of(table, ["age", "size"]))
    start = Partition.from_labels(np.arange(40) // 8)
    if start.violation(table, requirement, objective):
        start = Partition.coarsest(table, objective)
    params = BoxNeighbourhoodParams(rows=16, most=8, in_vain=20)
    found = box_neighbourhoods(
        table, requirement, objective=objective, initial=start, params=params
    )
    assert found.value < start.value(table, objective)
    assert found.best.violation(table, requirement, objective) is None
    assert found.limit is Limit.ITERATIONS


def test_groups_that_are_optimal_together_are_not_solved_again() -> None:
    table = _ages(40, 2)
    objective = Objective("gcp", scales=Scales.of(table, ["age", "size"]))
    release = Partition.from_labels(np.arange(40) // 4)
    groups = NearGroups(table, objective, release, np.random.default_rng(0))
    busy = np.zeros(40, bool)
    groups.settle(np.arange(40))
    assert all(len(groups.choose(8, busy)) == 0 for _ in range(20))
    rows = np.arange(8)
    groups.replace(rows, Partition.from_labels(np.arange(8) % 2))
    chosen = [groups.choose(40, busy) for _ in range(5)]
    assert all(len(rows) == 40 for rows in chosen)


def test_rows_that_are_busy_stay() -> None:
    table = _ages(40, 3)
    objective = Objective("gcp", scales=Scales.of(table, ["age", "size"]))
    release = Partition.from_labels(np.arange(40) // 4)
    groups = NearGroups(table, objective, release, np.random.default_rng(0))
    busy = np.arange(40) < 20
    for _ in range(20):
        rows = groups.choose(12, busy)
        assert len(rows) == 12
        assert not busy[rows].any()
    assert len(groups.choose(12, np.arange(40) < 38)) == 0


def test_without_time_the_release_stays() -> None:
    table = _ages(40, 4)
    objective = Objective("gcp", scales=Scales.of(table, ["age", "size"]))
    start = Partition.from_labels(np.arange(40) // 4)
    found = box_neighbourhoods(
        table, KAnonymity(3), objective=objective, initial=start, time_limit=0.0
    )
    assert found.value == start.value(table, objective)
    assert found.limit is Limit.TIME
