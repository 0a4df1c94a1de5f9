"""Tests that the integer program of rules has brute force's optimum on tiny tables."""

import random
import sys

import pytest

from starmin.instances import Combinations
from starmin.models.rules.rule_ilp import rule_ilp
from starmin.verify.rules.brute_force_masks import mask_brute_force
from starmin.verify.rules.mask_check import check_mask
from tests.small_rules import PAIRS, random_problem
from tests.test_rules import published

TABLES = 120


def agree(seed: int) -> None:
    problem = table, requirement, objective = random_problem(random.Random(seed))
    best = mask_brute_force(*problem)
    found = rule_ilp(*problem[:2], objective=objective)
    assert (found.value, found.lower_bound) == (best.value, best.value), seed
    if found.best is None:
        assert found.reason is not None
        return
    check = check_mask(published(table, found.best), requirement, table)
    assert check.holds and check.consistent


@pytest.mark.parametrize("seed", range(TABLES))
def test_the_optimum_is_that_of_brute_force(seed: int) -> None:
    agree(1000 + seed)


@pytest.mark.parametrize(
    ("semantics", "stars"), [("source", 6), ("shown", 7), ("classes", 8)]
)
def test_the_known_table_is_proven(semantics: str, stars: int) -> None:
    found = rule_ilp(PAIRS, Combinations(2, 2, semantics=semantics))
    assert (found.value, found.lower_bound) == (stars, stars)


if __name__ == "__main__":  # python -m tests.test_rule_ilp 1000: a longer hunt
    for number in range(int(sys.argv[1])):
        agree(10_000 + number)
