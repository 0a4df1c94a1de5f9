"""Tests that the clock of a command counts from its start, and keeps time to write."""

import math
import time

import pytest

from starmin.process import clock


@pytest.fixture
def ago(monkeypatch):
    """Let the command have started some seconds ago, and time stand still."""

    def start(seconds: float) -> None:
        monkeypatch.setattr(time, "perf_counter", lambda: 1000.0)
        clock.restart()
        monkeypatch.setattr(time, "perf_counter", lambda: 1000.0 + seconds)

    return start


def test_what_is_left_is_less_by_what_has_passed(ago):
    ago(4.0)
    assert clock.elapsed() == 4.0
    assert (clock.left(10.0), clock.left(4.0), clock.left(3.0)) == (6.0, 0.0, 0.0)
    assert clock.left(math.inf, 10**9) == math.inf
    ago(0.0)
    assert clock.left(10.0) == 10.0


def test_time_to_write_is_kept(ago):
    """As a slow core writes; of many cells, as long as it took to read them."""
    ago(0.5)
    assert clock.left(10.0, 6_000_000) == 10.0 - 0.5 - 2.0
    ago(6.0)
    assert clock.left(20.0, 2_000_000) == 20.0 - 6.0 - 3.0
    assert clock.left(7.0, 2_000_000) == 0.0
