"""Tests that large neighbourhood search is valid and never worse than its start."""

from dataclasses import replace

import pytest

from starmin.heuristics.annealing.annealer import AnnealingRounds
from starmin.heuristics.large_neighbourhood.budgets import open_search
from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    LARGE_NEIGHBOURHOOD_PARAMS,
    Means,
)
from starmin.heuristics.orders.along_curves import gray_order
from starmin.heuristics.orders.suppression import (
    lexicographic_suppression,
)
from starmin.instances import (
    STARS,
    KAnonymity,
    Limit,
    Objective,
    Partition,
    Release,
    Run,
    Scales,
)
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.cores import Threads
from starmin.models.pricing.pool_sources import pattern_pool
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.releases.release_check import check_release
from tests.patience import patiently
from tests.small_problems import ask


@pytest.mark.parametrize(("k", "l"), [(4, 1), (1, 2), (3, 2)])
def test_a_release_is_improved_and_none_is_lost(k: int, l: int) -> None:
    table, requirement = clustered(30, 4, 4, seed=2, sensitive=5), ask(k, l)
    start = lexicographic_suppression(table, requirement)
    found = large_neighbourhood(
        table, requirement, initial=start.best, stagnation=1, workers=1
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


def test_losses_are_annealed_once_prices_are_good_but_not_late(monkeypatch):
    annealed: list[float] = []
    anneal = AnnealingRounds.anneal

    def counted(self, seconds: float, *others):
        annealed.append(seconds)
        return anneal(self, seconds, *others)

    monkeypatch.setattr(AnnealingRounds, "anneal", counted)
    where = "starmin.heuristics.large_neighbourhood.round_search.is_wide"
    monkeypatch.setattr(where, lambda *problem: True)
    table = clustered(300, 4, 6, seed=3)
    losses = Objective("gcp", scales=Scales.of(table, table.qi[:2], {}))
    start = gray_order(table, KAnonymity(8), objective=losses)
    problem = table, KAnonymity(8)
    how = {"objective": losses, "initial": start.best}
    soon = replace(LARGE_NEIGHBOURHOOD_PARAMS, ruin_share=1.0, ruin_seconds=0.0)
    found = patiently(
        lambda seconds: large_neighbourhood(
            *problem, time_limit=seconds, params=soon, **how
        ),
        lambda found: annealed and found.value < start.value,
        1.0,
    )
    assert found.lower_bound <= found.value
    assert min(found.best.sizes) >= 8
    annealed.clear()
    late = replace(LARGE_NEIGHBOURHOOD_PARAMS, ruin_share=0.0)
    found = patiently(
        lambda seconds: large_neighbourhood(
            *problem, time_limit=seconds, params=late, **how
        ),
        lambda found: found.value < start.value,
        1.0,
    )
    assert not annealed and found.lower_bound <= found.value


@pytest.mark.parametrize("slots", [1, 2])
def test_a_search_for_diversity_opens_with_releases_of_dives(slots: int) -> None:
    table, requirement = clustered(300, 5, 4, seed=5, sensitive=6), ask(2, 3)
    run = Run(table, requirement, STARS)
    run.offer(lexicographic_suppression(table, requirement).best)
    start = run.value
    with Threads(slots) as threads:
        params = LARGE_NEIGHBOURHOOD_PARAMS
        open_search(Means(run, None, 0, 1, threads, slots, params))
    assert run.lower_bound <= run.value < start
    published = Release(table, run.best).published
    check = check_release(published, requirement, table)
    assert check.holds and check.consistent and check.stars == run.value
    proof = check_certificate(run.certificate, table)
    assert proof.accepted and proof.bound == run.lower_bound


def test_rounds_go_on_from_what_they_annealed_not_from_other_releases():
    table, requirement = clustered(200, 4, 4, seed=2), ask(3, 1)
    run = Run(table, requirement, STARS, 60.0)
    better = large_neighbourhood(table, requirement, stagnation=20, workers=1)
    run.offer(better.best)
    rounds = AnnealingRounds(run, pattern_pool(run, initial=run.best), 0)
    with Threads(1) as threads:
        rounds.anneal(9.0, threads, 1, proposals=1)
        annealed, annealer = rounds.best, rounds._annealers[0]
        assert annealed is not None and annealer.cost > run.value
        begun = []
        annealer.begin_at = begun.append  # type: ignore[method-assign, assignment]
        rounds.anneal(9.0, threads, 1, proposals=1)
        assert begun == []
        annealer.deal(annealer._loads(Partition.coarsest(table, STARS)))
        best = rounds.best
        rounds.anneal(9.0, threads, 1, proposals=1)
    assert [each is best for each in begun] == [True]
