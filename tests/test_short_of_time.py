"""Tests that methods which need patterns publish well where there is no time for them.

The listing of the patterns is made to run out of time; what is published then is the
release along the sorted rows, or the one that was given.
"""

import pytest

from starmin.heuristics.orders.suppression import (
    lexicographic_suppression,
)
from starmin.instances import KAnonymity, LDiversity
from starmin.instances.catalogue.generators import clustered
from starmin.models.pricing import pool_sources
from starmin.registry import find
from tests.patience import patiently


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
