"""Tests that the range program is exact, and of what the orders cost.

On small random tables the agreement tests compare it with brute force.
"""

import numpy as np
import pytest

from instances import (
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Partition,
    Scales,
    Table,
)
from models.one_dimensional.k_order import k_order
from models.one_dimensional.l_ordered import l_ordered
from models.range_ilp import range_ilp
from tests.every_partition import Oracle


def on_a_line(x: np.ndarray, s: np.ndarray) -> tuple[Table, Objective]:
    rows = np.stack([x, s], axis=1).astype(str).tolist()
    table = Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    return table, Objective("gcp", scales=Scales.of(table, ["x"]))


def test_it_is_exact_where_orders_are_not() -> None:
    x, s = np.array([0, 49, 50, 51, 100]), np.zeros(5, int)
    table, objective = on_a_line(x, s)
    result = range_ilp(table, KAnonymity(2), objective=objective)
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
        best = range_ilp(table, KAnonymity(3), objective=objective).value
        assert best is not None and best <= line
        dearer["k"] += best < line
        found = l_ordered(x, s, 2, "weighted").groups
        line = Partition.from_labels(found).value(table, objective)
        best = range_ilp(table, LDiversity(2), objective=objective).value
        assert best is not None and best <= line
        dearer["l"] += best < line
    assert 0 < dearer["l"] < 30 and dearer["k"] < 30


def test_too_many_boxes_are_refused() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 50, (60, 4)).astype(str).tolist()
    table = Table.from_rows(list("abcd"), rows, list("abcd"))
    objective = Objective("gcp", scales=Scales.of(table, list("abcd")))
    with pytest.raises(NotSupportedError, match="at most 20,000 boxes"):
        range_ilp(table, KAnonymity(2), objective=objective)
    result = range_ilp(table, KAnonymity(2), objective=objective, time_limit=0)
    assert result.best is not None and result.lower_bound is None
