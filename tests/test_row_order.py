"""Tests that orders of rows keep their stretches, and are cut in two as described."""

import numpy as np
import pytest

from starmin.heuristics.orders.along_order import bisect
from starmin.heuristics.orders.preset import RowOrder
from starmin.instances import GroupStats, KAnonymity, LDiversity, Requirement, Table
from tests.seeds import seeds


def random_table(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, [2, 3, 4], (int(rng.integers(4, 40)), 3)).astype(str)
    return Table.from_rows(["a", "b", "s"], rows.tolist(), ["a", "b"], ["s"])


@pytest.mark.parametrize("seed", seeds(15))
def test_rows_are_sorted_by_class_place_and_turn(seed):
    table = random_table(seed)
    types = table.row_types
    place = np.random.default_rng(seed).permutation(len(types))
    order = RowOrder.of(table, [table.column("a")], place)
    seen: dict[tuple[int, int], int] = {}
    turn = np.empty(table.n, int)
    for row in range(table.n):
        key = int(types.inverse[row]), int(table.column("s")[row])
        turn[row] = seen[key] = seen.get(key, -1) + 1
    keys = [
        (table.column("a")[row], place[types.inverse[row]], turn[row])
        for row in order.rows
    ]
    assert keys == sorted(keys)
    for stretch in order.stretches():
        assert len(set(table.column("a")[order.rows[stretch]])) == 1
    assert len(order.starts) == len(set(table.column("a")))
    whole = order.by_stretch(lambda part: np.zeros(part.stop - part.start, np.int32))
    assert whole.groups.tolist() == order.consecutive(order.starts).groups.tolist()


def cuts_of(
    table: Table, rows: np.ndarray, low: int, high: int, requirement: Requirement
) -> list[int]:
    """Where the stretches begin, cut in two by the rule one after the other."""
    for share in (0.5, 0.375, 0.625, 0.25, 0.75, 0.125, 0.875):
        cut = low + int((high - low) * share)
        if low < cut < high:
            side = (np.arange(low, high) >= cut).astype(np.int32)
            stats = GroupStats.of(table, side, rows[low:high])
            if requirement.holds(stats).all():
                first = cuts_of(table, rows, low, cut, requirement)
                return first + cuts_of(table, rows, cut, high, requirement)
    return [low]


@pytest.mark.parametrize("requirement", [KAnonymity(2), LDiversity(2)])
def test_stretches_are_cut_as_long_as_both_parts_hold(requirement):
    many = 0
    for seed in range(60):
        table = random_table(seed)
        order = RowOrder.of(table, (), np.arange(len(table.row_types)))
        found = bisect(table, order.rows, order.starts, requirement)
        assert found.tolist() == cuts_of(table, order.rows, 0, table.n, requirement)
        many += len(found) > 2
    assert many > 20
