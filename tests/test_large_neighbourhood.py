"""Tests that large neighbourhood search is valid and never worse than its start."""

import pytest

from heuristics.large_neighbourhood.large_neighbourhood import large_neighbourhood
from heuristics.orders.lexicographic_suppression import lexicographic_suppression
from instances import Limit, Release
from instances.catalogue.generators import clustered
from tests.small_problems import ask
from verify.releases.release import check_release


@pytest.mark.parametrize(("k", "l"), [(4, 1), (1, 2), (3, 2)])
def test_a_release_is_improved_and_none_is_lost(k: int, l: int) -> None:
    table, requirement = clustered(100, 4, 4, seed=2, sensitive=5), ask(k, l)
    start = lexicographic_suppression(table, requirement)
    found = large_neighbourhood(
        table, requirement, initial=start.best, stagnation=3, workers=1
    )
    assert found.lower_bound <= found.value < start.value
    published = Release(table, found.best).published
    check = check_release(published, requirement, table)
    assert check.holds and check.consistent and check.stars == found.value
    again = large_neighbourhood(
        table, requirement, initial=found.best, stagnation=1, workers=1
    )
    assert again.value <= found.value
    hurried = large_neighbourhood(
        table, requirement, initial=found.best, time_limit=0.0
    )
    assert hurried.limit is Limit.TIME and hurried.value == found.value
