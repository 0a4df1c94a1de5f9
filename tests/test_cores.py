"""Tests that a search uses as many cores as it may, and no more."""

import threading
import time
from concurrent.futures import FIRST_COMPLETED, wait

import pytest

from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.instances import KAnonymity, Run, Table
from starmin.instances.catalogue.catalogue import load_instance
from starmin.instances.runs import cores as module
from starmin.instances.runs.cores import Cores, cores, limited_to, pause, resting
from starmin.instances.runs.threads import Threads


@pytest.fixture
def made(monkeypatch):
    """Keep all cores that are made, to ask how many were in use at a time."""
    kept = []

    class Kept(Cores):
        def __init__(self, count):
            super().__init__(count)
            kept.append(self)

    monkeypatch.setattr(module, "Cores", Kept)
    return kept


def work(run, until, at_work, seen):
    """Look at the clock, again and again, as a search does."""
    while not until.is_set():
        at_work.append(1)
        seen.append(len(at_work))
        time.sleep(0.001)
        at_work.pop()
        assert run.remaining > 0


@pytest.mark.parametrize("count", [1, 2, 3])
def test_more_calls_than_cores_take_turns(count):
    run = Run(Table.from_rows(["a"], [["0"]] * 2, qi=["a"]), KAnonymity(2))
    until, at_work = threading.Event(), []
    seen = [[] for _ in range(5)]
    with limited_to(count), Threads(5) as threads:
        calls = [threads.submit(work, run, until, at_work, each) for each in seen]
        pause(0.6)
        until.set()
        for call in calls:
            call.result()
    assert max(map(max, seen)) == count
    assert min(map(len, seen)) >= 10  # none was left out


def test_who_waits_needs_no_core():
    def outer(threads, depth):
        if depth == 0:
            return 1
        return 1 + threads.submit(outer, threads, depth - 1).result()

    with limited_to(1), Threads(8) as threads:
        assert threads.submit(outer, threads, 6).result() == 7
        calls = {threads.submit(outer, threads, 0) for _ in range(3)}
        while calls:
            with resting():
                _, calls = wait(calls, None, FIRST_COMPLETED)
        assert list(threads.map(abs, [-1, -2])) == [1, 2]


def test_a_limit_holds_for_what_is_inside():
    with limited_to(2), limited_to(5), limited_to(None), Threads(1) as threads:
        assert cores() == threads.submit(cores).result() == 2
    with limited_to(5), limited_to(2):
        assert cores() == 2
    assert cores() == module.usable_cores()


def test_an_interrupt_or_an_error_loses_no_core():
    with limited_to(1) as one, Threads(1) as threads:
        with pytest.raises(KeyboardInterrupt), resting():
            raise KeyboardInterrupt
        with pytest.raises(ZeroDivisionError):
            threads.submit(lambda: 1 // 0).result()
        assert threads.submit(lambda: 3).result() == 3
    one.take()
    assert not one.wanted
    one.give()


@pytest.mark.parametrize("k", [3, 5])
def test_one_worker_uses_one_core(k, made):
    table = load_instance("census:n=5000,sensitive=none")
    large_neighbourhood(table, KAnonymity(k), time_limit=1.0)  # compiles its loops
    made.clear()
    began, used = time.perf_counter(), time.process_time()
    found = large_neighbourhood(table, KAnonymity(k), time_limit=4.0, workers=1)
    wall = time.perf_counter() - began
    assert found.lower_bound <= found.value
    assert [each.most for each in made] == [1]
    # On a core of its own it uses 1.00 of the time; 1.7 before threads took turns.
    assert time.process_time() - used <= 1.15 * wall
