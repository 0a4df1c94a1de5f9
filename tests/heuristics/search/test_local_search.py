"""Tests that local search improves releases under any requirement."""

import random

import numpy as np
import pytest

from starmin.heuristics.local_search.local_search import local_search
from starmin.heuristics.local_search.local_search_state import LOCAL_SEARCH_PARAMS
from starmin.heuristics.local_search.range_search import RangeSearch
from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.instances import (
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    MaxShare,
    NotSupportedError,
    Objective,
    Partition,
    PerRowK,
    RecursiveDiversity,
    Release,
    Requirement,
    Run,
    Table,
    why_infeasible,
)
from starmin.instances.catalogue.generators import clustered
from starmin.verify.brute_force import brute_force
from starmin.verify.releases.release_check import check_release
from tests.support.real_scale import SIX, SIX_BOUND, persons
from tests.support.small_problems import (
    MAKERS,
    ask,
    large_problem,
    random_bounds,
    random_objective,
    random_problem,
    random_table,
)


def some_requirement(rng: random.Random) -> Requirement:
    """One that is checked within moves, or one that is checked after them."""
    if rng.random() < 0.5:
        return ask(*random_bounds(rng))
    return DistinctDiversity(2) & KAnonymity(rng.choice([2, 3]))


@pytest.mark.parametrize("kind", ["stars", "tuples"])
def test_small_tables_against_the_optimum(kind: str) -> None:
    optimal = feasible = 0
    for seed in range(110):
        rng = random.Random(f"{seed} {kind}")
        table = random_table(rng, 2, 8)
        requirement = some_requirement(rng)
        objective = random_objective(rng, table, kind)
        optimum = brute_force(table, requirement, objective).value
        found = local_search(
            table, requirement, objective=objective, proposals=20, stagnation=3
        )
        assert (found.value is None) == (optimum is None)
        if optimum is None:
            assert found.reason
            continue
        assert optimum <= found.value <= found.stats["start"]
        assert found.best.value(table, objective) == found.value
        published = Release(table, found.best, star="*").published
        assert check_release(published, requirement, table).holds
        feasible += 1
        optimal += found.value == optimum
    assert feasible > 35 and optimal > 0.8 * feasible


REQUIREMENTS = [
    KAnonymity(4),
    LDiversity(2),
    KAnonymity(4) & LDiversity(3),
    DistinctDiversity(3),
    EntropyDiversity(2),
    RecursiveDiversity(2, 2),
    KAnonymity(3) & MaxShare(0.5),
]


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_a_poor_start_is_improved_and_seeds_repeat(requirement) -> None:
    table = clustered(600, 5, 5, seed=1, sensitive=5)
    start = mondrian(table, requirement)
    options = {"initial": start.best, "proposals": 20, "stagnation": 5, "seed": 3}
    first, second = (local_search(table, requirement, **options) for _ in range(2))
    assert first.value < 0.97 * start.value
    assert first.best.groups.tolist() == second.best.groups.tolist()


def test_rows_that_ask_for_their_own_k() -> None:
    table = clustered(400, 4, 4, seed=1, sensitive=4)
    table = table.with_roles(table.qi)
    rng = np.random.default_rng(0)
    cells = [[*row[:-1], str(k)] for row, k in zip(
        table.rows(), rng.choice([1, 2, 7], 400), strict=True
    )]  # fmt: skip
    table = Table.from_rows([*table.qi, "k"], cells, qi=table.qi)
    requirement = PerRowK.of(table, "k")
    start = mondrian(table, requirement)
    found = local_search(table, requirement, initial=start.best, proposals=20)
    assert found.value < start.value


def test_columns_that_are_kept_stay() -> None:
    table = clustered(300, 4, 4, seed=2)
    objective = Objective(weights={table.qi[1]: 5}, keep=table.qi[:1])
    start = mondrian(table, KAnonymity(3), objective=objective)
    found = local_search(
        table, KAnonymity(3), objective=objective, initial=start.best, proposals=20
    )
    assert found.value < start.value
    assert not found.best.starred(table)[:, 0].any()


def test_without_time_the_start_is_published() -> None:
    table = clustered(200, 4, 4, seed=2)
    worst = Partition.single(table)
    found = local_search(table, KAnonymity(3), initial=worst, time_limit=0.0)
    assert found.limit.value == "time" and found.value == worst.value(table)


def test_more_columns_than_bits_are_refused() -> None:
    names = [f"q{j}" for j in range(63)]
    table = Table.from_rows(names, [["0"] * 63] * 4, qi=names)
    with pytest.raises(NotSupportedError, match="at most 62 QI columns"):
        local_search(table, KAnonymity(2))


@pytest.mark.parametrize("requirement", [KAnonymity(5), KAnonymity(5) & MaxShare(0.5)])
def test_a_few_moves_improve_thirty_thousand_rows(requirement) -> None:
    table = persons(SIX, ("occupation",))
    start = lexicographic_suppression(table, requirement)
    found = local_search(
        table, requirement, initial=start.best, proposals=1, stagnation=1
    )
    assert SIX_BOUND <= found.value < 0.995 * start.value
    published = Release(table, found.best).published
    assert check_release(published, requirement, table).holds


@pytest.mark.parametrize("maker", MAKERS)
def test_losses_fall_under_any_requirement(maker):
    gained = 0
    for seed in range(6):
        table, objective = large_problem(seed, 40)
        requirement = maker(table)
        if why_infeasible(table, requirement, objective):
            continue
        start = Partition.coarsest(table, objective)
        result = local_search(
            table,
            requirement,
            objective=objective,
            initial=start,
            proposals=10,
            stagnation=5,
        )
        assert result.best.violation(table, requirement, objective) is None
        assert result.value <= result.stats["start"]
        gained += result.value < result.stats["start"]
    assert gained


def test_losses_come_near_the_optimum():
    ratios = []
    for seed in range(60):
        _, table, objective, k, l = random_problem(seed)
        optimum = brute_force(table, ask(k, l), objective).value
        if not optimum:
            continue
        found = local_search(table, ask(k, l), objective=objective, stagnation=30)
        assert found.best.violation(table, ask(k, l), objective) is None
        ratios.append(found.value / optimum)
    assert min(ratios) == 1
    assert sum(ratios) / len(ratios) < 1.05


def test_the_search_for_losses_keeps_its_books():
    for seed in range(6):
        table, objective = large_problem(seed, 60)
        run = Run(table, KAnonymity(3), objective)
        run.offer(Partition.coarsest(table, objective))
        search = RangeSearch(run, seed, 100, LOCAL_SEARCH_PARAMS)
        for _ in range(20):
            search.step(0.2 * search.unit)
            release = search.labels.partition()
            assert release.violation(table, KAnonymity(3), objective) is None
            state = search.state
            value = np.diff(state.starts) @ state.row_cost
            assert value == pytest.approx(release.value(table, objective))
