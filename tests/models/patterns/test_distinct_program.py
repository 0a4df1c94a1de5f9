"""Tests that the pattern formulation under distinct l-diversity is exact."""

import random
from dataclasses import replace
from functools import reduce
from operator import and_

import numpy as np
import pytest

from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.instances import (
    STARS,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Run,
    Table,
)
from starmin.instances.catalogue.generators import clustered
from starmin.models.distinct.distinct_reduction import (
    Reduction,
    distinct_program,
    lending_flow,
    smallest_reduction,
)
from starmin.models.distinct.distinct_search import (
    DistinctNeighbourhoods,
    repair_by_merging,
)
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.pattern_program.pattern_program import loads_of, partition_of_loads
from starmin.models.solvers.linear_solver import LinearSolver, LpSolution
from starmin.registry import supporting
from starmin.verify.brute_force import brute_force
from tests.support.effort import patiently
from tests.support.small_problems import random_objective, random_table

TABLES = 60


def random_requirement(rng: random.Random) -> Requirement:
    parts: list[Requirement] = [DistinctDiversity(rng.choice([2, 2, 3]))]
    if rng.random() < 0.5:
        parts.append(KAnonymity(rng.randint(2, 4)))
    if rng.random() < 0.2:
        parts.append(LDiversity(2))
    return reduce(and_, parts)


def test_equals_brute_force():
    feasible = 0
    for seed in range(TABLES):
        rng = random.Random(seed)
        table, requirement = random_table(rng, 2, 9), random_requirement(rng)
        objective = random_objective(rng, table, "stars")
        optimum = brute_force(table, requirement, objective).value
        result = pattern_ilp(table, requirement, objective=objective)
        assert result.value == optimum and result.limit is None
        if optimum is None:
            assert result.reason
            continue
        assert result.lower_bound == result.best.value(table, objective) == optimum
        feasible += 1
    assert feasible > TABLES / 3


@pytest.mark.parametrize("seed", range(5))
def test_the_forms_are_ordered(seed):
    table = clustered(24, 3, 4, seed=seed, sensitive=3)
    distinct, size = DistinctDiversity(2), KAnonymity(3)
    values = [
        pattern_ilp(table, requirement).value
        for requirement in (KAnonymity(2), distinct, distinct & size)
    ]
    assert values == sorted(values)
    frequency = pattern_ilp(table, LDiversity(2)).value
    assert frequency is None or frequency >= values[1]


def test_a_limit_leaves_a_release_and_a_bound():
    table = clustered(300, 4, 5, seed=1, sensitive=4)
    start = Partition.single(table)
    none = pattern_ilp(table, DistinctDiversity(3), time_limit=0)
    assert none.limit.value == "time" and none.value == start.value(table)
    some = patiently(
        lambda seconds: pattern_ilp(
            table, DistinctDiversity(3), time_limit=seconds, initial=start
        ),
        lambda some: some.lower_bound > 0,
        1.5,
    )
    assert 0 < some.lower_bound <= some.value <= none.value


def test_it_is_registered():
    requirement = KAnonymity(2) & DistinctDiversity(2)
    assert "pattern_ilp" in {m.name for m in supporting(requirement, STARS, "exact")}


def test_too_many_pairs_are_refused(monkeypatch):
    table = Table.from_rows(["a", "s"], [["0", "x"], ["1", "y"]], ["a"], ["s"])
    monkeypatch.setattr("starmin.models.distinct.distinct_search.MAX_INCIDENCES", 1)
    with pytest.raises(NotSupportedError, match="at most 1 pairs"):
        pattern_ilp(table, DistinctDiversity(2))


def lending_table(rng: random.Random) -> Table:
    """Few different rows by QI, so that some of them are groups and can lend."""
    columns, values = rng.choice([1, 2, 2, 3]), rng.choice([3, 4, 5])
    kinds = [
        [str(rng.randrange(rng.choice([2, 3]))) for _ in range(columns)]
        for _ in range(rng.randint(2, 4))
    ]
    rows = [
        [*rng.choice(kinds), str(rng.randrange(values))]
        for _ in range(rng.randint(7, 9))
    ]
    names = [f"q{i}" for i in range(columns)]
    return Table.from_rows([*names, "s"], rows, names, ["s"])


def test_equals_brute_force_where_groups_lend_rows():
    lent, short = 0, 0
    for seed in range(TABLES // 3):
        rng = random.Random(seed)
        table = lending_table(rng)
        requirement: Requirement = DistinctDiversity(rng.choice([2, 2, 3]))
        if rng.random() < 0.5:
            requirement &= KAnonymity(rng.randint(2, 4))
        reduction = smallest_reduction(Run(table, requirement))
        result = pattern_ilp(table, requirement)
        assert result.value == brute_force(table, requirement).value
        assert result.limit is None and result.lower_bound == result.value
        if result.value:
            lent += len(reduction.borrowers) > 0
            short += relaxed(reduction).value < result.value
    assert lent > TABLES / 30 and short > 0


def relaxed(reduction: Reduction) -> LpSolution:
    solution = LinearSolver(distinct_program(reduction).program).solve(60.0)
    assert solution is not None
    return solution


def test_loans_are_asked_of_groups_that_can_spare_them():
    """Of three classes one lacks a value; only one of the others can lend a row."""
    rows = [["a", "x"], ["b", "x"], ["b", "y"], ["c", "x"], ["c", "y"], ["c", "y"]]
    table = Table.from_rows(["q", "s"], rows, ["q"], ["s"])
    reduction = smallest_reduction(Run(table, DistinctDiversity(2)))
    assert reduction.types.codes[reduction.placed].tolist() == [[0]]
    program = distinct_program(reduction)
    starred = reduction.placed_patterns.starred[:, 0]
    copies = starred[reduction.placed_patterns.pattern].astype(np.int64)
    taken, short = lending_flow(program, program.point(copies, np.array([1])))
    giver = reduction.patterns.types[reduction.lenders[taken > 0]]
    assert len(short) == 0 and reduction.types.codes[giver].tolist() == [[2]]
    assert reduction.types.sensitive[giver].tolist() == [[1]]
    poor = replace(reduction, k=3)
    _, short = lending_flow(
        program := distinct_program(poor), program.point(copies, [2])
    )
    assert short.tolist() == [1, 2]


def test_the_relaxation_of_whole_values_is_strong():
    """A half-open pattern needs halves of l values, not all of one."""
    table = clustered(200, 3, 5, seed=1, sensitive=6)
    requirement = DistinctDiversity(3)
    bound = relaxed(smallest_reduction(Run(table, requirement))).value
    assert bound > 0.97 * pattern_ilp(table, requirement, time_limit=20).value


def test_a_thin_reduction_holds_the_release_and_those_who_lend_to_it():
    table = clustered(200, 3, 5, seed=3, sensitive=5)
    requirement = DistinctDiversity(3)
    reduction = smallest_reduction(Run(table, requirement))
    best = pattern_ilp(table, requirement, time_limit=20).best
    loads = loads_of(table, STARS, reduction.patterns, best)
    thin, kept = reduction.thin(loads > 0)
    assert kept[loads > 0].all() and 0 < len(thin.inside) < len(reduction.inside) / 2
    program, whole = distinct_program(thin), distinct_program(reduction)
    point = program.point(*thin.split(loads[kept]))
    assert program.program.cost @ point == best.value(table)
    again = whole.point(*reduction.split(loads))
    assert whole.program.cost @ again == best.value(table)
    taken, short = lending_flow(program, point)
    copies, _ = program.loads(point)
    assert len(short) == 0 and len(thin.borrowers) > 0
    again = partition_of_loads(thin.patterns, thin.join(copies, taken))
    assert again.violation(table, requirement) is None
    assert again.value(table) == best.value(table)


def test_parts_lead_from_any_release_towards_the_optimum():
    for seed in range(2):
        table = clustered(60, 4, 4, seed=seed, sensitive=4)
        requirement = DistinctDiversity(3)
        reduction = smallest_reduction(Run(table, requirement))
        reduction = replace(reduction, placed=np.ones(len(reduction.types), bool))
        program = distinct_program(reduction)
        parts = DistinctNeighbourhoods(program, seed)
        best = lexicographic_suppression(table, requirement).best
        first = best.value(table)
        loads = loads_of(table, STARS, reduction.patterns, best)
        point = program.point(*reduction.split(loads))
        assert program.program.cost @ point == first
        for _ in range(3):
            better = parts.improve(point, 1.0)
            point = point if better is None else better
        copies, loans = program.loads(point)
        assert len(loans) == 0
        loads = reduction.join(copies, loans)
        found = partition_of_loads(reduction.patterns, loads)
        assert found.violation(table, requirement) is None
        assert relaxed(reduction).value - 1e-6 <= found.value(table) < first


def test_groups_that_fail_are_merged_where_that_costs_least():
    rows = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "z"], ["d", "w"], ["d", "w"]]
    table = Table.from_rows(["1", "2"], rows, ["1", "2"], [])
    groups = Partition(np.array([0, 1, 2, 3, 4, 4], np.int32))
    merged = repair_by_merging(groups, table, KAnonymity(2), STARS)
    assert merged.violation(table, KAnonymity(2)) is None
    assert merged.groups.tolist() == [0, 1, 0, 1, 2, 2] and merged.value(table) == 4
    counted = replace(table.take(range(5)), counts=np.array([1, 1, 1, 1, 2]))
    dealt = Partition(
        groups.groups[[4, 0, 1, 2, 3]],
        np.array([4, 0, 1, 2, 3]),
        np.array([2, 1, 1, 1, 1]),
    )
    merged = repair_by_merging(dealt, counted, KAnonymity(2), STARS)
    assert merged.violation(counted, KAnonymity(2)) is None
    assert merged.groups.tolist() == [2, 0, 1, 0, 1] and merged.value(counted) == 4
    kept = Objective(keep=("1",))
    with pytest.raises(ValueError, match="another group to merge with"):
        repair_by_merging(groups, table, KAnonymity(3), kept)
