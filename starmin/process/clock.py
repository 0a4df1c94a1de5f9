"""The clock of a command, which starts with the process, those of calls, and limits."""

import math
import time

_MANY = 2e6  # cells: reading them takes longer than to start
_CELLS_PER_SECOND = 3e6  # written as CSV by one slow core
DEFAULT_TIME_LIMITS = {"auto": 300.0}  # seconds by method; others have no limit
_LIMIT = DEFAULT_TIME_LIMITS["auto"]
DEFAULT_HELP = f"default: {_LIMIT:g} where starmin chooses the method, else no limit."


class Clock:
    """Tells the time since it was made, and what is left of a limit."""

    def __init__(self) -> None:
        self._started = time.perf_counter()

    def restart(self, before: float = 0.0) -> None:
        """Begin anew, as if so many seconds ago."""
        self._started = time.perf_counter() - before

    def elapsed(self) -> float:
        """Return the seconds since it started."""
        return time.perf_counter() - self._started

    def left(self, limit: float, cells: int = 0) -> float:
        """Return the seconds to ``limit`` less what writing ``cells`` takes, from 0.

        On a busy machine that takes longer: of many cells as long as all took until
        now, when they were read.
        """
        if math.isinf(limit):
            return limit
        until_now = self.elapsed()
        writing = max(cells / _CELLS_PER_SECOND, until_now * cells / (cells + _MANY))
        return max(0.0, limit - until_now - writing)


PROCESS = Clock()
# What was imported before this file took about as long as its processor time.
PROCESS.restart(before=time.process_time())
restart, elapsed, left = PROCESS.restart, PROCESS.elapsed, PROCESS.left


def seconds_of(method: str, time_limit: float | None) -> float:
    """Return the time limit, by default that of the method.

    >>> seconds_of("forest", None), seconds_of("forest", 2.0), seconds_of("auto", None)
    (inf, 2.0, 300.0)
    """
    default = DEFAULT_TIME_LIMITS.get(method, math.inf)
    return default if time_limit is None else time_limit
