"""Tests that clustering never loses, under any requirement, and counts its gains."""

import math
import random

import numpy as np
import pytest

from starmin.heuristics.local_search import cluster_groups as group_loops
from starmin.heuristics.local_search.cluster_groups import NONE, GroupLabels
from starmin.heuristics.local_search.clustering import (
    DISSOLVE,
    MOVE,
    SPLIT,
    SWAP,
    clustering,
)
from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Run,
    Table,
    why_infeasible,
)
from starmin.instances.catalogue.generators import clustered
from starmin.verify.brute_force import brute_force
from tests.support.interpreted import interpreted
from tests.support.small_problems import (
    MAKERS,
    ask,
    large_problem,
    random_objective,
    random_problem,
)

cheapest_group = interpreted(group_loops.cheapest_group)
cost_after = interpreted(group_loops.cost_after)


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
        if why_infeasible(table, requirement, objective):
            continue
        start = Partition.coarsest(table, objective)
        result = clustering(table, requirement, objective=objective, initial=start)
        assert result.best.violation(table, requirement, objective) is None
        gained += result.value < start.value(table, objective)
    assert gained


@pytest.mark.parametrize("maker", MAKERS)
def test_it_never_loses_under_any_requirement_where_losses_count(maker):
    gained = 0
    for seed in range(6):
        table, objective = large_problem(seed, 40)
        requirement = maker(table)
        if why_infeasible(table, requirement, objective):
            continue
        start = Partition.coarsest(table, objective)
        result = clustering(table, requirement, objective=objective, initial=start)
        assert result.best.violation(table, requirement, objective) is None
        gained += result.value < start.value(table, objective)
    assert gained


def test_losses_come_near_the_optimum():
    worst = 1.0
    for seed in range(80):
        _, table, objective, k, l = random_problem(seed)
        optimum = brute_force(table, ask(k, l), objective).value
        if not optimum:
            continue
        result = clustering(table, ask(k, l), objective=objective, seed=seed)
        assert optimum <= result.value
        worst = max(worst, result.value / optimum)
    assert worst < 2


def test_costs_of_changes_are_those_of_the_groups_they_lead_to():
    for seed in range(40):
        rng, table, objective, *_ = random_problem(seed)
        first = table.n // 2
        start = Partition(np.repeat([0, 1], [first, table.n - first]).astype(np.int32))
        if first < 2 or start.violation(table, KAnonymity(2), objective):
            continue
        state = GroupLabels(Run(table, KAnonymity(2), objective), start).state()

        def cost(rows, table=table, objective=objective):
            part = table.take(np.array(rows))
            whole = Partition.single(part)
            if whole.violation(part, KAnonymity(2), objective) and len(rows) > 1:
                return math.inf
            return whole.value(part, objective) / len(rows)

        mine, others = list(range(first)), list(range(first, table.n))
        out, extra = rng.choice(mine), rng.choice(others)
        rest = [row for row in mine if row != out]
        assert cost_after(state, 0, out, extra) == pytest.approx(cost([*rest, extra]))
        if rest:
            assert cost_after(state, 0, out, NONE) == pytest.approx(cost(rest))
        joined = cost([*mine, extra])
        free = np.zeros(2, bool)
        target, paid = cheapest_group(state, extra, free, 1e18)
        if joined < math.inf:
            more = (first + 1) * joined - first * cost(mine)
            assert target == 0 and paid == pytest.approx(more)
        else:
            assert target == NONE


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
    if why_infeasible(table, KAnonymity(2), keep) is None:
        result = clustering(table, KAnonymity(2), objective=keep)
        assert not result.best.starred(table)[:, 0].any()
