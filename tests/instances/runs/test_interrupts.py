"""Tests that an interrupt ends a search where that does no harm."""

import os
import signal
import subprocess
import sys
import time

import pytest

from starmin.instances import KAnonymity, Run
from starmin.instances.catalogue.catalogue import hospital
from starmin.instances.runs.search_control import stopping
from starmin.process import interrupts as module
from starmin.process.interrupts import Interrupts

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

        assert cut_short.whole and stopping()
        time.sleep(60)
    assert interrupts.count == 1


def test_what_was_not_told_in_time_is_not_told_to_others(monkeypatch):
    sent = []
    monkeypatch.setattr(os, "kill", lambda *words: sent.append(words))
    interrupts = Interrupts()
    with interrupts:
        interrupts._repeat(signal.SIGTERM)
    interrupts._repeat(signal.SIGTERM)
    assert sent == [(os.getpid(), signal.SIGTERM)]


@pytest.mark.parametrize("number", NUMBERS)
def test_one_that_always_strikes_a_compiled_call_ends_the_search(number, monkeypatch):
    monkeypatch.setattr(module, "_within", lambda frame, packages: True)
    run = Run(hospital(), KAnonymity(2))
    with Interrupts() as interrupts:
        signal.raise_signal(number)
        assert interrupts.count == 1 and run.remaining == 0.0
        with pytest.raises(KeyboardInterrupt):
            run.check_time()
    assert run.remaining > 0


def test_one_job_that_ignores_them_goes_on():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)
            assert interrupts.count == 0 and not stopping()
    finally:
        signal.signal(signal.SIGINT, before)


def test_these_tests_pass_as_a_job_in_the_background():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", __file__, "-k", "passes_once"],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
