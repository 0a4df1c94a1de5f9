"""Tests that commands run apart or in a fork end as they should, and are told truly."""

import fcntl
import json
import os
import resource
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from starmin.cli.limited import FILE as LIMITED
from starmin.gaps import sweep as jobs
from starmin.gaps.fork_server import ForkServer, current, run_process
from starmin.gaps.job import Job
from starmin.gaps.store import Store
from starmin.gaps.sweep import local_executor, sweep
from starmin.inputs.spec import Spec
from tests.support.effort import patiently

SOLVE = "solve instance:hospital --k 2 --method mondrian --json --quiet"
LONG = "solve instance:census:n=3000 --k 5 --method ruin_and_recreate --time-limit 600"


@pytest.fixture(scope="module")
def server():
    with ForkServer(["mondrian"]) as server:
        yield server


@pytest.mark.parametrize("line", [SOLVE, "solve no.csv --k 2", "solve --nothing"])
def test_it_ends_as_a_process_of_its_own(server, line):
    words = line.split()
    apart = run_process([sys.executable, "-P", str(LIMITED), "0", *words])
    fork = server.run(words, 0, 300)
    assert (fork.code, fork.last) == (apart.code, apart.last)
    found, wanted = (json.loads(each.out or "{}") for each in (fork, apart))
    assert found.pop("runtime", 0) >= 0 <= wanted.pop("runtime", 0)
    assert found == wanted and fork.mebibytes > 2


def test_it_is_killed_when_its_time_is_up(server):
    ended = server.run(LONG.split(), 0, 0.0)
    assert ended.code is None and ended.seconds < 300


def test_a_limit_of_memory_is_kept(server):
    words = "solve instance:census:n=400000 --k 2 --method mondrian"
    ended = server.run(words.split(), 300 << 20, 300)
    assert ended.code != 0 and ended.starved
    assert server.run(SOLVE.split(), 0, 300).code == 0


def test_a_lost_server_is_told_of_and_begun_again():
    with ForkServer() as server, ThreadPoolExecutor(1) as executor:
        asked = executor.submit(server.run, LONG.split(), 0, 300)
        while server._process is None:
            time.sleep(0.01)
        os.kill(server._process.pid, signal.SIGTERM)
        lost = asked.result(60)
        assert lost.code == 70 and lost.last.endswith("is gone")
        assert server.run(SOLVE.split(), 0, 300).code == 0


def test_a_sweep_bounds_each_problem_once_and_leaves_no_server(tmp_path, monkeypatch):
    bounds, started = [], jobs._starmin

    def counted(words, memory, hard):
        bounds.append(words[0] == "bound")
        return started(words, memory, hard)

    monkeypatch.setattr(jobs, "_starmin", counted)
    problem = Spec.of("instance:hospital", {"k": 2})
    planned = [Job(problem, "mondrian", seed) for seed in range(2)]
    with local_executor(2, ["mondrian"]) as executor:
        rows = sweep(planned, Store(tmp_path / "runs.jsonl"), executor)
        process = current()._process
    assert [row["certified_bound"] for row in rows] == [2, 2]
    assert sum(bounds) == 1 and len(bounds) == 5
    assert process.poll() is not None and current() is None


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


def test_a_process_keeps_a_limit_of_memory():
    # The system counts what the caller held as the process began (``Ended``).
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ended = run_process([*PYTHON, STARVED])
    assert ended.code == 1 and ended.starved and ended.mebibytes < 300 + mine
