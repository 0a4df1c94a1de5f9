"""Tests that a command run apart is told of truly, and leaves nothing behind."""

import resource
import sys
import time
from pathlib import Path

from starmin.gaps.processes import run_process

PYTHON = [sys.executable, "-c"]
WORKER = "import time, pathlib; time.sleep(2); pathlib.Path('late').touch()"
MASTER = f"""
import subprocess, sys
subprocess.Popen([sys.executable, "-c", {WORKER!r}])
print("started", flush=True)
while True: pass
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
    ended = run_process([*PYTHON, MASTER], most=1)
    assert ended.code is None and ended.out == "started\n" and ended.seconds < 2
    time.sleep(2.5)
    assert not Path("late").exists()


def test_a_limit_of_memory_is_kept():
    # The system counts what the caller held as the process began (``Ended``).
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ended = run_process([*PYTHON, STARVED])
    assert ended.code == 1 and ended.starved and ended.mebibytes < 300 + mine
