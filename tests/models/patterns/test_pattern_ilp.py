"""Tests that the pattern models and their kernel search are exact, and end well."""

import math
import random

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Run,
    Status,
    Table,
    why_infeasible,
)
from starmin.instances.catalogue.generators import clustered, uniform
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.bounds.pattern_lp import pattern_lp, write_program
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.pattern_ilp.pattern_subsets import pattern_subsets
from starmin.models.pattern_program.cut_separation import group_cuts
from starmin.models.pattern_program.destroy_operators import round_relaxation
from starmin.models.pattern_program.kernel_search import (
    Strengthened,
    kernel_search,
    reduced_cost_fixing,
)
from starmin.models.pattern_program.neighbourhood import neighbourhood
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    cut_rows,
    loads_of,
    open_pattern_flow,
    partition_of,
    partition_of_loads,
    pattern_program,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.mip_search import (
    KernelSearchParams,
    RestrictedSearch,
    Restriction,
)
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import seeds
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)


def feasible_problem(seed: int, n: int) -> tuple[Table, int, int]:
    """A clustered table and a requirement (k, l) that it can satisfy."""
    rng = random.Random(seed)
    while True:
        table = clustered(n, 3, 4, seed=rng.randrange(10**6), sensitive=3)
        k, l = random_bounds(rng)
        if why_infeasible(table, ask(k, l)) is None:
            return table, k, l


def program_of(table: Table, k: int, l: int) -> PatternProgram:
    types = table.sensitive_types if l > 1 else table.row_types
    return pattern_program(closed_patterns(table, types, STARS, k, l), k, l)


@pytest.mark.parametrize("seed", seeds(20))
def test_equals_brute_force_with_weights_and_several_sensitive_columns(
    seed: int,
) -> None:
    rng = random.Random(seed)
    table = random_table(rng, 2, 9)
    requirement = ask(*random_bounds(rng))
    objective = random_objective(rng, table, "stars")
    oracle = brute_force(table, requirement, objective)
    result = pattern_ilp(table, requirement, objective=objective)
    assert result.value == oracle.value
    assert result.status == oracle.status
    if result.best is None:
        return
    assert result.best.value(table, objective) == result.value
    bound = pattern_lp(table, requirement, objective=objective)
    weaker = own_pattern(table, requirement, objective=objective)
    assert weaker.lower_bound <= bound.lower_bound <= result.value
    for each in (bound, weaker):
        check = check_certificate(each.certificate, table, requirement, objective)
        assert check.accepted, check.why


@pytest.mark.parametrize("k", [2, 3, 5])
def test_cuts_hold_for_every_optimum_and_raise_the_bound(k: int) -> None:
    raised = 0
    for seed in range(6):
        table = clustered(36, 4, 4, seed=seed)
        optimum = pattern_ilp(table, KAnonymity(k))
        program = program_of(table, k, 1)
        solver = LinearSolver(program.program)
        first = solver.solve(60.0)
        assert first is not None
        found = group_cuts(program, first.x)
        if not found:
            continue
        assert all(len(set(cut.types)) == len(cut.types) for cut in found)
        cuts = cut_rows(program, found)
        loads = loads_of(table, STARS, program.patterns, optimum.best)
        point = program.point(loads)
        left = np.bincount(
            cuts.row, cuts.value * point[cuts.column], minlength=len(cuts.upper)
        )
        assert (left <= cuts.upper + 1e-9).all()
        solver.add(cuts)
        second = solver.solve(60.0)
        assert second.value <= optimum.value + 1e-6
        raised += second.value > first.value + 1e-6
    assert raised > 0


@pytest.mark.parametrize("seed", range(8))
def test_what_a_release_uses_costs_no_less_than_it_must(seed: int) -> None:
    table, k, l = feasible_problem(seed, 30)
    optimum = pattern_ilp(table, ask(k, l))
    program = program_of(table, k, l)
    solution = LinearSolver(program.program).solve(60.0)
    loads = loads_of(table, STARS, program.patterns, optimum.best)
    used = loads > 0
    assert (reduced_cost_fixing(program, solution)[used] <= optimum.value + 1e-6).all()


@pytest.mark.parametrize("seed", range(10))
def test_open_patterns_of_an_optimum_admit_no_cheaper_flow(seed: int) -> None:
    table = uniform(24, 3, 3, seed=seed)
    optimum = pattern_ilp(table, KAnonymity(3))
    patterns = closed_patterns(table, table.row_types, STARS, 3)
    loads = loads_of(table, STARS, patterns, optimum.best)
    is_open = np.bincount(patterns.pattern, loads, minlength=len(patterns)) > 0
    flow = open_pattern_flow(patterns, is_open, 3)
    assert flow @ patterns.cost[patterns.pattern] == optimum.value
    again = partition_of_loads(patterns, flow)
    assert again.value(table) == optimum.value


@pytest.mark.parametrize("seed", range(20))
def test_a_part_with_everything_free_is_the_whole(seed: int) -> None:
    rng = random.Random(seed)
    table, k, l = feasible_problem(seed, 30)
    optimum = pattern_ilp(table, ask(k, l))
    types = table.sensitive_types if l > 1 else table.row_types
    program = program_of(table, k, l)
    loads = loads_of(table, STARS, program.patterns, Partition.single(table))
    every = np.ones(program.incidences, bool)
    cost = program.patterns.cost[program.patterns.pattern]
    for share in (0.3, 0.6, 1.0):
        free = np.array([rng.random() < share for _ in range(len(types))])
        part = neighbourhood(program.patterns, k, l, loads, free, every)
        start = part.point(loads)
        rows = part.program.program.rows
        for block in rows:  # the release itself is a point of the part
            left = np.bincount(
                block.row, block.value * start[block.column], minlength=len(block.lower)
            )
            assert (left >= block.lower - 1e-9).all()
            assert (left <= block.upper + 1e-9).all()
        moved = part.loads(loads, start)
        assert moved.tolist() == loads.tolist()
    assert loads @ cost >= optimum.value


@pytest.mark.parametrize("seed", range(20))
def test_rounding_the_relaxation_gives_a_release(seed: int) -> None:
    table, k, l = feasible_problem(seed, 60)
    program, requirement = program_of(table, k, l), ask(k, l)
    solution = LinearSolver(program.program).solve(60.0)
    every = np.ones(program.incidences, bool)
    loads = round_relaxation(program, solution.x, every, 20.0)
    # All incidences are useful here, so putting everything into one pattern is open.
    assert loads is not None
    partition = partition_of_loads(program.patterns, loads)
    start = pattern_ilp(table, requirement, initial=partition, time_limit=0.0)
    assert start.value == partition.value(table)


def test_time_limit_zero_still_publishes() -> None:
    table = uniform(200, 4, 4, seed=1)
    result = pattern_ilp(table, KAnonymity(5), time_limit=0.0)
    assert result.best is not None
    assert result.status.value == "feasible"
    assert result.limit.value == "time"


def test_kept_columns_are_never_starred() -> None:
    table = clustered(60, 4, 3, seed=3)
    objective = Objective(keep=(table.qi[0],))
    result = pattern_ilp(table, KAnonymity(3), objective=objective)
    assert not result.best.starred(table)[:, 0].any()


def test_an_initial_release_is_never_lost() -> None:
    table = uniform(60, 3, 3, seed=5, sensitive=3)
    optimum = pattern_ilp(table, LDiversity(2))
    again = pattern_ilp(table, LDiversity(2), initial=optimum.best, time_limit=0.0)
    assert again.value == optimum.value


def test_subsets_of_more_than_twenty_patterns_are_searched():
    """Three columns of two symbols have 27 patterns; flows decide on all subsets."""
    rng = np.random.default_rng(27)
    most, subsets = 0, 0
    for _ in range(30):
        n, k = int(rng.integers(20, 80)), int(rng.integers(2, 8))
        rows = [[str(int(x < 0.3)) for x in rng.random(3)] for _ in range(n)]
        table = Table.from_rows(["a", "b", "c"], rows, qi=["a", "b", "c"])
        found = pattern_subsets(table, KAnonymity(k))
        assert found.status is Status.OPTIMAL
        assert found.value == pattern_ilp(table, KAnonymity(k)).value
        patterns = closed_patterns(table, table.row_types, STARS, k)
        most = max(most, len(patterns))
        subsets = max(subsets, found.stats["flows"])
    assert most > 20 and subsets < 1000  # of 2^20 and more


def begin(table, requirement) -> tuple[Run, Strengthened]:
    """The problem with all rows in one group; nothing is known of its incidences."""
    run = Run(table, requirement)
    run.offer(Partition.single(table))
    program = write_program(run)
    nothing = np.zeros(program.incidences)
    return run, Strengthened(run, program, (), nothing, nothing, 0)


@pytest.mark.parametrize("outside", [0.0, 2.0, math.inf])
def test_what_lies_outside_limits_the_bound(outside):
    """A search of the incumbent's columns alone knows nothing of better releases."""
    table = clustered(12, 3, 3, seed=2)
    run, problem = begin(table, KAnonymity(2))
    before, program = run.lower_bound, problem.program
    stars = program.patterns.starred.all(axis=1)
    used = stars[program.patterns.pattern]
    columns = np.concatenate(
        [used, stars[program.pattern_of_columns()[program.incidences :]]]
    )
    found = []
    restriction = Restriction(
        program.program, columns, found.append, least_outside=outside
    )
    search = RestrictedSearch(run, restriction, 20.0, 0.05, seed=0)
    while search.poll(0.1):
        pass
    assert run.lower_bound == max(before, min(outside, run.value))
    for point in found:
        assert not point[~columns].any() and program.program.holds(point)
        release = partition_of(program, point)
        assert release.value(table) == run.value == Partition.single(table).value(table)


# Kernels of any size, and a whole that is always or never begun anew.
PARAMS = [
    KernelSearchParams(),
    KernelSearchParams(kernel_size=1, restart_share=2.0, pause=0.0),
    KernelSearchParams(kernel_size=2, kernel_share=0.01, neighbourhood_size=2),
]


@pytest.mark.parametrize("params", PARAMS)
def test_it_ends_with_the_optimum_whatever_the_kernel(params):
    for seed in range(25):
        rng = random.Random(seed)
        table, requirement = random_table(rng, 3, 8), ask(*random_bounds(rng))
        optimum = brute_force(table, requirement).value
        if optimum is None:
            continue
        run, problem = begin(table, requirement)
        assert kernel_search(problem, params)
        assert run.value == run.lower_bound == optimum


def test_it_stops_where_the_time_is_up():
    run, problem = begin(clustered(60, 4, 4, seed=1), KAnonymity(3))
    run.time_limit = 0.0
    assert not kernel_search(problem, KernelSearchParams())
    assert run.best is not None and run.lower_bound <= run.value
