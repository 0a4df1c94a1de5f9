"""Tests that a search uses as many cores as it may, and waits for none for ever."""

import math
import random
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from threading import Event

import numpy as np
import pytest

from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.instances import STARS, KAnonymity, Run, Table
from starmin.instances.catalogue.catalogue import load_instance
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs import cores as module
from starmin.instances.runs import run as run_module
from starmin.instances.runs.background_call import BackgroundCall, ended_on_return
from starmin.instances.runs.cores import (
    Cores,
    Seat,
    Team,
    Threads,
    cores,
    current_seat,
    limited_to,
    pause,
    resting,
)
from starmin.models.lagrangian_relaxation import pricing_distinct as pricing_data
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianFunction,
    LagrangianSubgradient,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.pricing.cut_prices import CutParams, CutPrices
from starmin.models.pricing.pool_sources import good_prices
from tests.support.effort import seeds


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
        end = time.monotonic() + 60.0
        while min(map(len, seen)) < 10 and time.monotonic() < end:
            pause(0.05)
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
    seat = Seat(one)
    seat.take()
    assert not one.wanted(math.inf)
    seat.give()


def test_nobody_waits_for_a_call_that_came_too_late():
    """It comes when the pool has ended, while that waits for those it has begun."""
    with limited_to(2) as shared:
        pool = Threads(1)
        ThreadPoolExecutor.shutdown(pool, wait=False)
        with pytest.raises(RuntimeError, match="after shutdown") as late:
            pool.submit_if_idle(int)
        assert [call.done() for call in pool._running] == [True] and late.tb
        ended = threading.Thread(target=pool.shutdown, daemon=True)
        ended.start()
        ended.join(20)
        assert not ended.is_alive() and shared.idle == 1


def test_one_worker_uses_one_core(made):
    table = load_instance("census:n=5000,sensitive=none")
    large_neighbourhood(table, KAnonymity(3), time_limit=1.0)  # compiles its loops
    made.clear()
    began, used = time.perf_counter(), time.process_time()
    found = large_neighbourhood(table, KAnonymity(3), time_limit=3.0, workers=1)
    wall = time.perf_counter() - began
    assert found.lower_bound <= found.value
    assert [each.most for each in made] == [1]
    # On a core of its own it uses 1.00 of the time; 1.7 before threads took turns.
    assert time.process_time() - used <= 1.15 * wall


@pytest.mark.parametrize(("k", "l"), [(3, 1), (4, 1), (2, 2)])
def test_prices_prove_the_same_whoever_prices_blocks(k, l, monkeypatch):
    monkeypatch.setattr(pricing_data, "BLOCK", 50)
    table = clustered(120, 4, 3, seed=2, sensitive=5)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, STARS, k, l)
    alone, many = (LagrangianFunction(patterns, k, l) for _ in range(2))
    assert len(pricing_data.blocks_of(patterns.starts)) >= 10
    rng = np.random.default_rng(0)
    with limited_to(4), Team() as many.team:
        for _ in range(40):
            prices = alone.unit.whole(rng.uniform(0, 6, len(types)))
            (value, short), (other, too) = alone(prices), many(prices)
            assert value == other
            assert (short == too).all()


def test_cuts_prove_the_same_for_any_number_of_cores(monkeypatch):
    monkeypatch.setattr(pricing_data, "BLOCK", 50)
    table = clustered(150, 4, 3, seed=4)
    found = []
    for count in (1, 3):
        run = Run(table, KAnonymity(3))
        prices = good_prices(run, 60.0)
        with limited_to(count):
            cuts = CutPrices(run, prices, CutParams(patience=2))
            cuts.improve()
        found.append((cuts.value, cuts.iterations, run.lower_bound))
    assert found[0] == found[1]


def test_blocks_are_worked_on_once_each_and_errors_are_told():
    seen = []
    with limited_to(3), Team() as team:
        team.share(500, lambda worker, block: seen.append((worker, block)))
        assert sorted(block for _, block in seen) == list(range(500))
        assert {worker for worker, _ in seen} <= {0, 1, 2}
        with pytest.raises(ZeroDivisionError):
            team.share(9, lambda worker, block: 1 // (block - 5))
        assert current_seat().cores.wanted(math.inf) is False


def test_calls_that_overlap_leave_the_seat_to_who_began_them() -> None:
    """The first to begin ends first: a solver that hears late of its end does so."""
    first, second = Event(), Event()
    with limited_to(1), ended_on_return():
        seat = current_seat()
        assert seat is not None
        own = seat.thread
        early = BackgroundCall(first.wait, first.set)
        late = BackgroundCall(second.wait, second.set)
        for event, call in ((first, early), (second, late)):
            event.set()
            assert call.wait(10.0)
        assert seat.thread == own and seat.threads == [own]
        with Threads(1) as pool:
            assert pool.submit(lambda: 7).result() == 7


def test_a_call_goes_on_without_a_core_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.01)
    shared = Cores(1)
    first, second, third = (Seat(shared) for _ in range(3))
    first.take()
    second.take()  # nobody gives: it goes on
    assert shared.most == 2 and shared.wanted(0.0)  # who had a turn is to wait
    assert not third.cores.take_idle(third)
    first.give()
    assert not shared.wanted(math.inf)
    assert not third.cores.take_idle(third)  # one is in use, as many as there are
    second.give()
    assert third.cores.take_idle(third)


@pytest.mark.parametrize("seed", seeds(20))
def test_a_core_goes_to_who_has_had_one_for_least_seconds(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some look at the clock seldom, some come late: nobody has more for that."""
    clock, rng = [0.0], random.Random(seed)
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    shared = Cores(1)
    looks = [rng.choice([0.001, 0.1, 1.0]) for _ in range(rng.randint(2, 5))]
    seats = [Seat(shared) for _ in looks]
    seats[0].take()
    clock[0] += rng.uniform(0, 50)  # alone
    for seat in seats[1:]:
        seat.used = seats[0].had
        shared._waiting[seat] = Event()
        shared._look()
    began, at = [seat.had for seat in seats], seats[0]
    for _ in range(3000):
        clock[0] += looks[seats.index(at)]
        if at.turn >= module._TURN and shared.wanted(at.had):
            shared.give(at)
            shared._waiting[at] = Event()
            shared._look()
            at = next(seat for seat in seats if seat in shared._at_work)
    had = [seat.had - before for seat, before in zip(seats, began, strict=True)]
    assert max(had) - min(had) <= max(looks) + module._TURN + 1e-6


def test_who_comes_late_has_no_more_than_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    shared = Cores(2)
    early, late = Seat(shared), Seat(shared)
    early.take()
    clock[0] = 30.0
    late.take()
    assert late.had == early.had == 30.0
    late.give()
    helper = Seat(shared)
    assert helper.cores.take_idle(helper) and helper.had == 30.0
    helper.give()
    early.give()
    alone = Seat(shared)  # nobody is at work, but some will come back
    alone.take()
    assert alone.had == 30.0


def test_steps_of_prices_let_others_have_the_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[None] = []
    monkeypatch.setattr(run_module, "wait_for_turn", lambda: asked.append(None))
    table = clustered(60, 3, 3, seed=1)
    run = Run(table, KAnonymity(3))
    patterns = closed_patterns(table, table.row_types, STARS, 3)
    prices = LagrangianSubgradient(run, patterns)
    prices.improve_once(1.0, 30)
    assert len(asked) >= prices.iterations > 20


def test_a_limit_below_one_is_one() -> None:
    with limited_to(0):
        assert cores() == 1
