"""Tests that neighbourhoods are what their operators say, and never lose.

Those of row types (a program's) and those of whole groups (a dive's) alike: what is
solved is dealt back into the release, which is checked from its rows.
"""

import math
from collections import Counter

import numpy as np
import pytest

from starmin.heuristics.diving.group_neighbourhoods import (
    GroupNeighbourhoods,
    mean_places,
)
from starmin.heuristics.orders.suppression import (
    lexicographic_suppression,
    offer_sorted,
)
from starmin.instances import STARS, Release, Requirement, Run, Table
from starmin.instances.catalogue.generators import clustered
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.pattern_program.destroy_operators import DestroyOperators
from starmin.models.pattern_program.neighbourhood import (
    Ints,
    WholeGroups,
    neighbourhood,
    random_order,
)
from starmin.models.pattern_program.pattern_program import loads_of, partition_of_loads
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.pricing.pool_sources import PatternPool, pattern_pool
from starmin.verify.releases.release_check import check_release
from tests.support.small_problems import ask

BOUNDS = [(3, 1), (1, 2), (4, 2), (1, 3)]


def start(k: int, l: int, seed: int, n: int = 150) -> tuple[Run, PatternPool, Ints]:
    """A release cut along sorted rows, as copies by incidence of a pool."""
    table = clustered(n, 5, 4, centres=6, sensitive=6, seed=seed)
    run = Run(table, ask(k, l), STARS)
    offer_sorted(run)
    pool = pattern_pool(run, initial=run.best)
    loads = loads_of(table, STARS, pool.patterns, run.best)
    return run, pool, loads


def expect_release(run: Run, pool: PatternPool, loads: Ints) -> None:
    """All rows are dealt once, and the groups satisfy the requirement."""
    m = len(pool.types)
    dealt = np.bincount(pool.patterns.types, loads, minlength=m)
    assert (loads >= 0).all() and (dealt == pool.types.counts).all()
    release = partition_of_loads(pool.patterns, loads)
    assert release.value(run.table) <= cost(pool, loads)
    published = Release(run.table, release).published
    check = check_release(published, run.requirement, run.table)
    assert check.holds and check.consistent


def cost(pool: PatternPool, loads: Ints) -> int:
    return int(loads @ pool.patterns.cost[pool.patterns.pattern])


def operators(k: int, l: int, pool: PatternPool, seed: int) -> DestroyOperators:
    useful = np.ones(len(pool.patterns.types), bool)
    rng = np.random.default_rng(seed)
    return DestroyOperators(pool.patterns, k, l, useful, rng)


@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_parts_of_types_gain_and_leave_other_rows_where_they_are(k, l):
    run, pool, loads = start(k, l, seed=k + l)
    parts = operators(k, l, pool, seed=1)
    parts.sizes[:] = 25
    was = cost(pool, loads)
    for step in range(10):
        busy = np.zeros(len(pool.types), bool)
        busy[step % 5 :: 5] = True
        part = parts.propose(loads, 60.0, busy)
        assert not (part.free & busy).any()
        # The start of the program is the release as it is.
        assert (part.problem.loads(loads, part.start) == loads).all()
        found, seconds = part.solve()
        after = part.problem.loads(loads, found)
        fixed = ~part.free[pool.patterns.types]
        assert (after[fixed] == loads[fixed]).all()
        assert cost(pool, after) <= cost(pool, loads)
        expect_release(run, pool, after)
        merged = parts.merge(loads, part, found, seconds)
        gain = cost(pool, loads) - cost(pool, after)
        assert merged is None if gain == 0 else (merged == after).all()
        loads = loads if merged is None else merged
    assert cost(pool, loads) < was
    assert not parts.complete


@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_parts_that_were_solved_side_by_side_are_merged_or_refused(k, l):
    """Both are proposed for the same release; what the second breaks is not taken."""
    run, pool, loads = start(k, l, seed=7)
    parts = operators(k, l, pool, seed=2)
    parts.sizes[:] = 20
    for _ in range(3):
        first = parts.propose(loads, 60.0)
        second = parts.propose(loads, 60.0, first.free)
        for part in (first, second):
            if part is None:
                continue
            merged = parts.merge(loads, part, *part.solve())
            if merged is not None:
                assert cost(pool, merged) < cost(pool, loads)
                expect_release(run, pool, merged)
                loads = merged


def test_a_solution_that_is_no_release_any_more_is_refused():
    """The rows on which a part counted have left meanwhile."""
    _, pool, loads = start(3, 1, seed=3)
    parts = operators(3, 1, pool, seed=3)
    free = np.zeros(len(pool.types), bool)
    broken, pattern = loads.copy(), pool.patterns.pattern
    paying = np.flatnonzero(loads * pool.patterns.cost[pattern])
    free[pool.patterns.types[paying]] = True
    for kind in parts.kinds:
        marked = kind(loads, 15)
        assert 0 < marked.sum() <= 15 and marked.dtype == bool
    problem = parts.around(loads, free)
    part = parts.propose(loads, 60.0)
    point = problem.point(loads)
    # One row of a group of k is dropped: cheaper, and no release.
    whole = np.bincount(pattern, loads, minlength=len(pool.patterns))
    at = next(i for i in paying if whole[pattern[i]] == 3)
    broken[at] -= 1
    object.__setattr__(part, "problem", problem)
    for column, incidence in enumerate(problem.incidences):
        point[column] = broken[incidence]
    assert parts.merge(loads, part, point, 1.0) is None


def test_the_whole_is_complete():
    run, pool, loads = start(3, 1, seed=4, n=24)
    parts = operators(3, 1, pool, seed=4)
    parts.sizes[:], parts.part_limit = 10_000, math.inf
    while not parts.complete:
        part = parts.propose(loads, 600.0)
        merged = parts.merge(loads, part, *part.solve())
        loads = loads if merged is None else merged
    optimum = pattern_ilp(run.table, run.requirement).value
    assert cost(pool, loads) == optimum


@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_what_is_fixed_counts_on_the_right_hand_sides(k, l):
    """Copies that stay are counted once for each pattern, and by sensitive value."""
    _, pool, loads = start(k, l, seed=5)
    rng = np.random.default_rng(5)
    patterns, types = pool.patterns, pool.types
    useful = np.ones(len(patterns.types), bool)
    free = np.zeros(len(types), bool)
    free[rng.choice(len(types), 6, replace=False)] = True
    problem = neighbourhood(patterns, k, l, loads, free, useful)
    assert (problem.incidences == np.flatnonzero(free[patterns.types])).all()
    fixed = np.where(free[patterns.types], 0, loads)
    inside = np.unique(patterns.pattern[problem.incidences])
    held = np.bincount(patterns.pattern, fixed, minlength=len(patterns))[inside]
    assert (problem.held == held).all()
    if l > 1:
        own = types.sensitive[patterns.types, 0]
        for p, counts in zip(inside, problem.held_values[0], strict=True):
            here = patterns.pattern == p
            assert (counts == np.bincount(own[here], fixed[here], len(counts))).all()


def test_whole_groups_are_counted_by_rows():
    _, pool, loads = start(3, 1, seed=0)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        patterns, excess = pool.patterns, rng.random(len(loads))
        groups = WholeGroups.of_loads(patterns, loads, excess)
        used = np.flatnonzero(loads)
        rows, types_of = Counter(), {}
        for i, g in zip(used, groups.of, strict=True):
            rows[g] += loads[i]
            types_of.setdefault(g, set()).add(int(patterns.types[i]))
        assert len(rows) == len(set(patterns.pattern[used].tolist()))
        values = rng.random(len(used))
        for g, mean in enumerate(groups.mean(values)):
            weights = groups.copies * (groups.of == g)
            assert mean == pytest.approx(values @ weights / rows[g])
        score, most = rng.random(len(rows)), int(rng.integers(1, 40))
        chosen = set(groups.first(score, most).tolist())
        expected: set[int] = set()
        for g in sorted(types_of, key=lambda g: score[g]):
            if len(types_of[g]) > most:
                continue
            if len(expected | types_of[g]) > most:
                break
            expected |= types_of[g]
        assert chosen == expected and len(chosen) <= most


def test_a_random_order_is_one_and_mean_places_follow_it():
    rng = np.random.default_rng(0)
    _, pool, loads = start(1, 2, seed=6)
    codes, patterns = pool.types.codes, pool.patterns
    for seed in range(5):
        order = random_order(codes, np.random.default_rng(seed))
        assert sorted(order.tolist()) == list(range(len(codes)))
        places = mean_places(patterns, loads, np.random.default_rng(seed))
        where = {int(t): i for i, t in enumerate(order)}
        p = int(rng.choice(patterns.pattern[loads > 0]))
        here = np.flatnonzero((patterns.pattern == p) & (loads > 0))
        rows = [w for i in here for w in [where[int(patterns.types[i])]] * loads[i]]
        assert places[p] == pytest.approx(np.mean(rows))


@pytest.mark.parametrize(("k", "l"), [(1, 2), (4, 2), (1, 3)])
def test_parts_of_groups_gain_and_leave_other_groups_alone(k, l):
    run, pool, loads = start(k, l, seed=k + l)
    parts = GroupNeighbourhoods(pool, k, l, np.random.default_rng(1))
    parts.rows[:] = 60
    patterns, was = pool.patterns, cost(pool, loads)
    for step in range(8):
        busy = np.zeros(len(pool.types), bool)
        busy[step % 7 :: 7] = True
        dive = parts.propose(loads, 60.0, busy)
        if dive is None:
            continue
        part = dive.part
        # Whole groups, none with a row of a busy type.
        mine = np.zeros_like(loads)
        mine[part.incidences] = part.loads
        chosen = np.unique(patterns.pattern[mine > 0])
        inside = np.isin(patterns.pattern, chosen)
        assert (mine == np.where(inside, loads, 0)).all()
        assert not busy[patterns.types[mine > 0]].any()
        assert part.cost(part.loads) == cost(pool, mine)
        found, seconds = dive.solve()
        after = loads.copy()
        after[part.incidences] += found - part.loads
        expect_release(run, pool, after)  # at any cost: all rows are in groups
        same = np.bincount(patterns.types, after - loads, minlength=len(pool.types))
        assert not same.any()
        merged = parts.merge(loads, dive, found, seconds)
        if part.cost(found) < part.cost(part.loads):
            assert (merged == after).all()
            loads = merged
        else:
            assert merged is None
    assert cost(pool, loads) < was
    whole = parts.whole(loads, 60.0)
    assert whole.part.loads.sum() == run.table.n and whole.free.all()


def begin(k: int, l: int, seed: int) -> tuple[Table, Requirement, DestroyOperators]:
    table = clustered(80, 3, 4, seed=seed, sensitive=4)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, STARS, k, l)
    useful = np.ones(len(patterns.types), bool)
    rng = np.random.default_rng(seed)
    return table, ask(k, l), DestroyOperators(patterns, k, l, useful, rng)


def release(table: Table, requirement: Requirement, operators: DestroyOperators):
    best = lexicographic_suppression(table, requirement).best
    loads = loads_of(table, STARS, operators.patterns, best)
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
        found = partition_of_loads(operators.patterns, better)
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
