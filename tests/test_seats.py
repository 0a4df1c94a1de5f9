"""Tests that nobody waits for a core for ever."""

from threading import Event

import pytest

from starmin.instances import STARS, KAnonymity, Run
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs import cores as module
from starmin.instances.runs import run as run_module
from starmin.instances.runs.background_call import (
    BackgroundCall,
    ended_on_return,
)
from starmin.instances.runs.cores import (
    Cores,
    Threads,
    cores,
    current_seat,
    give_way,
    limited_to,
)
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianSubgradient,
)
from starmin.models.patterns.closed_listing import closed_patterns


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
    shared.take()
    shared.take()  # nobody gives: it goes on
    assert shared.most == 2 and shared.wanted  # who had a turn is to wait
    assert not shared.take_idle()
    shared.give()
    assert not shared.wanted
    assert not shared.take_idle()  # one is in use, as many as there are
    shared.give()
    assert shared.take_idle()


def test_calls_have_as_long_turns_as_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some look at the clock seldom, and shall not have more of a core for that."""
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    monkeypatch.setattr(Cores, "wanted", True)
    with limited_to(1) as shared:
        given: list[float] = []
        give = shared.give
        monkeypatch.setattr(shared, "give", lambda: (given.append(clock[0]), give())[1])
        seldom, often = 0.1, 0.01
        for step, until in ((seldom, 0.1), (often, 0.3), (seldom, 0.4)):
            while clock[0] < until - 1e-9:
                clock[0] += step
                give_way()
        assert given == pytest.approx([0.1, 0.19, 0.28, 0.4])
        clock[0] += 5.0
        give_way()
        assert shared.turn == 0.25


def test_steps_of_prices_let_others_have_the_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[None] = []
    monkeypatch.setattr(run_module, "give_way", lambda: asked.append(None))
    table = clustered(60, 3, 3, seed=1)
    run = Run(table, KAnonymity(3))
    patterns = closed_patterns(table, table.row_types, STARS, 3)
    prices = LagrangianSubgradient(run, patterns, table.row_types, 3, 1)
    prices.improve_once(1.0, 30)
    assert len(asked) >= prices.iterations > 20


def test_a_limit_below_one_is_one() -> None:
    with limited_to(0):
        assert cores() == 1
