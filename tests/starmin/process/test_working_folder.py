"""Tests that no file of the working folder is run, by a command or by what it starts.

Each name of a module that is looked for in files is planted, and leaves a mark if it is
imported.
"""

import json
import os
import subprocess
import sys
import time
from importlib.machinery import FrozenImporter
from pathlib import Path

import pytest

from starmin.process import working_folder

STARMIN = Path(sys.executable).with_name("starmin")
OTHERS = ["numpy", "numba", "llvmlite", "scipy", "pyarrow", "pandas", "polars", "yaml"]
OTHERS += ["typer", "rich", "click", "highspy", "ortools", "pulp", "networkx", "dask"]
OTHERS += ["matplotlib", "jinja2", "narwhals", "distributed", "sitecustomize", "evil"]
OURS = ["models", "heuristics", "instances", "verify", "tests"]
HOSPITAL = "instance:hospital"
GAP = ["gap", HOSPITAL, "--k", "2", "--methods", "own_pattern", "--json"]
BLOCKS = """
import multiprocessing
from starmin.heuristics.nonhomogeneous.blocks import blocks
from starmin.heuristics.nonhomogeneous.two_phase import two_phase
from starmin.instances import KAnonymity
from starmin.instances.catalogue.generators import normal
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    given = {"method": two_phase, "block_size": 20, "workers": 2}
    print(blocks(normal(80, d=3, seed=7), KAnonymity(3), **given).status.value)
"""
WARM_UP = """
import multiprocessing
from starmin.auto import warm_loops
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    warm_loops.is_known = lambda name: False
    warm_loops.warm_up(["pairwise_cp"], 2, print)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder of data with a file for each module, as a file or a package."""
    folder = tmp_path_factory.mktemp("planted")
    for name in {*sys.stdlib_module_names, *OTHERS, *OURS}:
        text = f"open({str(folder / f'ran-{name}')!r}, 'w').close()\n"
        text += f"raise ImportError('planted {name}')\n"
        if name in ("models", "instances", "numpy"):
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(text)
        else:
            (folder / f"{name}.py").write_text(text)
    (folder / "people.csv").write_text("age,sex\n" + "34,f\n34,m\n52,f\n" * 4)
    return folder


@pytest.fixture
def run(folder):
    """Run a line there: what it says; nothing planted was run."""

    def call(*line: object) -> str:
        words = [str(word) for word in line]
        found = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        assert found.returncode == 0, found.stderr[-2000:]
        assert list(folder.glob("ran-*")) == []
        return found.stdout

    yield call
    for mark in folder.glob("ran-*"):
        mark.unlink()


def test_a_command_and_its_children(run):
    """Those of ``gap`` are commands; of them ``solve``, ``bound`` and ``verify``."""
    found = json.loads(run(STARMIN, *GAP, "--methods", "forest"))
    assert [row["outcome"] for row in found["runs"]] == ["ok", "ok"]
    assert found["problems"][0]["bound"] == 2


def test_a_module_that_python_runs(run, folder):
    """What Python reads before the module stays away; the module cannot hinder it."""
    line = "import runpy, importlib.util, sys; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-P", "-c", line], text=True)
    away = folder.with_name("away")
    away.mkdir(exist_ok=True)
    names = [name for name in loaded.split() if (folder / f"{name}.py").exists()]
    names = [name for name in names if FrozenImporter.find_spec(name) is None]
    for name in names:
        (folder / f"{name}.py").rename(away / f"{name}.py")
    try:
        found = json.loads(run(sys.executable, "-m", "starmin", *GAP))
    finally:
        for name in names:
            (away / f"{name}.py").rename(folder / f"{name}.py")
    assert [row["outcome"] for row in found["runs"]] == ["ok"]


@pytest.mark.parametrize(
    ("text", "said"), [(BLOCKS, "feasible"), (WARM_UP, "pairwise_cp")]
)
def test_processes_that_are_no_copies(run, tmp_path, text, said):
    """As on systems that cannot copy a process; started from Python."""
    (tmp_path / "script.py").write_text(text)
    assert said in run(sys.executable, tmp_path / "script.py")


@pytest.mark.slow
def test_workers_of_dask(run, folder, tmp_path):
    """Started as the page on scale says, with the processes that watch over them."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    file = tmp_path / "scheduler.json"
    python = [sys.executable, "-m"]
    scheduler = [*python, "distributed.cli.dask_scheduler", "--port", "0"]
    worker = [*python, "distributed.cli.dask_worker", "--nworkers", "1"]
    worker += ["--nthreads", "1", "--local-directory", str(tmp_path)]
    safe = {**os.environ, "PYTHONSAFEPATH": "1"}
    started = [
        subprocess.Popen(
            [*line, "--no-dashboard", "--scheduler-file", str(file)],
            cwd=folder,
            env=safe,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for line in (scheduler, worker)
    ]
    try:
        until = time.monotonic() + 60
        while not file.exists() and time.monotonic() < until:
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        found = json.loads(run(STARMIN, *GAP, "--dask", address))
        assert [row["outcome"] for row in found["runs"]] == ["ok"]
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert list(folder.glob("ran-*")) == []


@pytest.fixture
def entered(tmp_path, monkeypatch):
    """A working folder that is on the path."""
    monkeypatch.setattr(sys, "path", ["", "/lib", str(tmp_path)])
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("PYTHONSAFEPATH", "")  # so that it is put back afterwards
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_names_the_folder_in_the_environment_is_left_out(entered, monkeypatch):
    named = ["", "/lib", ".", str(entered)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(named))
    working_folder.leave_it_out()
    assert sys.path == ["/lib"] == [os.environ["PYTHONPATH"]]
    assert os.environ["PYTHONSAFEPATH"] == "1"


def test_other_folders_stay(entered, monkeypatch):
    working_folder.leave_it_out()
    assert sys.path == ["/lib", str(entered)]  # who knows why: not by the environment
    monkeypatch.setattr(working_folder, "_HOME", os.path.realpath(entered))
    sys.path.insert(0, "")
    working_folder.leave_it_out()
    assert "" in sys.path


@pytest.mark.parametrize("line", ["starmin", "-mstarmin", "starmin.cli.limited"])
def test_only_our_own_module_loses_it(entered, monkeypatch, line):
    monkeypatch.setattr(sys, "argv", ["-m", "solve", "--k", "2"])
    for module, left in (("pytest", 3), ("mystarmin.x", 3), (line, 2)):
        words = ["python", "-B", "-m", module, "solve", "--k", "2"]
        monkeypatch.setattr(sys, "orig_argv", words)
        working_folder.leave_out_that_of_a_module()
        assert len(sys.path) == left
