"""Tests that recombined releases are valid, never worse, and optimal where small."""

import itertools
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from starmin.heuristics.annealing.pattern_annealing import Annealer
from starmin.heuristics.large_neighbourhood import release_parts as parts
from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    RECOMBINATION_PARAMS,
)
from starmin.heuristics.large_neighbourhood.recombination import (
    Offspring,
    Programs,
    Recombination,
)
from starmin.heuristics.large_neighbourhood.release_parts import crossover
from starmin.heuristics.orders.suppression import offer_sorted
from starmin.instances import STARS, Objective, Partition, Release, Run, Scales, Table
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.cores import Threads
from starmin.models.pattern_program.pattern_program import partition_of_loads
from starmin.models.pricing.pool_sources import PatternPool, pattern_pool
from starmin.verify.brute_force import brute_force
from starmin.verify.releases.release_check import check_release
from tests.support.effort import seeds
from tests.support.small_problems import ask, random_bounds, random_table


def _problem(seed: int) -> tuple[Run, PatternPool, int, int] | None:
    """A random problem that has a solution, its pool, and the requirement."""
    rng = random.Random(seed)
    table = random_table(rng, 4, 11)
    table = table.with_roles(table.qi, table.sensitive[:1])
    k, l = random_bounds(rng)
    kind = rng.choice([STARS, Objective("gcp", scales=Scales.of(table, (), {}))])
    run = Run(table, ask(k, l), kind)
    coarsest = Partition.coarsest(table, kind)
    if coarsest.violation(table, run.requirement, kind):
        return None
    run.offer(coarsest)
    return run, pattern_pool(run, initial=run.best), k, l


def _holds(run: Run, release: Partition) -> bool:
    published = Release(run.table, release).published
    return check_release(published, run.requirement, run.table).holds


@pytest.mark.parametrize("seed", seeds(20))
def test_crossover_is_valid_and_costs_no_more_than_either(seed: int) -> None:
    if (problem := _problem(seed)) is None:
        return
    run, pool, k, l = problem
    patterns, annealer = pool.patterns, Annealer(run, pool, seed)
    cost = patterns.cost[patterns.pattern]
    found = []
    for heat in (1.0, 0.3):
        annealer.propose(heat)
        found.append(annealer.loads())
    first, second = found
    merged = crossover(patterns, first, second, k, l)
    assert merged @ cost <= min(first @ cost, second @ cost)
    copies = np.bincount(patterns.types, merged, minlength=len(pool.types))
    assert (copies == pool.types.counts).all()
    release = partition_of_loads(patterns, merged)
    assert _holds(run, release)
    if l > 1 or len(pool.types) > 8:
        return
    # All ways to take each type from one of the two, by brute force.
    best = min(
        hybrid @ cost
        for choice in itertools.product([False, True], repeat=len(pool.types))
        for hybrid in [np.where(np.array(choice)[patterns.types], first, second)]
        if all(held == 0 or held >= k for held in np.bincount(patterns.pattern, hybrid))
    )
    assert merged @ cost >= best


def test_regions_are_chosen_one_by_one() -> None:
    rows = [[f"{i}", x] for i in range(6) for x in "aabb"]
    table = Table.from_rows("ix", rows, qi="ix")
    run = Run(table, ask(2, 1))
    run.offer(Partition.coarsest(table, STARS))
    pool = pattern_pool(run, initial=run.best)
    patterns = pool.patterns
    pairs = patterns.starred.sum(axis=1)[patterns.pattern] == 0
    by_i = (patterns.starred == [False, True]).all(axis=1)[patterns.pattern]
    odd = pool.types.codes[patterns.types][:, 0] % 2 == 0
    copies = patterns.counts[patterns.types]
    first = np.where(np.where(odd, pairs, by_i), copies, 0)
    second = np.where(np.where(odd, by_i, pairs), copies, 0)
    merged = crossover(patterns, first, second, 2)
    assert first @ patterns.cost[patterns.pattern] == 12
    assert merged @ patterns.cost[patterns.pattern] == 0


def test_it_ends_at_the_optimum_of_nearly_all_small_tables() -> None:
    missed, solved = 0, 0
    for seed in range(20):
        if (problem := _problem(seed)) is None:
            continue
        run, pool, *_ = problem
        oracle = brute_force(run.table, run.requirement, objective=run.objective)
        recombination = Recombination(run, pool, seed)
        with ThreadPoolExecutor(2) as threads:
            recombination.improve(threads, 2, 60.0)
        assert recombination.exhausted or run.closed
        assert run.best is not None and _holds(run, run.best)
        assert oracle.value is not None and run.value is not None
        assert oracle.value <= run.value
        missed, solved = missed + (run.value > oracle.value), solved + 1
    assert solved >= 10 and missed <= solved // 10


def test_what_is_annealed_when_time_is_up_is_waited_for() -> None:
    problem = _problem(1)
    assert problem is not None
    run, pool, *_ = problem
    before, recombination = run.value, Recombination(run, pool, 0)
    with ThreadPoolExecutor(1) as threads:
        recombination.improve(threads, 1, 0.0)
    assert recombination.releases and run.value is not None and before is not None
    assert run.value <= before
    assert run.best is not None
    assert (recombination.best == pool.loads(run, run.best)).all()


def _clustered(k: int) -> tuple[Run, PatternPool, np.ndarray]:
    """A table of some hundred row types, its pool, and an annealed release."""
    table = clustered(1500, 6, 4, seed=k)
    run = Run(table, ask(k, 1), STARS)
    offer_sorted(run)
    pool = pattern_pool(run, initial=run.best)
    annealer = Annealer(run, pool, 1)
    annealer.propose(1.5, 4)
    return run, pool, annealer.loads()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_generation_is_the_same_for_any_number_of_threads(k, monkeypatch) -> None:
    monkeypatch.setattr(parts, "LEAST_TYPES", 30)
    run, pool, parent = _clustered(k)
    cost = pool.patterns.cost[pool.patterns.pattern]
    found = []
    for slots in (1, 2, 5):
        offspring = Offspring(run, pool, 7, RECOMBINATION_PARAMS)
        with Threads(slots) as threads:
            best = parent
            for _ in range(2):
                born = list(offspring.generation(threads, slots, best))
                best = min(
                    (child.better for child in born), key=lambda each: each @ cost
                )
        found.append([(child.loads, child.better) for child in born])
        assert best @ cost < parent @ cost
    for one in found[1:]:
        for mine, first in zip(one, found[0], strict=True):
            assert all((a == b).all() for a, b in zip(mine, first, strict=True))
    for loads, better in found[0]:
        assert better @ cost <= loads @ cost
        for each in (loads, better):
            assert _holds(run, partition_of_loads(pool.patterns, each))


def test_parts_are_whole_groups_and_all_of_them(monkeypatch) -> None:
    monkeypatch.setattr(parts, "LEAST_TYPES", 30)
    _, pool, parent = _clustered(4)
    cutting, pattern = parts.Parts(pool, 4), pool.patterns.pattern
    assert cutting.count >= 4
    cut = cutting.cut(parent, np.random.default_rng(0))
    assert sorted(np.concatenate(cut)) == np.flatnonzero(parent).tolist()
    groups = [set(pattern[used]) for used in cut]
    assert sum(map(len, groups)) == len(set.union(*groups))
    for used in cut:
        part = cutting.part(parent, used)
        assert part is not None
        whole, inside = part.incidences, part.pool.patterns
        held = np.zeros_like(parent)
        held[whole] = part.loads
        expected = np.where(np.isin(np.arange(len(parent)), used), parent, 0)
        assert (held == expected).all()
        assert (inside.support >= 4).all()
        assert (inside.cost[inside.pattern] == pool.patterns.cost[pattern[whole]]).all()
        own = part.pool.types.codes[inside.types]
        assert (own == pool.types.codes[pool.patterns.types[whole]]).all()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_components_come_to_what_their_program_does(k) -> None:
    run, pool, best = _clustered(k)
    cost = pool.patterns.cost[pool.patterns.pattern]
    annealer = Annealer(run, pool, 3, loads=best)
    annealer.batch = 100
    annealer.propose(0.0)
    other = annealer.loads()
    free = np.zeros(len(pool.types), bool)
    free[pool.patterns.types[best != other]] = True
    programs = Programs(pool, best, other > 0, k, 1, 60.0)
    whole = programs.components(free, 10**9)
    apart = programs.components(free, 1)
    assert len(whole) == 1 < len(apart)
    assert (sum(each.astype(int) for each in apart) == free).all()
    gains, merged = [], best.copy()
    for each in (*whole, *apart):
        found, _ = programs.solve(each, 0)
        assert found is not None
        gains.append((best - found) @ cost)
        merged += found - best if len(gains) > 1 else 0
    assert gains[0] == sum(gains[1:]) > 0
    assert _holds(run, partition_of_loads(pool.patterns, merged))
