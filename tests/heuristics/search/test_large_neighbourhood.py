"""Tests that large neighbourhood search is valid, never worse, and uses operators."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from starmin.heuristics.annealing.pattern_annealing import AnnealingRounds
from starmin.heuristics.large_neighbourhood.budgets import open_search
from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    LARGE_NEIGHBOURHOOD_PARAMS,
    SCHEDULE_PARAMS,
    Means,
)
from starmin.heuristics.large_neighbourhood.operator_schedule import OperatorSchedule
from starmin.heuristics.orders.along_curves import gray_order
from starmin.heuristics.orders.suppression import (
    lexicographic_suppression,
    offer_sorted,
)
from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Partition,
    Release,
    Run,
    Scales,
)
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.cores import Threads
from starmin.models.pattern_program.pattern_program import loads_of
from starmin.models.pricing.pool_sources import pattern_pool
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.releases.release_check import check_release
from tests.support.effort import patiently
from tests.support.small_problems import ask


@pytest.mark.parametrize(("k", "l"), [(4, 1), (3, 2)])
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
    endless = replace(LARGE_NEIGHBOURHOOD_PARAMS, ruin_proposals=math.inf)
    late = replace(endless, ruin_share=0.0)
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


@dataclass
class Part:
    free: np.ndarray

    def solve(self):
        return None, 0.0


class InVain:
    """Proposes parts that change nothing, and notes that it was asked."""

    complete = False

    def __init__(self, name, asked):
        self.name, self.asked = name, asked

    def propose(self, loads, remaining, busy):
        self.asked.append(self.name)
        return Part(np.zeros_like(busy))

    def merge(self, loads, part, found, seconds):
        return None


class Empty(InVain):
    """Has no part to propose."""

    def propose(self, loads, remaining, busy):
        self.asked.append(self.name)


def test_every_search_has_a_turn_before_stagnation_ends():
    table = clustered(60, 4, 3, centres=6, sensitive=4, seed=0)
    run = Run(table, LDiversity(2), STARS)  # turns end without a limit, too
    offer_sorted(run)
    pool = pattern_pool(run, initial=run.best)
    loads = loads_of(table, STARS, pool.patterns, run.best)
    asked: list[str] = []
    turns = OperatorSchedule(run, pool, loads, stagnation=5)
    for name, search in zip("abc", (InVain, Empty, InVain), strict=True):
        turns.add(search(name, asked))
    with ThreadPoolExecutor(2) as executor:
        turns.improve(executor, 2)
    assert "".join(dict.fromkeys(asked)) == "abc"
    assert min(asked.count(name) for name in "abc") >= 5
    assert (turns.loads == loads).all()


class Clock:
    """A run whose time passes as it is told."""

    elapsed, remaining, closed = 0.0, 30.0, False

    def check_time(self):
        pass


class Timed(OperatorSchedule):
    """Gains in each second of an operator what it is said to gain."""

    def __init__(self, rates):
        patterns = SimpleNamespace(cost=np.ones(1), pattern=np.zeros(1, np.int64))
        pool = SimpleNamespace(patterns=patterns)
        super().__init__(Clock(), pool, np.array([1e9]), stagnation=5)
        self.rates, self.seconds = rates, [0.0] * len(rates)
        for _ in rates:
            self.add(SimpleNamespace(complete=False))

    def _use(self, number, executor, slots, until):
        took = until - self.run.elapsed
        self.run.elapsed = until
        self.loads = self.loads - took * self.rates[number]
        self.seconds[number] += took


@pytest.mark.parametrize("rates", [(9.0, 1.0), (1.0, 9.0), (4.0, 4.0), (6.0, 3.0, 1.0)])
def test_an_operator_has_time_by_what_it_gains(rates):
    turns = Timed(rates)
    assert turns.improve(None, 1, seconds=3000.0)
    assert sum(turns.seconds) == pytest.approx(3000.0)
    shares = np.array(turns.seconds) / 3000.0
    assert shares == pytest.approx(np.array(rates) / sum(rates), abs=0.02)


def test_an_operator_that_gains_nothing_is_tried_again():
    turns = Timed((5.0, 0.0))
    turns.improve(None, 1, seconds=3000.0)
    least = SCHEDULE_PARAMS.least_rate
    assert turns.seconds[1] / turns.seconds[0] == pytest.approx(least, abs=0.01)
