"""Work that is counted instead of timed, so that a search ends where it ended before.

A clock says something else each time: a search that asks it is another one on a busy
machine. Inside ``counted`` the clock of every ``Run`` shows work that was done. Loops
say how much they did (``spend``), by what they went through; each look at the clock is
a little work as well, so that whoever waits for it comes to an end.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import get_ident

from starmin.instances.runs.gate import clock

PER_SECOND = 1_000_000  # units: about what one core does in a second
_LOOK = 20  # units of a look at the clock


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

    Examples
    --------
    >>> with counted() as work:
    ...     began = now()
    ...     spend(500_000)
    ...     round(now() - began, 2)
    0.5
    """
    work = Work()
    token = _work.set(work)
    try:
        yield work
    finally:
        _work.reset(token)
