"""Tests that every method with a ratio keeps it, on 1,000 tables with known optima.

The optima are found once and shared. `worst_ratios` is where the figures in the
docstrings' Notes come from: ``python -m
tests.heuristics.approximation.test_guarantees``.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest

from starmin.heuristics.approximation.diverse_cover import diverse_cover
from starmin.heuristics.approximation.forest import forest
from starmin.heuristics.approximation.greedy_cover import greedy_cover
from starmin.heuristics.approximation.near_linear_cover import (
    NearLinearParams,
    near_linear_cover,
)
from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.heuristics.approximation.three_phase import three_phase, three_phase_hybrid
from starmin.instances import (
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Table,
)
from starmin.verify.brute_force import brute_force
from tests.support.small_problems import random_objective, random_table

TABLES = 150
LIKELY = 3  # of the optima at least every third is there: the others are infeasible

Problem = tuple[Table, Requirement, Objective, int]
Ratio = Callable[[int, Table, Objective], Fraction]


def harmonic(n: int) -> Fraction:
    return sum((Fraction(1, j) for j in range(1, n + 1)), Fraction(0))


def of_forest(k: int, table: Table, objective: Objective) -> Fraction:
    return Fraction(max(2 * k - 1, 3 * k - 5))


def of_all_sets(k: int, table: Table, objective: Objective) -> Fraction:
    return Fraction(2 * k - 1, k) * harmonic(2 * k - 1)


def of_balls(k: int, table: Table, objective: Objective) -> Fraction:
    return (2 * k - 2) * of_all_sets(k, table, objective)


def of_patterns(k: int, table: Table, objective: Objective) -> Fraction:
    return Fraction(2 * k - 1, k) * harmonic(k)


def of_samples(k: int, table: Table, objective: Objective) -> Fraction:
    return Fraction(5, 4) * of_patterns(k, table, objective)


def of_one_block(k: int, table: Table, objective: Objective) -> Fraction:
    kept, weights = objective.kept(table), objective.column_weights(table)
    paid = [w for w, keep in zip(weights.tolist(), kept, strict=True) if w and not keep]
    widest = Fraction(1)
    if paid and objective.kind == "stars":
        widest = Fraction(sum(paid), min(paid))
    return widest * of_samples(k, table, objective)


def one_block(table: Table, requirement: Requirement, objective: Objective) -> Result:
    params = NearLinearParams(blocks=1)
    return near_linear_cover(table, requirement, objective=objective, params=params)


def of_three_phases(l: int, table: Table, objective: Objective) -> Fraction:
    return Fraction(l if objective.kind == "tuples" else l * table.d)


def all_sets(table: Table, requirement: Requirement, objective: Objective) -> Result:
    return greedy_cover(table, requirement, objective=objective, family="all")


FOR_K: dict[str, tuple[Callable[..., Result], Ratio]] = {
    "forest": (forest, of_forest),
    "greedy_cover, balls": (greedy_cover, of_balls),
    "greedy_cover, all": (
        lambda *problem, objective: all_sets(*problem, objective),
        of_all_sets,
    ),
    "pattern_cover": (pattern_cover, of_patterns),
    "near_linear_cover": (near_linear_cover, of_samples),
    "near_linear_cover, one block": (
        lambda *problem, objective: one_block(*problem, objective),
        of_one_block,
    ),
}
FOR_L: dict[str, tuple[Callable[..., Result], Ratio]] = {
    "three_phase": (three_phase, of_three_phases),
    "diverse_cover": (diverse_cover, of_three_phases),
    "three_phase_hybrid": (three_phase_hybrid, of_three_phases),
}


@cache
def problem(seed: int, form: str) -> Problem | None:
    """A random problem and its optimum; None where it has no release."""
    rng = random.Random(f"{seed} {form}")
    table = random_table(rng, 2, 10)
    kind = "tuples" if seed % 3 == 0 else "stars"
    objective = random_objective(rng, table, kind)
    requirement: Requirement = KAnonymity(rng.randint(2, 5))
    if form == "l":
        requirement = LDiversity(rng.choice([2, 2, 3]))
        table = Table.from_rows(
            table.names,
            list(zip(*(table.cells(c) for c in table.names), strict=True)),
            table.qi,
            ["s"],
        )
        objective = Objective(kind)
    optimum = brute_force(table, requirement, objective).value
    return None if optimum is None else (table, requirement, objective, optimum)


def worst_ratios(
    method: Callable[..., Result], ratio: Ratio, form: str
) -> dict[int, float]:
    """The worst ratio seen for each k or l; checks that none is above its limit."""
    worst: dict[int, float] = {}
    seen = 0
    for seed in range(TABLES):
        if (given := problem(seed, form)) is None:
            continue
        table, requirement, objective, optimum = given
        bound = requirement.as_json()[form]
        try:
            result = method(table, requirement, objective=objective)
        except NotSupportedError:
            continue
        seen += 1
        assert optimum <= result.value <= ratio(bound, table, objective) * optimum
        assert (result.lower_bound or 0) <= optimum
        if optimum:
            worst[bound] = max(worst.get(bound, 1.0), result.value / optimum)
    assert seen >= TABLES // LIKELY
    return worst


@pytest.mark.parametrize("name", FOR_K)
def test_its_ratio_holds_for_k_anonymity(name):
    assert worst_ratios(*FOR_K[name], "k").keys() >= {2, 3, 4}


@pytest.mark.parametrize("name", FOR_L)
def test_its_ratio_holds_for_l_diversity(name):
    assert worst_ratios(*FOR_L[name], "l").keys() >= {2, 3}


if __name__ == "__main__":
    for form, methods in (("k", FOR_K), ("l", FOR_L)):
        for name, (method, ratio) in methods.items():
            worst = worst_ratios(method, ratio, form)
            print(form, name, {b: round(worst[b], 2) for b in sorted(worst)})
