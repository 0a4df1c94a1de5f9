"""Tests what a command says that cannot speak, and what its clock counts from."""

import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starmin.auto import choice as choose
from starmin.cli import app as cli
from starmin.instances import STARS, KAnonymity, Limit, Partition, Problem, Run
from starmin.instances.catalogue.catalogue import hospital
from starmin.instances.runs.method import Method
from starmin.models.solvers.program import Program, Rows
from starmin.process import clock

SOLVE = "-m starmin solve instance:hospital --k 2 --quiet"


def run(shell: str, folder: Path) -> tuple[int, list[str]]:
    """The exit code of a line of a shell, and the lines on its stderr."""
    home = Path(cli.__file__).parents[2]
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} {SOLVE} {shell}"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(home)},
    )
    return done.returncode, done.stderr.splitlines()


@pytest.mark.parametrize("where", [">&-", "> /dev/full"])
def test_no_stdout_is_bad_usage_told_in_one_line(where, tmp_path):
    code, lines = run(where, tmp_path)
    assert code == 2 and len(lines) == 1 and "stdout" in lines[0]


def test_no_stderr_does_no_harm(tmp_path):
    code, _ = run("--out out.csv 2>&-", tmp_path)
    assert code == 0 and (tmp_path / "out.csv").read_text().startswith("age,")


def starved(table: Any, requirement: Any, **_: Any) -> Any:
    """A method that finds a release, and then no memory."""
    run = Run[Any](table, requirement)
    run.offer(pairs(table))
    raise MemoryError


def pairs(table: Any) -> Partition:
    return Partition.from_labels(np.arange(table.n) // 2)


def test_without_memory_the_best_release_so_far_is_published(monkeypatch):
    monkeypatch.setattr(Method, "load", lambda self: starved)
    table, k = hospital(), KAnonymity(2)
    result = choose.solve_by("mondrian", Problem(table, k, STARS), {})
    assert result.limit is Limit.MEMORY
    assert result.value == pairs(table).value(table, STARS)
    monkeypatch.setattr("sys.argv", ["starmin", *SOLVE.split()[2:]])
    assert cli.main() == 0


def test_without_memory_for_anything_it_says_so(monkeypatch, capsys):
    def none(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("starmin.inputs.loading.load_instance", none)
    monkeypatch.setattr("sys.argv", ["starmin", *SOLVE.split()[2:]])
    assert cli.main() == 2
    assert capsys.readouterr().err.startswith("starmin: memory ran out")


def test_the_solver_says_that_memory_ran_out(monkeypatch):
    from starmin.models.solvers import linear_solver

    def none(self: Any) -> None:
        raise MemoryError

    one, at = np.array([1.0]), np.array([0])
    rows = (Rows(at, at, one, np.array([2.5]), np.array([np.inf])),)
    program = Program(one, 0 * one, np.array([9.0]), np.array([True]), rows)
    monkeypatch.setattr(linear_solver.highspy.Highs, "run", none)
    with pytest.raises(MemoryError):
        linear_solver.LinearSolver(program).solve(10.0)


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
