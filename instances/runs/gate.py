"""A gate at which the calls of a search wait while it is paused."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Lock


class Gate:
    """Lets a search work for some of the time; the clock of its runs stands still else.

    All threads of the search come here whenever they look at the clock, and wait while
    the gate is closed. They give their cores away meanwhile. At ``end``, by
    ``time.perf_counter``, all is over, whether it had worked or not.

    Examples
    --------
    >>> gate = Gate(end=time.perf_counter() + 60)
    >>> with behind(gate):
    ...     gate.close()
    ...     before = clock()
    ...     time.sleep(0.01)
    ...     gate_here() is gate, gate.is_closed, clock() - before < 0.01
    (True, True, True)
    """

    def __init__(self, end: float) -> None:
        self.end = end
        self._opened, self._lock = Event(), Lock()
        self._opened.set()
        self._paused, self._closed = 0.0, 0.0

    def open(self) -> None:
        """Let them work."""
        with self._lock:
            if not self._opened.is_set():
                self._paused += time.perf_counter() - self._closed
                self._opened.set()

    def close(self) -> None:
        """Have them wait from their next look at the clock on."""
        with self._lock:
            if self._opened.is_set():
                self._closed = time.perf_counter()
                self._opened.clear()

    @property
    def paused(self) -> float:
        """Seconds for which it was closed."""
        with self._lock:
            now = 0.0 if self._opened.is_set() else time.perf_counter() - self._closed
            return self._paused + now

    @property
    def is_closed(self) -> bool:
        """Whether they are to wait."""
        return not self._opened.is_set()

    def wait(self) -> None:
        """Wait until it is open."""
        self._opened.wait()


_gate: ContextVar[Gate | None] = ContextVar("gate", default=None)


def gate_here() -> Gate | None:
    """Return the gate of the search that this call is part of."""
    return _gate.get()


@contextmanager
def behind(gate: Gate) -> Iterator[None]:
    """Have all that is called inside, and its threads, come to this gate."""
    token = _gate.set(gate)
    try:
        yield
    finally:
        _gate.reset(token)


def clock() -> float:
    """Return ``time.perf_counter``, less the time for which this search was paused."""
    gate = _gate.get()
    return time.perf_counter() - (0.0 if gate is None else gate.paused)
