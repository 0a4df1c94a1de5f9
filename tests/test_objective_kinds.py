"""Tests that objectives are what their kinds state: a cap, and who is charged."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from starmin.instances import NotSupportedError, Objective, Table
from starmin.instances.releases.objective_kinds import OBJECTIVES, ObjectiveName
from starmin.instances.scales.node_losses import LOSS_RULES, Rule

ROWS = [["0", "x", "p"], ["0", "y", "q"], ["1", "y", "r"]]
TABLE = Table.from_rows("abc", ROWS, qi="abc")
STARRED = np.array([[s >> j & 1 for j in range(3)] for s in range(8)], bool)


def test_every_word_that_is_typed_is_declared():
    assert list(OBJECTIVES) == list(get_args(ObjectiveName))
    assert list(LOSS_RULES) == list(get_args(Rule))


def test_a_row_pays_no_more_than_the_cap(monkeypatch):
    stars = Objective().row_costs(TABLE, STARRED)
    assert stars.tolist() == STARRED.sum(axis=1).tolist()
    for cap in (1, 2, 3):
        capped = replace(OBJECTIVES["tuples"], cap=cap)
        monkeypatch.setitem(OBJECTIVES, "tuples", capped)
        objective = Objective("tuples")
        costs = objective.row_costs(TABLE, STARRED)
        assert costs.tolist() == [min(cost, cap) for cost in stars.tolist()]
        assert objective.whole(TABLE) == TABLE.n * cap


def test_where_a_row_pays_once_one_column_stands_for_all():
    for kind in ("stars", "tuples"):
        objective = Objective(kind)
        charged, weights = objective.charged(TABLE, STARRED)
        assert (charged @ weights).tolist() == (
            objective.row_costs(TABLE, STARRED).tolist()
        )


def test_a_cap_that_loops_do_not_know_is_refused(monkeypatch):
    assert Objective("tuples").once and not Objective().once
    capped = replace(OBJECTIVES["tuples"], cap=2)
    monkeypatch.setitem(OBJECTIVES, "tuples", capped)
    with pytest.raises(NotSupportedError, match="without a cap of 2 a row"):
        _ = Objective("tuples").once
