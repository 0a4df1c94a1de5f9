"""Tests that the boxes of the range program are those that sets of rows span."""

from itertools import combinations

import numpy as np
import pytest

from starmin.instances import (
    KAnonymity,
    NotSupportedError,
    Objective,
    Run,
    Scales,
    Table,
    Taxonomy,
)
from starmin.models.boxes.range_ilp import boxes_of

TREE = Taxonomy.parse("{a{0,1},b{2,c{3,4}}}")


@pytest.mark.parametrize("seed", range(8))
def test_they_are_those_of_all_sets_of_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 5, (7, 3)).astype(str).tolist()
    table = Table.from_rows(["n", "t", "f"], rows, ["n", "t", "f"])
    scales = Scales.of(table, ["n"], {"t": TREE})
    keep = ("f",) if seed % 2 else ()
    run = Run(table, KAnonymity(2), Objective("gcp", keep=keep, scales=scales))
    places = scales.type_positions(table)
    low, high = boxes_of(scales, places, run.objective.kept(table), 10_000, run)
    found = {(*a, *b) for a, b in zip(low.tolist(), high.tolist(), strict=True)}
    assert len(found) == len(low)
    tree = scales.scales[1].taxonomy
    expected = set()
    for size in range(1, len(places) + 1):
        for some in combinations(places, size):
            least, most = np.min(some, axis=0), np.max(some, axis=0)
            if keep and least[2] < most[2]:
                continue
            if least[1] < most[1]:
                node = tree.lowest_above(least[1:2], most[1:2])[0]
                most[1] = tree.last[node]
                least[1] = tree.last[node] - tree.counts[node] + 1
            if least[2] < most[2]:
                least[2], most[2] = 0, scales.scales[2].size - 1
            expected.add((*least.tolist(), *most.tolist()))
    assert found == expected
    with pytest.raises(NotSupportedError, match="at most 3 boxes"):
        boxes_of(scales, places, run.objective.kept(table), 3, run)
