"""Tests that the pattern formulation under distinct l-diversity is exact."""

import random
from functools import reduce
from operator import and_

import pytest

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
from models.pattern_ilp import pattern_ilp
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


@pytest.mark.parametrize("seed", range(10))
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
    monkeypatch.setattr("models.distinct_program.MAX_INCIDENCES", 1)
    with pytest.raises(NotSupportedError, match="at most 1 pairs"):
        pattern_ilp(table, DistinctDiversity(2))
