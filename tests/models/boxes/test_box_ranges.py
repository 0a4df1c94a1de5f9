"""Tests that ranges are exact, whatever the numbers, and what an order costs."""

from fractions import Fraction
from math import gcd, lcm

import numpy as np
import pytest

from starmin.instances import (
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Scales,
    Table,
)
from starmin.models.boxes.box_program import box_program
from starmin.models.one_dimensional.k_order import k_order
from starmin.models.one_dimensional.l_ordered import l_ordered
from tests.support.every_partition import Oracle

pytestmark = pytest.mark.usefixtures("exactly")


def on_a_line(x: np.ndarray, s: np.ndarray) -> tuple[Table, Objective]:
    rows = np.stack([x, s], axis=1).astype(str).tolist()
    table = Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    return table, Objective("gcp", scales=Scales.of(table, ["x"]))


def test_it_is_exact_where_orders_are_not() -> None:
    x, s = np.array([0, 49, 50, 51, 100]), np.zeros(5, int)
    table, objective = on_a_line(x, s)
    result = box_program(table, KAnonymity(2), objective=objective)
    assert result.value == result.lower_bound == 206
    oracle = Oracle.of(
        5,
        lambda rows: len(rows) >= 2,
        lambda rows: len(rows) * int(x[rows[-1]] - x[rows[0]]),
    )
    assert oracle.total() == 206


def test_what_consecutive_groups_and_ordered_ones_cost() -> None:
    """Both are upper bounds, mostly tight, and sometimes not."""
    dearer = {"k": 0, "l": 0}
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x = np.sort(rng.integers(0, 60, 9))
        s = rng.permutation([0, 0, 0, 0, 1, 1, 1, 2, 2])
        table, objective = on_a_line(x, s)

        def weighted(begin: np.ndarray, end: np.ndarray, x: np.ndarray = x) -> object:
            return (end - begin) * (x[end - 1] - x[begin])

        starts = k_order(weighted, 9, 3)
        groups = np.zeros(9, np.int32)
        groups[starts[1:]] = 1
        line = Partition(np.cumsum(groups, dtype=np.int32)).value(table, objective)
        best = box_program(table, KAnonymity(3), objective=objective).value
        assert best is not None and best <= line
        dearer["k"] += best < line
        found = l_ordered(x, s, 2, "weighted").groups
        line = Partition.from_labels(found).value(table, objective)
        best = box_program(table, LDiversity(2), objective=objective).value
        assert best is not None and best <= line
        dearer["l"] += best < line
    assert 0 < dearer["l"] < 30 and dearer["k"] < 30


def least_cost(cells: list[list[int]], weights: list[int], k: int) -> int:
    """The least cost of all partitions, in integers that do not overflow."""
    columns = list(zip(*cells, strict=True))
    steps = [gcd(*(x - min(column) for x in column)) or 1 for column in columns]
    domains = [max(c) - min(c) for c in columns]
    domains = [max(1, d // g) for d, g in zip(domains, steps, strict=True)]
    whole = lcm(*domains)

    def loss(rows: list[int]) -> Fraction:
        cost = 0
        for column, step, weight, domain in zip(
            columns, steps, weights, domains, strict=True
        ):
            among = [column[row] for row in rows]
            cost += weight * (whole // domain) * (max(among) - min(among)) // step
        return Fraction(len(rows) * cost)

    return int(Oracle.of(len(cells), lambda rows: len(rows) >= k, loss).total())


NAMED = "69,86747,1009 97,47246,1006 11,29809,1009 40,0,0 0,0,0 0,83280,768 "
NAMED += "97,13229,1009"


def check(cells: list[list[int]], weights: list[int], k: int) -> bool:
    """Bound, optimum and value are in order and near; whether they are the same."""
    names = list("ABC"[: len(weights)])
    table = Table.from_rows(names, [[str(x) for x in row] for row in cells], names)
    of_column = dict(zip(names, weights, strict=True))
    objective = Objective("gcp", of_column, scales=Scales.of(table, names))
    found = box_program(table, KAnonymity(k), objective=objective)
    assert found.value is not None and found.lower_bound is not None
    optimum = least_cost(cells, weights, k)
    assert found.lower_bound <= optimum <= found.value
    assert found.value - found.lower_bound <= found.value * 1e-4
    return found.value == found.lower_bound


@pytest.mark.parametrize("weights", [[1, 1, 1], [10**6, 3, 1], [3, 1, 10**6]])
def test_ordinary_numbers_in_several_columns(weights: list[int]) -> None:
    assert check(
        [[int(x) for x in row.split(",")] for row in NAMED.split()], weights, 2
    )


def test_it_equals_brute_force_whatever_the_numbers() -> None:
    exact = 0
    for seed in range(48):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(4, 7)), int(rng.integers(1, 4))
        most = rng.choice([100, 1_000, 100_000], d)
        cells = np.where(rng.random((n, d)) < 0.3, 0, rng.integers(0, most, (n, d)))
        weights = rng.choice([1, 3, 10**6], d) if seed % 2 else np.ones(d, np.int64)
        exact += check(cells.tolist(), weights.tolist(), int(rng.integers(2, 4)))
    assert exact >= 46
