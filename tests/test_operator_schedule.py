"""Tests of the schedule: each operator is used once before any is used again."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.large_neighbourhood.operator_schedule import OperatorSchedule
from starmin.heuristics.orders.lexicographic_suppression import offer_sorted
from starmin.instances import STARS, LDiversity, Run
from starmin.instances.catalogue.generators import clustered
from starmin.models.pattern_program.decode import loads_of
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
