"""Tests that an interrupt of a method that another called ends both."""

import signal

import numpy as np

from starmin.heuristics.accuracy_constrained.presets import iterative_direct
from starmin.heuristics.local_search import clustering as module
from starmin.heuristics.local_search.clustering import clustering
from starmin.heuristics.nonhomogeneous.blocks import blocks
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.instances import (
    KAnonymity,
    Limit,
    Objective,
    Partition,
    Result,
    Scales,
    Table,
)
from starmin.instances.catalogue.generators import uniform


def test_a_search_over_l_stops_where_its_method_was_interrupted():
    x = ["0", "1", "2", "10", "11", "12"]
    rows = list(zip(x, "aabbba", strict=True))
    table = Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    asked = []

    def direct(table, requirement, objective) -> Result:
        asked.append(requirement)
        if len(asked) == 2:
            return Result(None, None, None, 0.0, limit=Limit.INTERRUPTED)
        return mondrian(table, requirement, objective=objective)

    found = iterative_direct(table, 1.0, direct, objective=gcp, whole=False)
    assert len(asked) == 2 and found.limit is Limit.INTERRUPTED
    assert found.privacy > 1


def interrupted(*words, **options) -> Result:
    return Result(None, None, None, 0.0, limit=Limit.INTERRUPTED)


def test_a_start_that_was_interrupted_is_the_end(monkeypatch):
    monkeypatch.setattr(module, "pattern_cover", interrupted)
    monkeypatch.setattr(module, "propose", None)
    result = clustering(uniform(30, d=3, seed=1), KAnonymity(2))
    assert result.limit is Limit.INTERRUPTED and result.best is not None


def test_an_interrupt_keeps_the_changes_that_were_made(monkeypatch):
    table = uniform(60, d=3, alphabet=3, seed=1)
    work, calls = module.propose, []

    def struck(*given):
        calls.append(given)
        if len(calls) == 4:
            signal.raise_signal(signal.SIGINT)
        return work(*given)

    monkeypatch.setattr(module, "propose", struck)
    start = Partition.from_labels(np.random.default_rng(0).permutation(60) // 3)
    result = clustering(table, KAnonymity(2), initial=start)
    assert len(calls) == 4 and result.limit is Limit.INTERRUPTED
    assert result.value < start.value(table)


def test_blocks_stop_where_one_was_interrupted():
    solved = []

    def method(block, requirement, **options) -> Result:
        solved.append(block)
        return interrupted()

    table = uniform(60, d=3, seed=1)
    result = blocks(table, KAnonymity(2), method=method, block_size=20, workers=1)
    assert len(solved) == 1 and result.limit is Limit.INTERRUPTED
    assert result.best.violation(table, KAnonymity(2), Objective()) is None
    assert np.array_equal(result.best.matchings[0], np.arange(60))
