"""Commands in forks of one process that has imported everything.

A command of its own begins with the imports, a second or two of processor time; a run
of a small table is over in less. The forks are processes of their own all the same.
"""

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from starmin.cli.forked import FILE

_LOOK = 0.02  # seconds between two looks whether it has ended,
_SOON = 0.005  # and whether one of the server has
_STARVED = ("MemoryError", "memory ran out", "allocate", "bad_alloc")
_running: set[subprocess.Popen[bytes]] = set()


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int | None  # its exit code; None: it was killed, since it did not end in time
    out: str  # out, err: what it wrote
    err: str
    seconds: float  # wall clock
    # peak memory, never less than the caller's own, which the system counts from before
    # the command took the place of its copy; None where the system does not tell
    mebibytes: float | None

    @property
    def last(self) -> str:
        """The last thing it said."""
        lines = self.err.strip().splitlines() or [f"exit code {self.code}"]
        return lines[-1].removeprefix("starmin: ")[:300]

    @property
    def starved(self) -> bool:
        """Whether it wanted more memory than it was allowed."""
        return any(sign in self.err for sign in _STARVED)


def run_process(line: Sequence[str], most: float = math.inf) -> Ended:
    """Run a command to its end; it is killed after ``most`` seconds.

    So is it where the wait for it is interrupted; processes of its own are killed with
    it. What it may allocate is for itself to limit (``starmin.cli.limited``).

    >>> import sys
    >>> ended = run_process([sys.executable, "-c", "print(6)"])
    >>> ended.code, ended.out.strip()
    (0, '6')
    >>> run_process([sys.executable, "-c", "while True: pass"], most=0.1).code
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        # In a session of its own: Ctrl-C is for this process, which then stops it.
        process = subprocess.Popen(
            [*line], stdout=out, stderr=err, start_new_session=True
        )
        _running.add(process)
        try:
            killed, mebibytes = _wait(process, started + most)
        except BaseException:
            _kill(process)
            process.wait()
            raise
        finally:
            _running.discard(process)
        seconds = time.perf_counter() - started
        out.seek(0)
        err.seek(0)
        said = out.read().decode(), err.read().decode(errors="replace")
    code = None if killed else process.returncode
    return Ended(code, *said, seconds, mebibytes)


def stop_all() -> None:
    """Kill what runs in this process's name; their rows are of no use."""
    for process in list(_running):
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill its group: it, and the workers that it has started."""
    if not hasattr(os, "killpg"):  # Windows has no groups
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _wait(process: subprocess.Popen[bytes], until: float) -> tuple[bool, float | None]:
    """Wait for a process; whether it had to be killed, and its mebibytes if known."""
    killed = False
    while True:
        mebibytes = _look(process)
        if process.returncode is not None:
            return killed, mebibytes
        if time.perf_counter() > until and not killed:
            _kill(process)
            killed = True
        time.sleep(_LOOK)


def _look(process: subprocess.Popen[bytes]) -> float | None:
    """Note whether a process has ended; return the mebibytes that it had, if known."""
    if not hasattr(os, "wait4"):  # as on Windows
        process.poll()
        return None
    number, status, usage = os.wait4(process.pid, os.WNOHANG)
    if number:
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss / 1024


_AFTER = 60.0  # seconds beyond its limit, until a server that is silent is given up


class ForkServer:
    """The process, which starts with the first command.

    ``methods`` are what the commands will call.

    >>> with ForkServer(["mondrian"]) as server:
    ...     ended = server.run(["methods", "mondrian", "--json"], 0, 300)
    >>> ended.code, json.loads(ended.out)["name"]
    (0, 'mondrian')
    """

    def __init__(self, methods: Sequence[str] = ()) -> None:
        self._methods = [*methods]
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, words: Sequence[str], memory: int, most: float) -> Ended:
        """Run a command with ``memory`` bytes; kill it after ``most`` seconds.

        What is returned is as of a process that was started for it.
        """
        with tempfile.TemporaryDirectory() as folder:
            out, err, told = (Path(folder, name) for name in ("out", "err", "told"))
            out.touch()
            err.touch()
            asked = {"words": [*words], "memory": memory, "most": most}
            process = self._asked(asked | {"folder": folder})
            until = time.perf_counter() + most + _AFTER
            while not told.exists():
                if process.poll() is not None or time.perf_counter() > until:
                    why = "the process that starts commands is gone"
                    return Ended(70, "", why, 0.0, None)
                time.sleep(_SOON)
            said = out.read_text("utf-8"), err.read_text("utf-8", "replace")
            found = json.loads(told.read_text("utf-8"))
        return Ended(found["code"], *said, found["seconds"], found["mebibytes"])

    def stop(self) -> None:
        """Kill all that runs in it; the next command starts it anew."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            assert process.stdin
            with suppress(OSError):
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()

    def _asked(self, asked: dict[str, Any]) -> subprocess.Popen[bytes]:
        """Ask the process, which is started where there is none; return it."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                line = [sys.executable, "-P", str(FILE), *self._methods]
                streams: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
                self._process = subprocess.Popen(
                    line, **streams, start_new_session=True
                )
            assert self._process.stdin
            with suppress(BrokenPipeError):  # who waits for it sees that it has ended
                self._process.stdin.write(json.dumps(asked).encode() + b"\n")
                self._process.stdin.flush()
            return self._process


_current: list[ForkServer] = []


@contextmanager
def forks(methods: Sequence[str]) -> Iterator[None]:
    """Let commands be forks within, where the system has them.

    >>> with forks([]):
    ...     current() is not None
    True
    >>> current()
    """
    if not hasattr(os, "fork") or sys.platform == "darwin":  # where libraries forbid it
        yield
        return
    with ForkServer(methods) as server:
        _current.append(server)
        try:
            yield
        finally:
            _current.remove(server)


def current() -> ForkServer | None:
    """Return the process whose forks commands are, if any."""
    return _current[-1] if _current else None
