"""Tests that `auto` starts losses from groups for stars, and searches wide tables."""

from collections.abc import Callable

import numpy as np
import pytest

from starmin.auto import choice
from starmin.heuristics.orders.along_curves import gray_order, hilbert, idistance
from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.instances import (
    KAnonymity,
    Objective,
    Problem,
    Result,
    Scales,
    Table,
    Taxonomy,
)
from tests.support.small_problems import ask, random_problem

TREE = Taxonomy.parse("{north{a,b,c},south{d,e},f}")


def _table(columns: int) -> Table:
    """Return a table of a tree, numbers and flat columns, and a sensitive column."""
    rng = np.random.default_rng(3)
    names = ["tree", "age", *(f"flat {j}" for j in range(columns - 2))]
    size = 500
    cells = [
        rng.choice(list("abcdef"), size),
        rng.integers(100, size=size).astype(str),
        *rng.choice(list("xyz"), (columns - 2, size), p=[0.8, 0.15, 0.05]),
        rng.choice(list("uvw"), size),
    ]
    rows = np.array(cells).T.tolist()
    return Table.from_rows([*names, "s"], rows, qi=names, sensitive=["s"])


def _objective(table: Table, max_levels: dict[str, int] | None = None) -> Objective:
    scales = Scales.of(table, ["age"], {"tree": TREE}, max_levels=max_levels)
    return Objective("gcp", {"flat 0": 3}, scales=scales)


def test_groups_for_stars_that_need_a_node_too_high_are_left_out() -> None:
    table, requirement = _table(6), KAnonymity(4)
    objective = _objective(table, {"tree": 1})
    stars = lexicographic_suppression(table, requirement, objective=Objective())
    assert stars.best is not None
    assert stars.best.violation(table, requirement, objective) is not None
    found = choice.solve_by(
        "auto", Problem(table, requirement, objective), {"time_limit": 0.5}
    )
    assert found.best is not None
    assert found.best.violation(table, requirement, objective) is None


@pytest.mark.parametrize("method", [gray_order, hilbert, idistance])
def test_groups_along_an_order_stay_below_the_highest_level(
    method: Callable[..., Result],
) -> None:
    """In this problem a group across the highest nodes would lose less."""
    _, table, objective, k, l = random_problem(271)
    assert objective.scales is not None
    assert objective.scales.roofs
    found = method(table, ask(k, l), objective=objective)
    assert found.best is not None
    assert found.best.violation(table, ask(k, l), objective) is None
