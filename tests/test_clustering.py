"""Tests that clustering never loses, under any requirement, and counts its gains."""

import random

import numpy as np
import pytest

from heuristics.clustering.clustering import clustering
from heuristics.clustering.moves import DISSOLVE, MOVE, SPLIT, SWAP
from heuristics.orders.lexicographic_suppression import lexicographic_suppression
from instances import (
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    MaxShare,
    Objective,
    Partition,
    PerRowK,
    RecursiveDiversity,
    Table,
    TCloseness,
    why_infeasible,
)
from instances.catalogue.generators import clustered
from tests.small_problems import random_objective

MAKERS = [
    lambda table: KAnonymity(3),
    lambda table: LDiversity(2),
    lambda table: KAnonymity(4) & LDiversity(2),
    lambda table: DistinctDiversity(3),
    lambda table: EntropyDiversity(2),
    lambda table: RecursiveDiversity(2.0, 2),
    lambda table: MaxShare(0.6) & KAnonymity(3),
    lambda table: TCloseness.of(table, 0.3),
    lambda table: PerRowK.of(table, "own"),
]


def with_own_k(table: Table, seed: int) -> Table:
    rng = random.Random(seed)
    rows = zip(*(table.cells(c) for c in table.names), strict=True)
    return Table.from_rows(
        [*table.names, "own"],
        [[*row, str(rng.randint(1, 4))] for row in rows],
        table.qi,
        table.sensitive,
    )


@pytest.mark.parametrize("maker", MAKERS)
def test_it_never_loses_under_any_requirement(maker):
    gained = 0
    for seed in range(8):
        table = with_own_k(clustered(60, 4, 4, seed=seed, sensitive=4), seed)
        requirement = maker(table)
        rng = random.Random(seed)
        objective = random_objective(rng, table, "tuples" if seed % 3 else "stars")
        if why_infeasible(table, requirement, objective.keep):
            continue
        start = Partition.coarsest(table, objective)
        result = clustering(table, requirement, objective=objective, initial=start)
        assert result.best.violation(table, requirement, objective) is None
        gained += result.value < start.value(table, objective)
    assert gained


@pytest.mark.parametrize("kind", [MOVE, SWAP, DISSOLVE, SPLIT])
def test_each_kind_of_change_saves_something(kind):
    starts = {
        MOVE: ([[0, 0], [0, 0], [0, 0], [1, 1], [1, 1]], [0, 0, 1, 1, 1]),
        SWAP: ([[0, 0], [0, 0], [1, 1], [1, 1]], [0, 1, 0, 1]),
        DISSOLVE: (
            [[0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 1]],
            [0, 0, 1, 1, 2, 2],
        ),
        SPLIT: ([[0, 0], [0, 0], [1, 1], [1, 1]], [0, 0, 0, 0]),
    }
    cells, groups = starts[kind]
    table = Table.from_rows(
        ["p", "q"], np.array(cells).astype(str).tolist(), ["p", "q"]
    )
    start = Partition(np.array(groups, np.int32))
    assert start.value(table) > 0
    assert clustering(table, KAnonymity(2), initial=start).value == 0


@pytest.mark.parametrize("start", ["cover", "sorted"])
def test_its_starts(start):
    table = clustered(80, 4, 4, seed=5, sensitive=3)
    sorted_one = lexicographic_suppression(table, LDiversity(2))
    assert clustering(table, LDiversity(2), start=start).value <= sorted_one.value
    first = clustering(table, KAnonymity(3), start=start, seed=1)
    again = clustering(table, KAnonymity(3), start=start, seed=1)
    assert np.array_equal(first.best.groups, again.best.groups)


def test_without_time_there_is_a_release():
    table = clustered(80, 4, 4, seed=5)
    result = clustering(table, KAnonymity(3), time_limit=0)
    assert result.limit.value == "time" and result.best.sizes.min() >= 3


def test_kept_columns_are_not_starred():
    table = clustered(60, 4, 3, seed=3)
    keep = Objective(keep=(table.qi[0],))
    if why_infeasible(table, KAnonymity(2), keep.keep) is None:
        result = clustering(table, KAnonymity(2), objective=keep)
        assert not result.best.starred(table)[:, 0].any()
