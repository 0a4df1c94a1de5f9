"""Tests that nothing is bound to one kind of system but what only that kind can do.

A process in which all is missing that Windows lacks imports every module, and calls
commands. Libraries come first: they ask for the kind of system, not for what it can do.
"""

import json
import subprocess
import sys
from pathlib import Path

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
COMMANDS = """
import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from starmin.cli.app import main
found = []
for line in sys.argv[1:]:
    sys.argv = ["starmin", *line.split()]
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main()
    found.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(found))
"""
SOLVE = "solve instance:hospital --l 2 --out release.csv --json --quiet"
GAP = "gap instance:hospital --k 2 --methods own_pattern --json --quiet"
LIMITED = "gap instance:hospital --k 2 --methods own_pattern --memory 1"


def test_every_module_is_imported_and_commands_run(tmp_path: Path) -> None:
    """Also a limit that such a system lacks is refused."""
    found = subprocess.run(
        [sys.executable, "-c", ELSEWHERE + IMPORT_ALL + COMMANDS, SOLVE, GAP, LIMITED],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    imported, told = found.stdout.splitlines()
    assert int(imported) > 500
    solved, swept, limited = json.loads(told)
    assert solved[0] == 0 == swept[0], (solved, swept)
    assert json.loads(solved[1])["value"] == 6 and (tmp_path / "release.csv").exists()
    (row,) = json.loads(swept[1])["runs"]
    assert (row["outcome"], row["mebibytes"]) == ("ok", None)
    code, _, why = limited
    assert code == 2 and "--memory: this system" in why
    assert len(why.splitlines()) == 1
