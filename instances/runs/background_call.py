"""Call solvers and compiled code beside our thread, so that all calls end with it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import TIMEOUT_MAX, Event, Lock, Thread, get_ident
from typing import TypeVar

from starmin.instances.runs.cores import Threads, current_seat
from starmin.instances.runs.search_control import told_inside

# Calls of solvers in threads, all of which have ended when our own call returns.
#
# A solver calls Python back, to hear whether it is to end. If Python goes down
# meanwhile, it ends that thread in the midst of C++, which answers by aborting the
# process. So no such thread outlives Python, and none outlives the call of ours that
# began it.

_AGAIN = 0.05  # seconds: before it is at work, a solver does not hear that it is to end
_STARTING = 20  # times that long, at most


class BackgroundCall:
    """A call in a thread, which ends some time after it was asked to.

    ``work`` is called at once. It hears of requests to stop as its caller does, whose
    core it has, as that one waits for it. ``ask_to_end`` lets it end soon; ``error`` is
    what the call raised.

    >>> asked = Event()
    >>> with ended_on_return():
    ...     call = BackgroundCall(asked.wait, asked.set)
    ...     call.running
    True
    >>> call.running
    False
    """

    def __init__(
        self, work: Callable[[], object], ask_to_end: Callable[[], object]
    ) -> None:
        self.ask_to_end = ask_to_end
        self.error: BaseException | None = None
        self._work, self._context = work, copy_context()
        self._ended = Event()
        # No daemon: Python waits for it before it goes down.
        self._thread = Thread(target=self._run, daemon=False)
        # Known before it starts: an interrupt may cut that short.
        if (begun := _begun.get()) is not None:
            begun.add(self)
        self._thread.start()

    def _run(self) -> None:
        seat = self._context.run(current_seat)
        if seat is not None:
            seat.threads.append(get_ident())
        try:
            self._context.run(self._work)
        except BaseException as error:
            self.error = error
        finally:
            if seat is not None:  # others may have begun there meanwhile
                seat.threads.remove(get_ident())
            self._ended.set()

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return not self._ended.is_set()

    @property
    def started(self) -> bool:
        """Whether its thread has come into being; it may take a moment."""
        for _ in range(_STARTING):
            if self.native_id is not None:
                return True
            time.sleep(_AGAIN)
        return False

    @property
    def native_id(self) -> int | None:
        """The number of its thread for the system."""
        return self._thread.native_id

    def wait(self, seconds: float) -> bool:
        """Wait for the end for so many seconds at most; return whether it came."""
        # A join that an interrupt cuts short lets Python take the thread for ended.
        ended = self._ended.wait(min(seconds, TIMEOUT_MAX))
        if ended:
            self._thread.join()
        return ended


class _Begun:
    """The calls that were begun by one of ours."""

    def __init__(self) -> None:
        self._calls: set[BackgroundCall] = set()
        self._lock = Lock()

    def add(self, call: BackgroundCall) -> None:
        with self._lock:
            self._calls = {each for each in self._calls if each.running} | {call}

    def end(self) -> None:
        """Ask all to end, and wait; an interrupt leaves that to Python's own end."""
        try:
            for call in self._calls:
                call.ask_to_end()
                while call.started and not call.wait(_AGAIN):
                    call.ask_to_end()
        except KeyboardInterrupt:
            return


_begun: ContextVar[_Begun | None] = ContextVar("begun", default=None)
_waits = True


@contextmanager
def ended_on_return() -> Iterator[None]:
    """End all calls that begin inside; the outermost of these blocks does so."""
    if not _waits or _begun.get() is not None:
        yield
        return
    begun = _Begun()
    try:
        with told_inside(_begun, begun):
            yield
    finally:
        begun.end()


def leave_calls() -> None:
    """Wait for no call, in a process that ends at once, with all of its threads."""
    global _waits
    _waits = False


# Calls of compiled code that an interrupt ends.

Answer = TypeVar("Answer")


def interruptible(call: Callable[[], Answer], stop: Callable[[], object]) -> Answer:
    """Call a function in a thread, so that this one hears of an interrupt at once.

    Raises KeyboardInterrupt: an interrupt struck meanwhile; the call has ended.

    ``call`` works in compiled code; ``stop`` makes it end soon, and is called again and
    again until it does.

    >>> interruptible(lambda: 6 * 7, stop=lambda: None)
    42
    """
    with Threads(1) as one:
        answer = one.submit(call)
        try:
            return answer.result()
        except KeyboardInterrupt:
            while not answer.done():
                stop()
                time.sleep(_AGAIN)
            raise
