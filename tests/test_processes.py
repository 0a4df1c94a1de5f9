"""Tests that a command run apart is told of truly, and leaves nothing behind."""

import fcntl
import resource
import sys
import time
from pathlib import Path

from starmin.gaps.fork_server import run_process
from tests.patience import patiently

PYTHON = [sys.executable, "-c"]
WORKER = """
import fcntl, time
held = open("lock", "w")
fcntl.flock(held, fcntl.LOCK_EX)
print("started", flush=True)
time.sleep(600)
"""
MASTER = f"""
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", {WORKER!r}])
time.sleep(600)
"""
STARVED = """
from starmin.cli.limited import limit_memory
limit_memory(300 << 20)
cells = bytearray(1 << 30)
"""


def test_what_it_said_and_took():
    line = "import sys; print(6); print('starmin: no', file=sys.stderr); sys.exit(3)"
    ended = run_process([*PYTHON, line])
    assert (ended.code, ended.out, ended.last) == (3, "6\n", "no")
    assert not ended.starved and 0 < ended.seconds < 30 and ended.mebibytes > 2


def test_its_workers_are_killed_with_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = patiently(
        lambda seconds: run_process([*PYTHON, MASTER], most=seconds),
        lambda ended: ended.out == "started\n",
        1.0,
    )
    assert ended.code is None and ended.seconds < 600
    until = time.monotonic() + 60
    while _is_held(Path("lock")):
        assert time.monotonic() < until
        time.sleep(0.01)


def _is_held(lock: Path) -> bool:
    """Whether a process that is alive holds it."""
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_limit_of_memory_is_kept():
    # The system counts what the caller held as the process began (``Ended``).
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ended = run_process([*PYTHON, STARVED])
    assert ended.code == 1 and ended.starved and ended.mebibytes < 300 + mine
