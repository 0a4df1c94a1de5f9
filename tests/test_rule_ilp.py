"""Tests that the integer program of rules has brute force's optimum on tiny tables."""

import random
import sys

import numpy as np
import pytest

from starmin.instances import STARS, Combinations, Mask, Run
from starmin.models.rules.price_function import NearSets, PriceFunction, PriceSteps
from starmin.models.rules.rule_ilp import IntegerProgram, PricedSets, close, rule_ilp
from starmin.models.rules.rule_program import RuleProgram
from starmin.verify.releases.mask_check import check_mask
from tests.least_by_rules import least_by_rules
from tests.seeds import seeds
from tests.small_rules import PAIRS, random_problem
from tests.test_rules import published


def agree(seed: int) -> None:
    problem = table, requirement, objective = random_problem(random.Random(seed))
    best = least_by_rules(*problem)
    found = rule_ilp(*problem[:2], objective=objective)
    assert (found.value, found.lower_bound) == (best, best), seed
    if found.best is None:
        assert found.reason is not None
        return
    check = check_mask(published(table, found.best), requirement, table)
    assert check.holds and check.consistent


@pytest.mark.parametrize("seed", seeds(40))
def test_the_optimum_is_that_of_brute_force(seed: int) -> None:
    agree(1000 + seed)


@pytest.mark.parametrize(
    ("semantics", "stars"), [("source", 6), ("shown", 7), ("classes", 8)]
)
def test_the_known_table_is_proven(semantics: str, stars: int) -> None:
    found = rule_ilp(PAIRS, Combinations(2, 2, semantics=semantics))
    assert (found.value, found.lower_bound) == (stars, stars)


@pytest.mark.parametrize("semantics", ["shown", "classes"])
def test_building_the_program_looks_at_the_clock(semantics: str) -> None:
    """At each type that is free, and at each type that an item is asked of."""
    asked = Combinations(2, 2, semantics=semantics)
    function = PriceFunction(RuleProgram.of(PAIRS, asked, STARS))
    steps, unit = PriceSteps(function), function.unit.per_cost
    looks = list[int]()
    given = function, steps.best, 10 * unit, 1000, lambda: looks.append(0)
    sets = NearSets.of(*given)
    assert sets is not None and len(looks) == 2
    priced = PricedSets(function, steps.best, steps.value, sets, 11 * unit)
    IntegerProgram(priced, 100, lambda: looks.append(0))
    free = np.diff(sets.starts) > 1
    assert len(looks) >= free.sum() + free[function.program.owner].sum()
    run = Run[Mask](PAIRS, asked)
    assert not close(run, steps, 1000, 0.0, 0)
    assert run.value is None and run.lower_bound is None


if __name__ == "__main__":  # python -m tests.test_rule_ilp 1000: a longer hunt
    for number in range(int(sys.argv[1])):
        agree(10_000 + number)
