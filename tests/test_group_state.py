"""Tests that groups whose rows come and go are what a recount says."""

import numpy as np
import pytest

from starmin.heuristics.accuracy_constrained import adjust_privacy as growing_group
from starmin.heuristics.accuracy_constrained.adjust_privacy import make_space
from starmin.instances import Objective, Scales, Table
from tests.interpreted import interpreted

add, clear, empty_group, is_inside, loss_with, remove = map(
    interpreted,
    (
        growing_group.add,
        growing_group.clear,
        growing_group.empty_group,
        growing_group.is_inside,
        growing_group.loss_with,
        growing_group.remove,
    ),
)


def space_of(rng: np.random.Generator):
    rows = rng.integers(0, 8, (30, 3)).astype(str).tolist()
    table = Table.from_rows(["a", "b", "s"], rows, ["a", "b"], ["s"])
    objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    scales = objective.scales_of(table)
    sizes = np.array([scale.size for scale in scales.scales])
    values = table.column("s")
    weights = objective.range_prices(table)
    places = scales.row_positions(table)
    return make_space(places, sizes, values, scales.arrays, weights, 1.0), scales


@pytest.mark.parametrize("seed", range(20))
def test_a_group_is_what_a_recount_says(seed):
    rng = np.random.default_rng(seed)
    space, scales = space_of(rng)
    values = int(space.sensitive.max()) + 1
    group, members = empty_group(space.start, values), set()
    for step in range(80):
        row = int(rng.integers(30))
        if row in members and len(members) > 1:
            before = group.low.copy(), group.high.copy()
            members.remove(row)
            narrower = remove(space, group, row)
            same = np.array_equal(before, (group.low, group.high))
            assert narrower == (not same)
        elif row not in members:
            members.add(row)
            add(space, group, row)
        if step == 50:
            clear(space, group)
            members = {row}
            add(space, group, row)
        rows = sorted(members)
        places = space.places[rows]
        assert group.low.tolist() == places.min(axis=0).tolist()
        assert group.high.tolist() == places.max(axis=0).tolist()
        counts = np.bincount(space.sensitive[rows], minlength=values)
        assert group.counts.tolist() == counts.tolist()
        assert group.size[0] == len(rows) == group.held.sum() / 2
        other = int(rng.integers(30))
        wider = np.vstack([places, space.places[other]])
        low, high = wider.min(axis=0), wider.max(axis=0)
        extents = scales.extents(low[None], high[None])[0]
        assert loss_with(space, group, other) == pytest.approx(space.weights @ extents)
        inside = (low >= group.low).all() and (high <= group.high).all()
        assert is_inside(space, group, other) == inside
