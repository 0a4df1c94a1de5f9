"""Pause searches at a gate, stop them on request, and count their work."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import Event, Lock, get_ident
from typing import TypeVar

Value = TypeVar("Value")


@contextmanager
def told_inside(variable: ContextVar[Value], value: Value) -> Iterator[Value]:
    """Have all that is called inside, and its threads, read a value of a variable."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


# A gate at which the calls of a search wait while it is paused.


class Gate:
    """Lets a search work for some of the time; the clock of its runs stands still else.

    All threads of the search come here whenever they look at the clock, and wait while
    the gate is closed. They give their cores away meanwhile. At ``end``, by
    ``time.perf_counter``, all is over, whether it had worked or not.
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


def behind(gate: Gate) -> AbstractContextManager[Gate | None]:
    """Have all that is called inside, and its threads, come to this gate."""
    return told_inside(_gate, gate)


def clock() -> float:
    """Return ``time.perf_counter``, less the time for which this search was paused."""
    gate = _gate.get()
    return time.perf_counter() - (0.0 if gate is None else gate.paused)


# Requests to stop: of all searches of the process, or of one.
#
# An interrupt alone is not enough. It ends one call, and whoever called that may go
# on with the next step; where it strikes between two calls of compiled loops it may
# have to wait, again and again; and the other threads do not hear of it at all. So it
# is noted here, and every ``Run`` that is asked for the time that remains has none.
# The same holds for one search that is good enough, or that gained nothing for long.

_asked = Event()
_lock = Lock()
_listening = 0


_ends: ContextVar[Callable[[], bool] | None] = ContextVar("ends", default=None)


def stopping() -> bool:
    """Check whether what is searched here is to end now, or all that searches."""
    ends = _ends.get()
    return _asked.is_set() or (ends is not None and ends())


def interrupted() -> bool:
    """Check whether all that searches is to end now."""
    return _asked.is_set()


def ask_to_stop() -> None:
    """Stop all searches of those who listen; without any, do nothing."""
    with _lock:
        if _listening:
            _asked.set()


@contextmanager
def listen_to_stop(ends: Callable[[], bool] | None = None) -> Iterator[None]:
    """Hear requests to stop, which hold until the outermost of these blocks ends.

    What is inside stops where ``ends`` says so, too, apart from all others, in this
    thread and in those of ``starmin.instances.runs.cores``.

    >>> with listen_to_stop():
    ...     ask_to_stop()
    ...     stopping()
    True
    >>> ask_to_stop()  # nobody listens
    >>> stopping()
    False
    """
    global _listening
    with _lock:
        _listening += 1
    try:
        with told_inside(_ends, _ends.get() if ends is None else ends):
            yield
    finally:
        with _lock:
            _listening -= 1
            if not _listening:
                _asked.clear()


# Work that is counted instead of timed, so that a search ends where it ended before.
#
# A clock says something else each time: a search that asks it is another one on a
# busy machine. Inside ``counted`` the clock of every ``Run`` shows work that was
# done. Loops say how much they did (``spend``), by what they went through; each look
# at the clock is a little work as well, so that whoever waits for it comes to an end.

PER_SECOND = 1_000_000  # units: about what one core does in a second
_LOOK = 20  # units of a look at the clock
_FORGET = 0.9  # of the pace of a step, with each that comes after it


class Work:
    """Units of work, counted in one thread: others do not say when they are done.

    ``units`` is how many were done.
    """

    def __init__(self) -> None:
        self.units = 0.0
        self._thread = get_ident()

    def add(self, units: float) -> None:
        """Count some units."""
        if get_ident() == self._thread:
            self.units += units


_work: ContextVar[Work | None] = ContextVar("work", default=None)


def now() -> float:
    """Return the seconds of a clock that stands still while the search is paused.

    Inside ``counted`` it shows the work that was counted.
    """
    work = _work.get()
    if work is None:
        return clock()
    work.add(_LOOK)
    return work.units / PER_SECOND


class Pace:
    """Ends a search in time: no step begins that may take longer than what is left.

    ``check`` is called before each step and may raise; ``remaining`` returns the
    seconds that are left. How long a step takes is told from those before it, by what
    they had to do. The first one may have to load compiled loops, which is forgotten.

    >>> pace = Pace(remaining=lambda: 60.0)
    >>> with pace.step(1.0):
    ...     time.sleep(0.01)
    >>> with pace.step(1e6):
    ...     pass
    Traceback (most recent call last):
    TimeoutError
    """

    def __init__(
        self,
        check: Callable[[], None] = lambda: None,
        remaining: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self._check, self._remaining = check, remaining
        self._rate = 0.0  # seconds for each unit of what a step has to do

    @contextmanager
    def step(self, units: float) -> Iterator[None]:
        """Take a step that has so much to do; TimeoutError where there is no time."""
        self._check()
        if self._remaining() < units * self._rate:
            raise TimeoutError
        began = now()
        yield
        self._rate = max(_FORGET * self._rate, (now() - began) / max(1.0, units))


def is_counted() -> bool:
    """Return whether clocks show work."""
    return _work.get() is not None


def spend(units: float) -> None:
    """Say that so much work was done: a whole number, or one that data determine."""
    work = _work.get()
    if work is not None:
        work.add(units)


@contextmanager
def counted() -> Iterator[Work]:
    """Have clocks show the work that is done inside.

    >>> with counted() as work:
    ...     began = now()
    ...     spend(500_000)
    ...     round(now() - began, 2)
    0.5
    """
    work = Work()
    with told_inside(_work, work):
        yield work
