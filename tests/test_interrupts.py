"""Tests that an interrupt ends a search where that does no harm."""

import os
import signal
import sys
import time

import pytest

from starmin.interrupts import Interrupts

NUMBERS = [signal.SIGINT, signal.SIGTERM]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_first_one_passes_once_it_is_deferred(number):
    before = signal.getsignal(number)
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert interrupts.count == 1
    with Interrupts() as interrupts:
        interrupts.defer()
        signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert interrupts.count == 2
    assert signal.getsignal(number) is before


@pytest.mark.parametrize("number", NUMBERS)
def test_an_import_is_not_cut_short(number, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cut_short", raising=False)
    (tmp_path / "cut_short.py").write_text(
        f"import signal\nsignal.raise_signal({int(number)})\nwhole = True\n"
    )
    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt):
        import cut_short

        assert cut_short.whole and interrupts.count == 0
        time.sleep(5)
    assert interrupts.count == 1


def test_what_was_not_told_in_time_is_not_told_to_others(monkeypatch):
    sent = []
    monkeypatch.setattr(os, "kill", lambda *words: sent.append(words))
    interrupts = Interrupts()
    with interrupts:
        interrupts._repeat(signal.SIGTERM)
    interrupts._repeat(signal.SIGTERM)
    assert sent == [(os.getpid(), signal.SIGTERM)]
