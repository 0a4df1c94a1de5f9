"""Tests that each operator is used before any is used again, then as it gains."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from starmin.heuristics.large_neighbourhood.neighbourhood_params import SCHEDULE_PARAMS
from starmin.heuristics.large_neighbourhood.operator_schedule import OperatorSchedule
from starmin.heuristics.orders.suppression import offer_sorted
from starmin.instances import STARS, LDiversity, Run
from starmin.instances.catalogue.generators import clustered
from starmin.models.pattern_program.pattern_program import loads_of
from starmin.models.pricing.pool_sources import pattern_pool


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
    loads = loads_of(table, STARS, pool.types, pool.patterns, run.best)
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
