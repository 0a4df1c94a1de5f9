"""Tests that a time limit says how long a search goes on, however short it is.

The listing of the patterns is made to run out of time; what is published then is the
release along the sorted rows, or the one that was given.
"""

import pytest

import starmin
from starmin.heuristics.annealing.pattern_annealing import AnnealingRounds
from starmin.heuristics.large_neighbourhood import budgets, round_search
from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.heuristics.near_patterns.near_pattern_annealing import (
    near_pattern_annealing,
)
from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.instances import STARS, KAnonymity, LDiversity, Limit
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.search_control import interrupted
from starmin.models.bounds.near_listing import NearPrices
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.pricing import pool_sources
from starmin.models.pricing.pool_sources import ListedPatterns
from starmin.registry import find
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import patiently
from tests.support.small_problems import ask

TABLE = clustered(300, 5, 5, centres=30, seed=1, sensitive=4)


def _rounds(
    limit: float, monkeypatch: pytest.MonkeyPatch, near: bool = False
) -> list[float]:
    """Return the seconds of the rounds of a search, none of which takes any.

    A round says that it proposed ten moves for each type in a second.
    """
    asked: list[float] = []
    monkeypatch.setattr(
        AnnealingRounds,
        "anneal",
        lambda self, seconds, *others: asked.append(seconds) or [],
    )
    moves = property(lambda self: 10 * sum(asked) * len(self.pool.types))
    monkeypatch.setattr(AnnealingRounds, "proposals", moves)
    monkeypatch.setattr(ListedPatterns, "refine", lambda self, *others: None)
    if near:
        near_pattern_annealing(TABLE, KAnonymity(3), time_limit=limit)
    else:
        large_neighbourhood(TABLE, KAnonymity(3), time_limit=limit, stagnation=0)
    return asked


def test_rounds_grow_alike_and_the_last_one_fills_the_time(monkeypatch):
    long = _rounds(300.0, monkeypatch)
    assert long == [0.35, 0.7, 1.4, 2.8]
    *begun, last = _rounds(4.0, monkeypatch)
    assert begun == long[: len(begun)] and last != long[len(begun)]
    assert last <= 4.0


def test_rounds_on_near_patterns_do_not_depend_on_the_limit(monkeypatch):
    long = _rounds(300.0, monkeypatch, near=True)
    assert long == _rounds(20.0, monkeypatch, near=True)
    assert long == [long[0] * 2**n for n in range(3)] and long[0] < 0.01


def test_budgets_grow_alike_and_the_last_one_fills_the_time(monkeypatch):
    given: list[float] = []

    def search(means) -> None:
        given.append(means.run.time_limit)
        raise TimeoutError

    monkeypatch.setattr(budgets, "_search", search)
    found = large_neighbourhood(TABLE, LDiversity(2), time_limit=3000.0)
    assert given[:-1] == [5.0 * 2**n for n in range(8)] and 1280 < given[-1] <= 3000
    assert found.limit is Limit.TIME and found.best is not None
    given.clear()
    large_neighbourhood(TABLE, LDiversity(2), time_limit=12.0)
    assert len(given) == 1 and 0 < given[0] <= 12.0


@pytest.mark.parametrize("requirement", [KAnonymity(4), ask(1, 2)])
def test_a_long_search_that_is_stopped_early_has_a_good_release(requirement):
    start = lexicographic_suppression(TABLE, requirement).value

    def good(now: starmin.Progress) -> bool:
        return now.value is not None and now.value < start

    result = starmin.solve(
        TABLE,
        requirement=requirement,
        method="large_neighbourhood",
        time_limit=3600.0,
        on_progress=good,
    )
    assert result.limit is Limit.CALLBACK and not interrupted()
    assert result.lower_bound <= result.value < start


def test_prices_that_are_refined_beside_the_rounds_prove_the_bound():
    table = clustered(40, 5, 4, centres=8, seed=1)
    result = large_neighbourhood(table, KAnonymity(4), stagnation=2)
    rough = starmin.bound(table, 4, method="own_pattern").lower_bound
    assert result.bound_method is not None
    assert rough <= result.lower_bound <= result.value
    assert result.certificate.bound == result.lower_bound


@pytest.mark.parametrize("k", [2, 4])
def test_prices_found_box_by_box_beside_the_rounds_prove_the_bound(k, monkeypatch):
    monkeypatch.setattr(round_search, "is_wide", lambda *problem: True)
    table = clustered(100, 5, 4, centres=20, seed=1)
    listed = starmin.bound(table, k, method="lagrangian").lower_bound
    found = patiently(
        lambda seconds: large_neighbourhood(table, KAnonymity(k), time_limit=seconds),
        lambda found: found.lower_bound >= 0.98 * listed,
        1.0,
    )
    assert found.lower_bound <= found.value
    assert check_certificate(found.certificate, table, KAnonymity(k), STARS).accepted
    few = clustered(8, 4, 3, seed=k)
    least = brute_force(few, KAnonymity(k), STARS).value
    found = large_neighbourhood(few, KAnonymity(k), stagnation=2)
    assert found.lower_bound <= least <= found.value


def test_near_prices_that_are_interrupted_prove_what_they_have(monkeypatch):
    evaluate = NearPrices._evaluate

    def interrupt(self, prices):
        if self.iterations == 3:
            raise KeyboardInterrupt
        return evaluate(self, prices)

    monkeypatch.setattr(NearPrices, "_evaluate", interrupt)
    result = near_pattern_annealing(TABLE, KAnonymity(3), time_limit=20.0)
    assert result.limit is Limit.INTERRUPTED
    assert result.lower_bound >= own_pattern(TABLE, KAnonymity(3)).lower_bound
    assert check_certificate(result.certificate, TABLE, KAnonymity(3)).accepted


def _no_time(*_args, **_kwargs) -> None:
    raise TimeoutError


@pytest.mark.parametrize(
    ("name", "requirement"),
    [
        ("pattern_annealing", KAnonymity(3)),
        ("pattern_annealing", LDiversity(2)),
        ("large_neighbourhood", KAnonymity(3)),
        ("large_neighbourhood", LDiversity(2)),
        ("lagrangian_diving", LDiversity(2)),
    ],
)
def test_the_sorted_release_or_the_given_one(name, requirement, monkeypatch) -> None:
    method = find(name, "heuristic").load()
    table = clustered(200, 4, 5, seed=1, sensitive=4)
    start = lexicographic_suppression(table, requirement).value
    better = patiently(
        lambda seconds: method(table, requirement, time_limit=seconds),
        lambda found: found.value < start,
        1.0,
    )
    monkeypatch.setattr(pool_sources, "closed_patterns", _no_time)
    assert method(table, requirement, time_limit=60.0).value == start
    given = method(table, requirement, time_limit=60.0, initial=better.best)
    assert given.value == better.value
