"""Tests that the integer program of rules, open ones too, has brute force's optimum.

Both optima are also those of all masks, tried here one by one from the cells alone.
"""

import random
import sys
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest

from starmin.instances import STARS, Combinations, Mask, Rules, Run, Table
from starmin.models.rules.price_function import NearSets, PriceFunction, PriceSteps
from starmin.models.rules.rule_ilp import IntegerProgram, PricedSets, close, rule_ilp
from starmin.models.rules.rule_program import RuleProgram
from starmin.verify.releases.mask_check import check_mask
from tests.support.effort import seeds
from tests.support.small_rules import PAIRS, least_by_rules, random_problem
from tests.verify.test_rules import published

COLUMNS = ("a", "b", "c")
SIZES = {False: (3,), True: (1, 2, 3)}  # of the sets of columns, by ``closed``


def rare(
    rows: list[list[str]], mask: tuple[tuple[int, ...], ...], k: int
) -> Counter[int]:
    """Count how many rows show what too few rows show, by the number of columns."""
    few: Counter[int] = Counter()
    for size in (1, 2, 3):
        for columns in combinations(range(3), size):
            shown = Counter(
                tuple(row[c] for c in columns)
                for row, stars in zip(rows, mask, strict=True)
                if not any(stars[c] for c in columns)
            )
            few[size] += sum(n for n in shown.values() if n < k)
    return few


def least(rows: list[list[str]], k: int) -> dict[bool, int]:
    """Return the least stars of the open and of the closed rule, of all masks."""
    best = {False: 3 * len(rows), True: 3 * len(rows)}
    for mask in product(product((0, 1), repeat=3), repeat=len(rows)):
        stars = sum(map(sum, mask))
        if stars >= best[True]:
            continue
        few = rare(rows, mask, k)
        for closed, sizes in SIZES.items():
            if not any(few[size] for size in sizes):
                best[closed] = min(best[closed], stars)
    return best


@pytest.mark.parametrize("seed", seeds(6))
def test_open_and_closed_rules_have_the_least_of_all_masks(seed: int) -> None:
    rng = random.Random(seed)
    rows = [[rng.choice("xy"), rng.choice("pq"), rng.choice("uv")] for _ in range(4)]
    table = Table.from_rows(COLUMNS, rows, qi=COLUMNS)
    found = {
        closed: rule_ilp(table, Rules([(COLUMNS, 2)], closed=closed)).value
        for closed in (False, True)
    }
    assert found == least(rows, 2)


def test_an_open_rule_costs_a_star_a_small_row_and_a_closed_one_more() -> None:
    rng = random.Random(3)
    rows = [[rng.choice("uvwxyz") for _ in COLUMNS] for _ in range(120)]
    table = Table.from_rows(COLUMNS, rows, qi=COLUMNS)
    small = sum(n for n in Counter(map(tuple, rows)).values() if n < 3)
    opened, closed = (
        rule_ilp(table, Rules([(COLUMNS, 3)], closed=closed), time_limit=60.0)
        for closed in (False, True)
    )
    assert opened.value == opened.lower_bound == small > 0
    assert closed.lower_bound is not None and closed.lower_bound > small


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


if (
    __name__ == "__main__"
):  # python -m tests.models.rules.test_rule_ilp 1000: a longer hunt
    for number in range(int(sys.argv[1])):
        agree(10_000 + number)
