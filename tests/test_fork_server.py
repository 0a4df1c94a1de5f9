"""Tests that a command in a fork ends as one in a process of its own does."""

import json
import os
import signal
import sys

import pytest

from starmin.cli.limited import FILE as LIMITED
from starmin.gaps import sweep as jobs
from starmin.gaps.fork_server import ForkServer, current, run_process
from starmin.gaps.job import Job
from starmin.gaps.store import Store
from starmin.gaps.sweep import local_executor, sweep
from starmin.inputs.spec import Spec

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
    with ForkServer() as server:
        asked = server._ask({"words": LONG.split(), "memory": 0, "most": 300} | FILES)
        os.kill(server._process.pid, signal.SIGTERM)
        with pytest.raises(OSError, match="ended"):
            asked.result(60)
        assert server.run(SOLVE.split(), 0, 300).code == 0


FILES = {"out": os.devnull, "err": os.devnull}


def test_a_sweep_bounds_each_problem_once_and_leaves_no_server(tmp_path, monkeypatch):
    bounds, started = [], jobs._starmin

    def counted(words, memory, hard):
        bounds.append(words[0] == "bound")
        return started(words, memory, hard)

    monkeypatch.setattr(jobs, "_starmin", counted)
    problem = Spec.of("instance:hospital", {"k": 2})
    planned = [Job(problem, "mondrian", seed) for seed in range(3)]
    with local_executor(2, ["mondrian"]) as executor:
        rows = sweep(planned, Store(tmp_path / "runs.jsonl"), executor)
        process = current()._process
    assert [row["certified_bound"] for row in rows] == [2, 2, 2]
    assert sum(bounds) == 1 and len(bounds) == 7
    assert process.poll() is not None and current() is None
