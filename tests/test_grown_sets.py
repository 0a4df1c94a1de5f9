"""Tests that sets of rows are grown to those with too many groups."""

import numpy as np
import pytest

from starmin.instances import KAnonymity, LDiversity, Objective, Run, Scales, Table
from starmin.models.boxes.box_search import BoxSearch
from starmin.models.boxes.master.exact import DEFAULTS
from starmin.models.boxes.master.separation import find_sets
from starmin.models.boxes.master.side_constraints import most_groups


@pytest.mark.parametrize("diverse", [False, True])
def test_they_have_more_groups_than_rows_for(diverse):
    rng, found = np.random.default_rng(3), 0
    for _ in range(20):
        rows = rng.integers(0, 4, (40, 3)).astype(str).tolist()
        names, qi = ["n", "f", "s"], ["n", "f"]
        table = Table.from_rows(names, rows, qi, sensitive="s" if diverse else ())
        losses = Objective("gcp", scales=Scales.of(table, ["n"]))
        asked = LDiversity(2) if diverse else KAnonymity(3)
        search = BoxSearch(Run(table, asked, losses), 0, DEFAULTS)
        data, types = search.relaxation.data, len(search.types)
        members = rng.random((15, types)) < 0.3
        bits = np.zeros((15, types // 64 + 1), np.int64)
        for box, type_ in np.argwhere(members):
            bits[box, type_ >> 6] |= np.int64(1) << np.int64(type_ & 63)
        y = (6.0 if diverse else 2.0) * rng.random(15)
        for inside in find_sets(data, bits, y, 10):
            groups = y[~members[:, ~inside].any(axis=1)].sum()
            assert groups > most_groups(data, inside, data.least)
            found += 1
    assert found > 20


def test_far_boxes_do_not_join():
    """Sets of their own are found, and not their unions."""
    rows = [[str(x), "a"] for x in range(4)] + [[str(x), "b"] for x in range(4)]
    table = Table.from_rows(["n", "f"], rows, ["n", "f"])
    losses = Objective("gcp", scales=Scales.of(table, ["n"]))
    data = BoxSearch(Run(table, KAnonymity(3), losses), 0, DEFAULTS).relaxation.data
    bits = np.array([[0b0111], [0b1110], [0b01110000], [0b11100000]], np.int64)
    sets = find_sets(data, bits, np.array([0.7, 0.7, 0.6, 0.6]), 10)
    assert [np.flatnonzero(inside).tolist() for inside in sets] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
    ]
