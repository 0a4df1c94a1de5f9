"""Tests of open rules: one star a small row satisfies them; closed ones cost more.

Both optima are also those of all masks, tried here one by one from the cells alone.
"""

import random
from collections import Counter
from itertools import combinations, product

import pytest

from starmin.instances import Rules, Table
from starmin.models.rules.rule_ilp import rule_ilp
from tests.seeds import seeds

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
