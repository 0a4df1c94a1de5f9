"""Tests that ruin and recreate, in parts too, finds valid releases that lose little."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from starmin.heuristics.annealing.annealing_schedule import seed_moves
from starmin.heuristics.ruin_and_recreate.group_state import group_state
from starmin.heuristics.ruin_and_recreate.ruin_and_recreate import (
    PartParams,
    RuinInParts,
    ruin_and_recreate,
)
from starmin.heuristics.ruin_and_recreate.ruin_moves import (
    RUIN_AND_RECREATE_PARAMS,
    RUIN_PARAMS,
    anneal,
)
from starmin.heuristics.ruin_and_recreate.ruin_rows import (
    NO_GUIDE,
    RuinRows,
    joined_loss,
    losses_of,
)
from starmin.heuristics.ruin_and_recreate.ruin_search import Assistance
from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Run,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.cores import Threads
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.pool_sources import pattern_pool
from starmin.verify.brute_force import brute_force
from tests.support.effort import seeds
from tests.support.small_problems import ask, random_problem

TREE = Taxonomy.parse("{north{a,b,c},south{d,e},f}")


def _problem(rng: np.random.Generator, n: int) -> tuple[Table, Objective]:
    """Return a random table of a tree, numbers with missing ones, and a flat column."""
    rows = [
        [
            "abcdef"[rng.integers(6)],
            str(rng.integers(9)) if rng.random() < 0.9 else "?",
            "xy"[rng.integers(2)],
            "uvw"[rng.integers(3)],
        ]
        for _ in range(n)
    ]
    table = Table.from_rows(list("pqrs"), rows, qi=list("pqr"), sensitive=["s"])
    scales = Scales.of(table, ["q"], {"p": TREE})
    return table, Objective("gcp", {"q": int(rng.integers(1, 4))}, scales=scales)


@pytest.mark.parametrize("seed", range(20))
def test_small_tables_come_near_the_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, objective = _problem(rng, 8)
    requirement: Requirement = KAnonymity(2 + seed % 2)
    best = brute_force(table, requirement, objective).value
    found = ruin_and_recreate(
        table, requirement, objective=objective, proposals=500, seed=seed
    ).value
    assert best is not None
    assert found is not None
    assert best <= found <= 1.2 * best


@pytest.mark.parametrize("seed", range(10))
def test_diverse_releases_are_valid_and_no_worse_than_their_start(seed: int) -> None:
    table, objective = _problem(np.random.default_rng(seed), 60)
    requirement = LDiversity(2) & KAnonymity(2 + seed % 3)
    start = Partition.single(table)
    assert start.violation(table, requirement, objective) is None
    found = ruin_and_recreate(
        table, requirement, objective=objective, initial=start, proposals=20
    )
    assert found.best is not None
    assert found.value is not None
    assert found.best.violation(table, requirement, objective) is None
    assert found.value < start.value(table, objective)


@pytest.mark.parametrize("most", [512, 0])
def test_losses_of_pairs_are_those_of_groups(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "starmin.heuristics.ruin_and_recreate.ruin_rows._MOST_POSITIONS", most
    )
    table, objective = _problem(np.random.default_rng(3), 30)
    losses = losses_of(table, objective)
    rows = objective.scales_of(table).row_positions(table)
    for a in range(30):
        for b in range(a + 1, 30):
            got = joined_loss(*losses, rows, rows, a, rows, b, np.inf)
            pair = table.take(np.array([a, b]))
            assert 2 * got == Partition.single(pair).value(pair, objective)


def _priced(
    table: Table, objective: Objective, requirement: Requirement
) -> npt.NDArray[np.integer]:
    """Return prices that a second of the search for a bound finds."""
    run = Run(table, requirement, objective)
    return pattern_pool(run, time_limit=1.0).prices


@pytest.mark.parametrize("informed", [False, True])
@pytest.mark.parametrize("l", [1, 2])
def test_the_state_keeps_its_books(l: int, informed: bool) -> None:
    table, objective = _problem(np.random.default_rng(5), 200)
    requirement: Requirement = KAnonymity(4 if l > 1 else 3)
    if l > 1:
        requirement = LDiversity(l) & requirement
    run = Run(table, requirement, objective)
    run.offer(Partition.single(table))
    problem, guide = RuinRows.of(run, 8, np.random.default_rng(0)), NO_GUIDE
    if informed:
        guide = problem.guide(run, _priced(table, objective, requirement))
        assert guide.worth.any() and (len(guide.starts) > 1) == (l > 1)
    state = group_state(problem, Partition.single(table), guide)
    before = float(state.size @ state.cost)
    seed_moves(0)
    change = anneal(state, 3_000, 0.1 * before / 200, RUIN_PARAMS)
    release = Partition.from_labels(state.group)
    assert release.violation(table, requirement, objective) is None
    value = release.value(table, objective)
    assert value == before + change == float(state.size @ state.cost)
    assert value < 0.8 * before


@pytest.mark.parametrize("l", [1, 2])
def test_parts_are_whole_groups_of_the_same_problem(l: int) -> None:
    table, objective = _problem(np.random.default_rng(6), 120)
    asked: Requirement = LDiversity(l) & KAnonymity(3) if l > 1 else KAnonymity(3)
    run, rng = Run(table, asked, objective), np.random.default_rng(0)
    groups = np.arange(120) // 3
    problem = RuinRows.of(run, 8, rng)
    guide = problem.guide(run, _priced(table, objective, asked))
    parts = problem.cut(groups, 3, rng)
    assert sorted(np.concatenate(parts).tolist()) == list(range(120))
    for rows in parts:
        assert 30 <= len(rows) <= 50
        assert not set(groups[rows]) & set(np.delete(groups, rows))
        own, there = problem.part(rows, guide)
        known = np.full(len(problem.near), -1)
        known[own.types] = problem.types[rows]  # of each type of the part its number
        known = known[known >= 0]
        assert (own.positions == problem.positions[rows]).all()
        near = np.where(own.near < 0, -1, known[own.near])
        whole = problem.near[known]
        assert (near == np.where(np.isin(whole, known), whole, -1)).all()
        kinds = np.unique(problem.kinds[rows])
        assert (there.worth == guide.worth[kinds]).all()
        told = [
            [kind for kind in guide.kinds[slice(*ends)] if kind in kinds]
            for ends in pairwise(guide.starts)
        ]
        ours = [[*kinds[there.kinds[slice(*ends)]]] for ends in pairwise(there.starts)]
        assert ours == [each for each in told if each] and bool(ours) == (l > 1)


def test_with_prices_and_threads_releases_are_as_good() -> None:
    table, objective = _problem(np.random.default_rng(8), 900)
    prices = _priced(table, objective, KAnonymity(20))
    params = replace(RUIN_AND_RECREATE_PARAMS, round=0.05, least_groups=5)
    start = Partition.coarsest(table, objective).value(table, objective)
    values = [
        ruin_and_recreate(
            table,
            KAnonymity(20),
            objective=objective,
            proposals=60,
            assistance=Assistance(told, threads=threads),
            params=params,
        ).value
        for told, threads in ((None, 1), (None, 2), (prices, 2))
    ]
    assert max(values) < 1.1 * min(values) < 0.7 * start


def test_kept_columns_stay_as_they_are() -> None:
    table, objective = _problem(np.random.default_rng(7), 60)
    kept = Objective("gcp", keep=("r",), scales=objective.scales)
    found = ruin_and_recreate(table, KAnonymity(3), objective=kept, proposals=20)
    assert found.best is not None
    assert found.best.violation(table, KAnonymity(3), kept) is None


@pytest.mark.parametrize("most", [512, 0])
def test_no_node_above_the_highest_level_is_published(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "starmin.heuristics.ruin_and_recreate.ruin_rows._MOST_POSITIONS", most
    )
    table, _ = _problem(np.random.default_rng(9), 120)
    scales = Scales.of(table, ["q"], {"p": TREE}, max_levels={"p": 1})
    objective, requirement = Objective("gcp", scales=scales), KAnonymity(3)
    start = Partition.coarsest(table, objective)
    found = ruin_and_recreate(
        table, requirement, objective=objective, initial=start, proposals=20
    )
    assert found.best is not None
    assert found.value is not None
    assert found.best.violation(table, requirement, objective) is None
    assert found.value < start.value(table, objective)


def test_several_sensitive_columns_are_refused() -> None:
    rows = [["1", "u", "v"], ["2", "x", "y"]]
    table = Table.from_rows(["a", "b", "c"], rows, qi=["a"], sensitive=["b", "c"])
    with pytest.raises(NotSupportedError):
        ruin_and_recreate(table, LDiversity(2), objective=Objective("gcp"))


@pytest.mark.parametrize("l", [1, 2])
def test_one_large_group_is_cut_into_small_valid_ones(l: int) -> None:
    table, objective = _problem(np.random.default_rng(l), 5_000)
    requirement = LDiversity(l) if l > 1 else KAnonymity(3)
    run = Run(table, requirement, objective)
    problem = RuinRows.of(run, 4, np.random.default_rng(0))
    state = group_state(problem, Partition.single(table), None)
    groups = Partition.from_labels(state.group)
    assert groups.violation(table, requirement, objective) is None
    assert groups.sizes.max() < 2 * problem.k


def test_neighbours_are_not_looked_for_beyond_the_time() -> None:
    rng = np.random.default_rng(1)
    table, objective = _problem(rng, 60)
    with pytest.raises(TimeoutError):
        RuinRows.of(Run(table, KAnonymity(3), objective, -1.0), 4, rng)


@pytest.mark.parametrize("priced", [False, True])
@pytest.mark.parametrize("seed", seeds(15))
def test_no_release_is_below_the_optimum_or_worse_than_the_start(seed, priced):
    _, table, objective, k, l = random_problem(seed)
    requirement = ask(k, l)
    optimum = brute_force(table, requirement, objective).value
    if optimum is None:
        return
    run = Run(table, requirement, objective)
    run.offer(Partition.coarsest(table, objective))
    start = run.value
    prices = None
    if priced:
        kinds = table.sensitive_types if l > 1 else table.row_types
        most = 2 * PriceUnit.of(table, objective).per_cost * start // table.n
        prices = np.random.default_rng(seed).integers(0, most + 1, len(kinds))
    with Threads(2) as threads:
        params = PartParams(proposals=20, rounds=3)
        RuinInParts(run, seed, params, prices).improve(threads, 2, math.inf)
    assert optimum <= run.value <= start
    assert run.best.violation(table, requirement) is None


@pytest.mark.parametrize("requirement", [KAnonymity(3), LDiversity(2), ask(4, 3)])
def test_parts_together_are_a_release_that_gains(requirement):
    table = clustered(300, 4, 6, seed=1, sensitive=5)
    objective = Objective("gcp", scales=Scales.of(table, []))
    values = []
    for parts in 1, 3:
        run = Run(table, requirement, objective)
        groups = np.arange(table.n) * 5 // table.n
        run.offer(Partition.coarsest(table, objective))
        run.offer(Partition.from_labels(groups))
        before = run.value
        with Threads(parts) as threads:
            params = PartParams(proposals=20, rounds=4, hot=0.1)
            RuinInParts(run, 1, params).improve(threads, parts, math.inf)
        assert run.value < before
        values.append(run.value)
    assert max(values) <= 1.1 * min(values)


def test_without_time_the_release_stays():
    table = clustered(60, 3, 4, seed=2, sensitive=3)
    objective = Objective("gcp", scales=Scales.of(table, []))
    run = Run(table, KAnonymity(3), objective)
    run.offer(Partition.coarsest(table, objective))
    before = run.value
    with Threads(2) as threads:
        RuinInParts(run, 0).improve(threads, 2, 0.0)
    assert run.value == before


def test_groups_of_any_size_are_broken_up():
    """Rows of two values each that cannot be cut: a move makes hundreds of groups."""
    rows = [[*f"{i // 4000}{i % 2}", f"{i // 4000}{i % 8 // 2}"] for i in range(8000)]
    table = Table.from_rows(["a", "b", "s"], rows, ["a", "b"], ["s"])
    start = Partition(np.repeat(np.arange(2), 4000))
    asked = KAnonymity(5) & LDiversity(4)
    given = {"initial": start, "time_limit": 1.0, "seed": 1}
    found = ruin_and_recreate(table, asked, **given)
    assert found.value == found.best.value(table, STARS) <= start.value(table, STARS)
