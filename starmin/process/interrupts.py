"""An interrupt ends the search, not the writing of what was found."""

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType

from starmin.instances.runs.background_call import ended_on_return
from starmin.instances.runs.search_control import ask_to_stop, listen_to_stop

_SOON = 0.02  # seconds
# What they do by halves they cannot do again: modules that half exist, compiled loops
# that half are known; some swallow the interrupt, or crash.
_WHOLE = frozenset({"importlib", "numba", "llvmlite"})
_of_command: "Interrupts | None" = None


class Interrupts:
    """While it is entered, SIGINT and SIGTERM end all searches, and are counted.

    Each asks all to stop and raises KeyboardInterrupt. After ``defer()`` the first one
    does not raise, so that files are still written; a second one raises all the same.
    Where a module is imported or a loop is compiled, that waits until it is done.
    """

    def __init__(
        self, numbers: Sequence[int] = (signal.SIGINT, signal.SIGTERM)
    ) -> None:
        self.count = 0
        self._numbers = numbers
        self._deferred = False
        self._again = False
        self._before: dict[int, object] = {}
        self._listening = ExitStack()
        self._timers: list[threading.Timer] = []

    def __enter__(self) -> "Interrupts":
        self._listening.enter_context(listen_to_stop())
        for number in self._numbers:
            # A job that was started to ignore interrupts goes on ignoring them.
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._strike)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._before.clear()
        self._listening.close()
        for timer in self._timers:
            timer.join()

    def defer(self) -> None:
        """Let the first interrupt from now on pass."""
        self._deferred = True

    def _strike(self, number: int, frame: FrameType | None) -> None:
        self.count += not self._again
        self._again = False
        ask_to_stop()
        if self._deferred and self.count <= 1:
            return
        if _within(frame, _WHOLE):
            again = threading.Timer(_SOON, self._repeat, [number])
            again.start()
            self._timers.append(again)
            return
        raise KeyboardInterrupt

    def _repeat(self, number: int) -> None:
        if number in self._before:
            self._again = True
            os.kill(os.getpid(), number)


@contextmanager
def hearing(command: bool = False) -> Iterator[Interrupts]:
    """Have interrupts end all searches inside at once.

    In a command, where the process is ours, SIGINT and SIGTERM do, from the outermost
    of these blocks on: a process has one count of them. In a call of Python Ctrl-C
    does, if it is Python's to hear of it: without a handler of our own it would end the
    one call that it strikes. The handler of a program, one in another thread than the
    main one, and SIGTERM are left alone.

    >>> with hearing(command=True) as first, hearing(command=True) as second:
    ...     first is second, second.count
    (True, 0)
    """
    global _of_command
    if command and _of_command is not None:
        yield _of_command
        return
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    main = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT,) if ours and main else ()
    with ExitStack() as stack:
        if command or numbers:
            interrupts = Interrupts() if command else Interrupts(numbers)
            stack.enter_context(interrupts)
        else:
            interrupts = Interrupts(())
        stack.enter_context(ended_on_return())
        _of_command = interrupts if command else _of_command
        try:
            yield interrupts
        finally:
            _of_command = None if command else _of_command


def _within(frame: FrameType | None, packages: frozenset[str]) -> bool:
    """Check whether a function of one of the packages is at work."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in packages:
            return True
        frame = frame.f_back
    return False
