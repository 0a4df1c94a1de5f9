"""Tests that losses are those computed by hand."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from starmin.instances import Objective, Partition, Scales, Table, Taxonomy
from starmin.instances.scales.node_losses import (
    discernibility,
    gcp,
    group_ncp,
)

# The taxonomy of the paper's Figure 20: NCP({Italy, France}) = 3/5.
COUNTRIES = Taxonomy.parse("{Europe{Italy,France,Spain},America{US,Canada}}")
ROWS = [
    ["20", "Italy", "f", "x"],
    ["30", "France", "f", "y"],
    ["30", "Italy", "f", "x"],
    ["60", "US", "m", "x"],
    ["60", "Spain", "m", "y"],
]
TABLE = Table.from_rows(
    ["age", "country", "sex", "ill"], ROWS, ["age", "country", "sex"], ["ill"]
)
SCALES = Scales.of(TABLE, ["age"], {"country": COUNTRIES})
GROUPS = Partition(np.array([0, 0, 0, 1, 1], np.int32))
LOW, HIGH = SCALES.ranges(TABLE, GROUPS.groups, GROUPS.size)
NCP = SCALES.ncp(LOW, HIGH)
SIZES = GROUPS.sizes


def test_ncp_by_column_and_group():
    assert NCP.tolist() == [[10 / 40, 3 / 5, 0], [0, 1, 0]]
    assert group_ncp(NCP) == pytest.approx([0.85, 1])
    assert group_ncp(NCP, [2, 1, 4]) == pytest.approx([1.1, 1])


def test_gcp_and_its_exact_value():
    assert gcp(SIZES, NCP) == pytest.approx((3 * 0.85 + 2) / 15)
    assert gcp(SIZES, NCP, [2, 1, 4]) == pytest.approx((3 * 1.1 + 2) / 35)
    assert gcp(SIZES, NCP, [0, 0, 0]) == 0
    objective = Objective("gcp", scales=SCALES)
    # Domains 4 (tens of years), 5 and 1: in units of 1/20.
    assert GROUPS.value(TABLE, objective) == 3 * (5 + 12) + 2 * 20
    assert objective.whole(TABLE) == 5 * 3 * 20
    weighted = Objective("gcp", weights={"age": 2, "sex": 4}, scales=SCALES)
    share = GROUPS.value(TABLE, weighted) / weighted.whole(TABLE)
    assert share == pytest.approx((3 * 1.1 + 2) / 35)


def test_by_stars_alone_gcp_is_the_number_of_stars():
    plain = Objective("gcp")
    assert GROUPS.value(TABLE, plain) == GROUPS.value(TABLE) == 3 * 2 + 2
    assert plain.whole(TABLE) == 15
    assert GROUPS.value(TABLE, Objective("gcp", {"age": 5})) == 3 * 6 + 2


def test_measures_of_groups(monkeypatch):
    folder = Path(__file__).parents[1] / "benchmarks/papers/one_dimensional"
    monkeypatch.syspath_prepend(folder)
    measures = import_module("group_losses")
    assert discernibility(SIZES) == 13
    assert measures.weighted_max_ncp(SIZES, NCP) == pytest.approx(2.55)
    assert measures.mean_ncp(NCP) == pytest.approx(0.925)
    # Sides that are single values are 1/3 (age), 1/2 (sex).
    volume = measures.weighted_mean_volume(SIZES, NCP, [3, 5, 2])
    assert volume == pytest.approx((3 * (0.25 * 0.6 / 2) + 2 * (1 / 3 / 2)) / 5)
