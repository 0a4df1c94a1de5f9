"""Tests that `auto` starts losses from groups for stars, and searches wide tables."""

from collections.abc import Callable

import numpy as np
import pytest

from starmin.auto import choice
from starmin.auto.schedule.schedule import SCHEDULE
from starmin.heuristics.orders.along_curves import gray_order, hilbert, idistance
from starmin.heuristics.orders.lexicographic_suppression import (
    lexicographic_suppression,
)
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Problem,
    Result,
    Scales,
    Table,
    Taxonomy,
)
from tests.patience import patiently
from tests.small_losses import random_problem
from tests.small_problems import ask

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


def test_losses_are_no_more_than_those_of_groups_for_stars(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Told apart from other starts by leaving those out, and all that follows."""
    kept = [turn for turn in SCHEDULE if turn.stars]
    monkeypatch.setattr(choice, "SCHEDULE", kept)
    table, requirement = _table(6), KAnonymity(4)
    objective = _objective(table)
    stars = Objective("stars", objective.weights)
    groups = lexicographic_suppression(table, requirement, objective=stars).best
    assert groups is not None
    found = choice.solve_by(
        "auto", Problem(table, requirement, objective), {"time_limit": 30.0}
    )
    assert found.value == groups.value(table, objective)
    assert found.value < Partition.single(table).value(table, objective)


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


@pytest.mark.parametrize(
    ("columns", "method"), [(6, "large_neighbourhood"), (24, "ruin_and_recreate")]
)
def test_diverse_losses_of_wide_tables_are_searched_without_prices(
    columns: int, method: str
) -> None:
    table = _table(columns)
    requirement = LDiversity(2) & KAnonymity(4)
    objective = _objective(table)
    problem = Problem(table, requirement, objective)
    patiently(
        lambda seconds: choice.solve_by("auto", problem, {"time_limit": seconds}),
        lambda found: found.stats["method"] == method,
        1.0,
    )
