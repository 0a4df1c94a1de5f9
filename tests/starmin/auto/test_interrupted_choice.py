"""Tests what is published when the interrupt comes before any method has an answer."""

from typing import Any

import numpy as np
import pytest

from starmin.auto import choice as choose
from starmin.auto.choice import bound_by
from starmin.heuristics.annealing.pattern_annealing import AnnealingRounds
from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.heuristics.large_neighbourhood.operator_schedule import OperatorSchedule
from starmin.instances import (
    STARS,
    Coding,
    KAnonymity,
    Limit,
    NonHomogeneous,
    Objective,
    Partition,
    Problem,
    Result,
    Run,
    Status,
)
from starmin.instances.catalogue.catalogue import hospital
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.method import Method


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(choose, "_solve", stop)


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize(
    "coding", [Coding(), Coding("nonhomogeneous")], ids=["groups", "nonhomogeneous"]
)
def test_it_is_a_release_or_the_reason_why_there_is_none(coding: Coding) -> None:
    table = hospital()
    result = choose.solve_by("auto", Problem(table, KAnonymity(2), STARS, coding), {})
    assert result.limit is Limit.INTERRUPTED and result.status is Status.FEASIBLE
    assert result.best.violation(table, KAnonymity(2), STARS) is None
    asked = KAnonymity(table.n + 1)
    none = choose.solve_by("auto", Problem(table, asked, STARS, coding), {})
    assert none.status is Status.INFEASIBLE and "fewer than k = 11" in none.reason


@pytest.mark.usefixtures("interrupted")
def test_it_is_no_worse_than_the_release_to_start_from() -> None:
    table, k = hospital(), KAnonymity(2)
    pairs = Partition.from_labels(np.arange(table.n) // 2)
    single = Partition.single(table).value(table, STARS)
    result = choose.solve_by("auto", Problem(table, k, STARS), {"initial": pairs})
    assert result.value == pairs.value(table, STARS) < single
    rings = NonHomogeneous.from_matchings(
        table, np.array([np.arange(10), np.arange(10) ^ 1], np.int32)
    )
    found = choose.solve_by(
        "auto", Problem(table, k, STARS, Coding("nonhomogeneous")), {"initial": rings}
    )
    assert found.value <= rings.value(table, STARS)


@pytest.mark.parametrize(
    "coding", [Coding(), Coding("nonhomogeneous")], ids=["groups", "nonhomogeneous"]
)
def test_a_method_that_was_interrupted_is_the_last_one(
    coding: Coding, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def interrupted(table: Any, requirement: Any, **_: Any) -> Result[Any]:
        begun.append(table)
        return Run[Any](table, requirement).result(Limit.INTERRUPTED)

    monkeypatch.setattr(Method, "load", lambda self: interrupted)
    table = clustered(600, 4, seed=1)
    for method in ("auto", "auto"):  # the second search is none of the first one's
        begun.clear()
        problem = Problem(table, KAnonymity(3), STARS, coding)
        result = choose.solve_by(method, problem, {"time_limit": 60.0})
        assert len(begun) == 1
        assert result.limit is Limit.INTERRUPTED and result.value is not None
    begun.clear()
    bound = bound_by("auto", Problem(table, KAnonymity(3), STARS), {})
    assert len(begun) == 1 and bound.limit is Limit.INTERRUPTED


@pytest.mark.parametrize("kind", ["stars", "gcp"])
def test_a_large_table_without_a_release_has_the_reason(kind: Any) -> None:
    table = clustered(600, 4, seed=1)
    options = {"time_limit": 30.0}
    none = choose.solve_by(
        "auto", Problem(table, KAnonymity(601), Objective(kind)), options
    )
    assert none.status is Status.INFEASIBLE and "fewer than k = 601" in none.reason


@pytest.mark.parametrize("kind", ["stars", "gcp"])
def test_no_part_is_tried_once_annealing_was_interrupted(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(AnnealingRounds, "anneal", interrupt)
    monkeypatch.setattr(OperatorSchedule, "improve", lambda *_: pytest.fail("went on"))
    table = clustered(60, 4, seed=1)
    result = large_neighbourhood(table, KAnonymity(3), objective=Objective(kind))
    assert result.limit is Limit.INTERRUPTED and result.value is not None
