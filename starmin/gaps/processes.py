"""One command in a process of its own: what it said, and what it took."""

import math
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

_LOOK = 0.02  # seconds between two looks whether it has ended
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

    Examples
    --------
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
