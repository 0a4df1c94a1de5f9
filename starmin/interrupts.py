"""An interrupt ends the search, not the writing of what was found."""

import signal
from types import FrameType, TracebackType

INTERRUPTED = 130


class Interrupts:
    """While it is entered, SIGINT and SIGTERM raise KeyboardInterrupt and are counted.

    After ``defer()`` the first one only counts, so that files are still written; a
    second one raises all the same.
    """

    def __init__(self) -> None:
        self.count = 0
        self._deferred = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> "Interrupts":
        for number in (signal.SIGINT, signal.SIGTERM):
            # A job that was started to ignore interrupts goes on ignoring them.
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._strike)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def defer(self) -> None:
        """Let the first interrupt from now on pass."""
        self._deferred = True

    def _strike(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if not self._deferred or self.count > 1:
            raise KeyboardInterrupt
