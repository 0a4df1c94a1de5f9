"""Tests that the arrays of compiled loops stay what a recount says."""

from itertools import pairwise

import numpy as np
import pytest

from starmin.heuristics.approximation import three_phase_loops as buckets
from starmin.heuristics.approximation.three_phase_loops import Groups as Buckets
from starmin.heuristics.approximation.three_phase_loops import fill_buckets
from starmin.heuristics.local_search import cluster_groups as group_loops
from starmin.heuristics.local_search.cluster_groups import NONE, GroupLabels, Groups
from starmin.heuristics.recoding.top_down import split_groups
from starmin.instances import (
    STARS,
    TUPLES,
    KAnonymity,
    Objective,
    Partition,
    Run,
    Table,
)
from tests.support.interpreted import interpreted

cheapest_group, cost_after, part_cost = map(
    interpreted,
    (group_loops.cheapest_group, group_loops.cost_after, group_loops.part_cost),
)
move = interpreted(buckets.move)


@pytest.mark.parametrize("seed", range(15))
def test_buckets_hold_the_cells_by_their_rows(seed):
    rng = np.random.default_rng(seed)
    start, values = np.array([0, 3, 5, 9]), 4
    rows = rng.integers(1, 5, 9)
    value = np.array([0, 1, 2, 1, 3, 0, 1, 2, 3], np.int32)
    group = np.repeat(np.arange(3), np.diff(start))
    size = np.add.reduceat(rows, start[:-1])
    height = np.maximum.reduceat(rows, start[:-1])
    offset, bucket, following, previous = fill_buckets(start, rows, height)
    lists = (offset, bucket, following, previous)
    residue, totals = np.zeros(values, np.int64), np.zeros(2, np.int64)
    s = Buckets(start, value, rows, size, height, *lists, residue, totals)
    moved = np.zeros(values, int)
    while rows.any():
        cell = int(rng.choice(np.flatnonzero(rows)))
        move(s, int(group[cell]), cell)
        moved[value[cell]] += 1
        for g in range(3):
            mine = range(start[g], start[g + 1])
            assert height[g] == rows[start[g] : start[g + 1]].max()
            for c in range(1, int(height[g]) + 1):
                held, at = [], bucket[offset[g] + c]
                while at != NONE:
                    held.append(int(at))
                    at = following[at]
                assert sorted(held) == [cell for cell in mine if rows[cell] == c]
        assert residue.tolist() == moved.tolist()
        assert totals.tolist() == [moved.sum(), moved.max()]


def clusters(table: Table, partition: Partition, objective: Objective) -> Groups:
    return GroupLabels(Run(table, KAnonymity(2), objective), partition).state()


@pytest.mark.parametrize("objective", [STARS, TUPLES, Objective(weights={"q1": 3})])
@pytest.mark.parametrize("seed", range(8))
def test_changes_of_groups_cost_what_a_recount_says(seed, objective):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (14, 3)).astype(str).tolist()
    table = Table.from_rows(["q0", "q1", "q2"], rows, qi=["q0", "q1", "q2"])
    labels = np.append(np.repeat(np.arange(4), 3), [0, 1])
    partition = Partition.from_labels(labels)
    groups, s = partition.groups, clusters(table, partition, objective)

    def pays(members: list[int]) -> int:
        """What a row pays in a group of these rows."""
        alone = table.take(np.array(members))
        return Partition.single(alone).value(alone, objective) // len(members)

    locked = np.zeros(4, np.bool_)
    for row in range(table.n):
        own, others = int(groups[row]), {}
        rest = [r for r in np.flatnonzero(groups == own).tolist() if r != row]
        assert cost_after(s, own, row, NONE) == pytest.approx(pays(rest))
        for g in {0, 1, 2, 3} - {own}:
            members = np.flatnonzero(groups == g).tolist()
            wider = (len(members) + 1) * pays([*members, row])
            others[g] = wider - len(members) * pays(members)
            swapped = [*members[1:], row]
            assert cost_after(s, g, members[0], row) == pytest.approx(pays(swapped))
        best, paid = cheapest_group(s, row, locked, 10**6)
        assert others[best] == min(others.values()) == pytest.approx(paid)
    for g in range(4):
        members = np.flatnonzero(groups == g)
        for column in range(3):
            for value in set(s.positions[members, column].tolist()):
                alike = s.positions[members, column] == value
                if not alike.all():
                    parts = members[alike].tolist(), members[~alike].tolist()
                    wanted = tuple(map(pays, parts))
                    found = part_cost(s, g, column, value, value)
                    assert found == pytest.approx(wanted)


@pytest.mark.parametrize("seed", range(10))
def test_halves_of_a_split_are_large_enough(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(6, 20, 5)
    starts = np.append(0, np.cumsum(sizes))
    rows = rng.integers(0, 5, (int(starts[-1]), 2)).astype(str).tolist()
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    scales = STARS.scales_of(table)
    places, weights = scales.row_positions(table), STARS.range_prices(table)
    half = split_groups(places, starts, starts[:-1], scales.arrays, weights, 3, 3)
    for low, high in pairwise(starts):
        sides = half[low:high]
        assert min(sides.sum(), len(sides) - sides.sum()) >= 3
