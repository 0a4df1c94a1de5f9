"""Tests that nothing is bound to one kind of system but what only that kind can do.

A process in which all is missing that Windows lacks imports every module, and calls
commands. Libraries come first: they ask for the kind of system, not for what it can do.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
ELSEWHERE = """
import os, pkgutil, signal, sys
from importlib import import_module
for name in ("numba", "scipy.sparse", "pandas", "pyarrow", "matplotlib.figure", "rich"):
    import_module(name)
for name in ("ortools.sat.python.cp_model", "highspy", "pulp", "networkx", "typer"):
    import_module(name)
for name in ("resource", "fcntl", "pwd", "grp", "termios", "tty", "pty", "syslog"):
    sys.modules[name] = None
for name in ("fork", "wait4", "wait3", "killpg", "getuid", "geteuid", "setsid"):
    delattr(os, name)
for name in ("WNOHANG", "O_NOFOLLOW", "getloadavg", "sched_getaffinity", "statvfs"):
    delattr(os, name)
for name in ("SIGKILL", "SIGPIPE", "SIGHUP", "SIGALRM", "setitimer", "pthread_kill"):
    delattr(signal, name)
"""
IMPORT_ALL = """
import starmin
modules = pkgutil.walk_packages(starmin.__path__, "starmin.")
names = [each.name for each in modules if each.name != "starmin.__main__"]
for name in names:
    import_module(name)
print(len(names))
"""
COMMAND = "from starmin.__main__ import script\nscript()\n"


def run(code: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", ELSEWHERE + code, *words],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_every_module_is_imported(tmp_path: Path) -> None:
    found = run(IMPORT_ALL, tmp_path)
    assert found.returncode == 0, found.stderr
    assert int(found.stdout) > 700


@pytest.mark.parametrize(
    "line",
    [
        "solve instance:hospital --l 2 --out release.csv --json --quiet",
        "gap instance:hospital --k 2 --methods own_pattern --json --quiet",
    ],
)
def test_commands_run(line: str, tmp_path: Path) -> None:
    found = run(COMMAND, tmp_path, *line.split())
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    if "runs" in answer:
        (row,) = answer["runs"]
        assert (row["outcome"], row["mebibytes"]) == ("ok", None)
    else:
        assert answer["value"] == 6 and (tmp_path / "release.csv").exists()


def test_a_limit_that_the_system_lacks_is_refused(tmp_path: Path) -> None:
    line = "gap instance:hospital --k 2 --methods own_pattern --memory 1"
    found = run(COMMAND, tmp_path, *line.split())
    assert found.returncode == 2 and "--memory: this system" in found.stderr
    assert len(found.stderr.splitlines()) == 1
