"""``python -P FILE METHOD..``: commands of starmin, each in a fork of one process.

What every command imports is imported once, here; a fork begins with it. Run as a file,
as ``limited`` is. Each line of stdin is a command, in JSON: ``words``, ``memory``
(bytes; 0: as many as there are), ``most`` (seconds, after which it is killed) and
``folder``, in which its files ``out`` and ``err`` are. The file ``told`` is there once
it has ended: ``code`` (null: killed), ``seconds`` and ``mebibytes``. When stdin ends,
so does all that still runs.
"""

import ctypes
import gc
import json
import os
import select
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve()
COMMANDS = ("solve", "bound", "verify")
# What commands import only once they are called.
_LATE = ("pydantic", "highspy", "numba", "scipy.sparse", "charset_normalizer")
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_LOOK = 0.01  # seconds between two looks whether one has ended


@dataclass
class Child:
    """A command that runs."""

    folder: Path
    started: float
    until: float
    killed: bool = False

    def tell(self, status: int, kibibytes: int) -> None:
        """Say how it ended."""
        told = {
            "code": None if self.killed else os.waitstatus_to_exitcode(status),
            "seconds": time.perf_counter() - self.started,
            "mebibytes": kibibytes / 1024,
        }
        part = self.folder / "part"
        with suppress(OSError):  # whoever asked has left
            part.write_text(json.dumps(told), "utf-8")
            part.replace(self.folder / "told")


def prepare(methods: list[str]) -> None:
    """Import what the commands need."""
    for name in ("starmin.cli.app", *(f"starmin.commands.{name}" for name in COMMANDS)):
        import_module(name)
    for name in _LATE:
        with suppress(ImportError):
            import_module(name)
    from starmin.auto.dispatch import AUTO
    from starmin.extensions import register_installed
    from starmin.registry import METHODS, of_any_family

    with suppress(Exception, SystemExit):  # a fork says what is wrong
        register_installed()
    bounds = (name for name, method in METHODS.items() if method.kind == "bound")
    for name in dict.fromkeys((*methods, *bounds)):
        # One that cannot be loaded is so in its own forks.
        with suppress(Exception, SystemExit):
            if name != AUTO:
                of_any_family(name).load()
    gc.freeze()  # forks share these pages for as long as nobody writes to them


def begin(asked: dict[str, Any]) -> None:
    """Fork, and be the command in the fork."""
    now, folder = time.perf_counter(), Path(asked["folder"])
    pid = os.fork()
    if not pid:
        _be(asked, folder)
    _children[pid] = Child(folder, now, now + asked["most"])


_children: dict[int, Child] = {}


def _be(asked: dict[str, Any], folder: Path) -> None:
    """Be a command of the command line, to its end."""
    try:
        os.setsid()  # so that it is killed with the workers that it starts
        with suppress(AttributeError, OSError):  # as on other systems than Linux
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        files = Path(os.devnull), folder / "out", folder / "err"
        for number, path in enumerate(files):
            opened = os.open(path, os.O_WRONLY if number else os.O_RDONLY)
            os.dup2(opened, number)
            os.close(opened)
        from starmin.cli.app import script
        from starmin.cli.limited import limit_memory
        from starmin.process import clock

        limit_memory(asked["memory"])
        sys.argv = ["starmin", *asked["words"]]
        clock.restart()
        script()
    finally:
        os._exit(70)  # never back to the loop of the server


def look() -> None:
    """Tell what has ended; kill what has to end by now."""
    now = time.perf_counter()
    for pid, child in list(_children.items()):
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            del _children[pid]
            child.tell(status, usage.ru_maxrss)
        elif now > child.until and not child.killed:
            kill(pid)
            child.killed = True


def kill(pid: int) -> None:
    """Kill a command, and its workers where it has begun to be one."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        os.killpg(pid, signal.SIGKILL)


def serve() -> None:
    """Begin what stdin asks for, and tell what has ended."""
    rest = b""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who has started it
    while True:
        if select.select([0], [], [], _LOOK if _children else None)[0]:
            if not (read := os.read(0, 1 << 16)):
                break
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                begin(json.loads(line))
        look()
    for pid in _children:
        kill(pid)


def main() -> None:
    """Import everything, then serve."""
    from starmin.process.working_folder import leave_it_out

    leave_it_out()
    prepare(sys.argv[1:])
    serve()


if __name__ == "__main__":
    if (home := str(FILE.parents[2])) not in sys.path:  # a checkout, not installed
        sys.path.insert(0, home)
    main()
