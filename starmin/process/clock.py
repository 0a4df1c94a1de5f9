"""The clock of a command: it starts with the process."""

import math
import time

# What was imported before this file took about as long as its processor time.
_STARTED = time.perf_counter() - time.process_time()
_MANY = 2e6  # cells: reading them takes longer than to start
_CELLS_PER_SECOND = 3e6  # written as CSV by one slow core


def restart() -> None:
    """Begin anew: a further command of the same process."""
    global _STARTED
    _STARTED = time.perf_counter()


def elapsed() -> float:
    """Return the seconds since the command started."""
    return time.perf_counter() - _STARTED


def left(limit: float, cells: int = 0) -> float:
    """Return the seconds until ``limit`` less what writing ``cells`` takes, from 0.

    On a busy machine that takes longer: of many cells as long as all took until now,
    when they were read.
    """
    if math.isinf(limit):
        return limit
    until_now = elapsed()
    writing = max(cells / _CELLS_PER_SECOND, until_now * cells / (cells + _MANY))
    return max(0.0, limit - until_now - writing)
