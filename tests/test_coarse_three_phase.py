"""Tests that coarsening before TP+ gains, and never below what brute force finds."""

import numpy as np
import pytest

from starmin.heuristics.approximation.three_phase_hybrid import (
    coarse_three_phase,
    three_phase_hybrid,
)
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Scales,
    Table,
    Taxonomy,
)
from starmin.verify.brute_force import brute_force

TREE = Taxonomy.parse("{north{a,b,c},south{d,e},f}")
COARSER = {"a": "north", "b": "north", "c": "north", "d": "south", "e": "south"}


def problem(seed: int, n: int, ages: int = 40) -> tuple[Table, Objective]:
    """Return a table of a tree, numbers and a sensitive column of three values."""
    rng = np.random.default_rng(seed)
    rows = [
        ["abcdef"[rng.integers(6)], str(rng.integers(ages)), "uvw"[i % 3]]
        for i in range(n)
    ]
    table = Table.from_rows(list("pqs"), rows, qi=list("pq"), sensitive=["s"])
    return table, Objective("gcp", scales=Scales.of(table, ["q"], {"p": TREE}))


@pytest.mark.parametrize("seed", range(30))
def test_a_release_is_valid_and_costs_no_less_than_the_optimum(seed: int) -> None:
    table, objective = problem(seed, 6 + 3 * (seed % 2), ages=6)
    requirement: Requirement = LDiversity(2 + seed % 2)
    if seed % 3 == 0:
        requirement &= KAnonymity(2)
    found = coarse_three_phase(table, requirement, objective=objective)
    assert found.best is not None and found.value is not None
    assert found.best.violation(table, requirement, objective) is None
    least = brute_force(table, requirement, objective).value
    assert least is not None
    assert least <= found.value <= found.stats["uncoarsened_value"]


def test_groups_are_those_of_the_table_that_was_coarsened_by_hand() -> None:
    table, objective = problem(1, 200)
    found = coarse_three_phase(table, LDiversity(2), objective=objective)
    by_level = {"0": lambda c: c, "1": lambda c: COARSER.get(c, c), "2": lambda c: "*"}
    tree, numbers = str(found.stats["levels"]).split()
    ages = sorted({int(cell or "") for cell in table.cells("q")})
    rows = [
        [by_level[tree](p), str(ages.index(int(q)) >> int(numbers)), s]
        for p, q, s in table.rows()
    ]
    coarse = Table.from_rows(list("pqs"), rows, qi=list("pq"), sensitive=["s"])
    groups = three_phase_hybrid(coarse, LDiversity(2)).best
    assert groups is not None
    assert Partition(groups.groups).value(table, objective) == found.value
    assert numbers != "0" and int(found.stats["tried"]) > 2


def test_coarsening_pays_where_most_rows_are_alone() -> None:
    table, objective = problem(2, 300, ages=300)
    found = coarse_three_phase(table, LDiversity(2), objective=objective)
    assert found.value is not None
    assert found.value < int(found.stats["uncoarsened_value"])


def test_a_limit_keeps_the_first_release_and_other_problems_are_refused() -> None:
    table, objective = problem(3, 60)
    found = coarse_three_phase(table, LDiversity(2), objective=objective, time_limit=0)
    assert found.limit is Limit.TIME and found.stats["tried"] == 1
    assert found.value == found.stats["uncoarsened_value"]
    for requirement, asked in (
        (KAnonymity(2), objective),
        (LDiversity(2), Objective()),
    ):
        with pytest.raises(NotSupportedError):
            coarse_three_phase(table, requirement, objective=asked)
