"""Tests that nobody waits for a core for ever."""

from threading import Event

import pytest

from starmin.instances.runs.workers import cores as module
from starmin.instances.runs.workers.background_call import (
    BackgroundCall,
    ended_on_return,
)
from starmin.instances.runs.workers.cores import Cores, cores, current_seat, limited_to
from starmin.instances.runs.workers.threads import Threads


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


def test_a_limit_below_one_is_one() -> None:
    with limited_to(0):
        assert cores() == 1
