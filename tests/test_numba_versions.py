"""Tests that starmin works beside a numba whose compiler it does not know.

Loops are then compiled by numba alone, in each process.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from starmin.instances.loops import versions

HOME = Path(__file__).parents[1]
OTHER_INTERNALS = "del numba.core.untyped_passes.InlineClosureLikes"


def solve(before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Solve a small problem after a line that changes numba."""
    code = f"import numba, numba.core.untyped_passes\n{before}\n"
    code += "from starmin.__main__ import script\nscript()\n"
    line = "solve instance:hospital --k 2 --method forest --json --quiet"
    return subprocess.run(
        [sys.executable, "-c", code, *line.split()],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_a_small_problem_is_solved(tmp_path: Path) -> None:
    found = solve(OTHER_INTERNALS, NUMBA_CACHE_DIR=str(tmp_path))
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["value"] == 2
    (line,) = found.stderr.splitlines()
    assert line.startswith("starmin does not know the compiler of numba")
    assert not list(tmp_path.iterdir())  # nothing is kept that might be out of date


def test_a_numba_that_compiles_nothing_is_refused_in_one_line(tmp_path: Path) -> None:
    """Sums beyond 64 bits would not be those of compiled loops."""
    found = solve("", NUMBA_DISABLE_JIT="1")
    assert found.returncode == 2 and "NUMBA_DISABLE_JIT" in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_there_is_nothing_to_warm_up(monkeypatch, capsys) -> None:
    from starmin.cli.app import main

    monkeypatch.setattr(versions, "compile_loop", lambda: versions._plain)
    monkeypatch.setattr(sys, "argv", ["starmin", "warm-up"])
    assert main() == 2
    assert "are not kept" in capsys.readouterr().err


@pytest.mark.parametrize("version", ["0.75.0", "0.61.2", "0+untagged"])
def test_which_versions_are_known(version: str, monkeypatch) -> None:
    assert versions._kept() is not None
    monkeypatch.setattr("numba.__version__", version)
    assert versions._kept() is None


def test_those_that_may_be_installed_are_those_that_are_known() -> None:
    project = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
    assert versions.KNOWN in project["dependencies"]
