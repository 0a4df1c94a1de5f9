"""Tests that the pattern formulation under distinct l-diversity is exact."""

import random
from functools import reduce
from operator import and_

import numpy as np
import pytest

from heuristics.lexicographic_suppression import lexicographic_suppression
from instances import (
    STARS,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Partition,
    Requirement,
    Table,
)
from instances.generators import clustered
from models.distinct_program import distinct_program
from models.distinct_search import DistinctParts
from models.highs import LinearSolver
from models.incumbents import loads_of, partition_of_loads
from models.pattern_ilp import pattern_ilp
from models.patterns import closed_patterns
from models.through_basis import through_basis
from tests.small_problems import random_objective, random_table
from verify.brute_force import brute_force
from verify.methods import supporting

TABLES = 500


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
    some = pattern_ilp(table, DistinctDiversity(3), time_limit=1.5, initial=start)
    assert 0 < some.lower_bound <= some.value <= none.value


def test_it_is_registered():
    requirement = KAnonymity(2) & DistinctDiversity(2)
    assert "pattern_ilp" in {m.name for m in supporting(requirement, STARS, "exact")}


def test_too_many_pairs_are_refused(monkeypatch):
    table = Table.from_rows(["a", "s"], [["0", "x"], ["1", "y"]], ["a"], ["s"])
    monkeypatch.setattr("models.distinct_search.MAX_INCIDENCES", 1)
    with pytest.raises(NotSupportedError, match="at most 1 pairs"):
        pattern_ilp(table, DistinctDiversity(2))


def test_parts_lead_from_any_release_towards_the_optimum():
    for seed in range(2):
        table = clustered(60, 4, 4, seed=seed, sensitive=4)
        types, requirement = table.sensitive_types, DistinctDiversity(3)
        patterns = closed_patterns(table, types, STARS, 3, 3)
        program = distinct_program(patterns, types, 1, 1, 3)
        relaxed = LinearSolver(program.program).solve(60.0)
        least = through_basis(program.base, relaxed)
        parts = DistinctParts(program, types, least, np.random.default_rng(seed))
        best = lexicographic_suppression(table, requirement).best
        first = best.value(table)
        loads = loads_of(table, types, patterns, best)
        for _ in range(3):
            better = parts.step(loads, 1.0)
            loads = loads if better is None else better
        found = partition_of_loads(types, patterns, loads)
        assert found.violation(table, requirement) is None
        assert relaxed.value - 1e-6 <= found.value(table) < first
