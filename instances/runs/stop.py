"""Requests to stop: of all searches of the process, or of one.

An interrupt alone is not enough. It ends one call, and whoever called that may go on
with the next step; where it strikes between two calls of compiled loops it may have to
wait, again and again; and the other threads do not hear of it at all. So it is noted
here, and every ``Run`` that is asked for the time that remains has none. The same holds
for one search that is good enough, or that gained nothing for long.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Lock
from typing import Protocol

_asked = Event()
_lock = Lock()
_listening = 0


class Search(Protocol):
    """What knows whether it is to end, apart from all others."""

    @property
    def stopping(self) -> bool:
        """Whether it is to end now."""


_search: ContextVar[Search | None] = ContextVar("search", default=None)


def stopping() -> bool:
    """Check whether what is searched here is to end now, or all that searches."""
    if _asked.is_set():
        return True
    search = _search.get()
    return search is not None and search.stopping


def interrupted() -> bool:
    """Check whether all that searches is to end now."""
    return _asked.is_set()


def ask_to_stop() -> None:
    """Stop all searches of those who listen; without any, do nothing."""
    with _lock:
        if _listening:
            _asked.set()


@contextmanager
def listen_to_stop(search: Search | None = None) -> Iterator[None]:
    """Hear requests to stop, which hold until the outermost of these blocks ends.

    What is inside hears of the end of ``search``, too, in this thread and in those of
    ``starmin.instances.runs.workers.cores``.

    Examples
    --------
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
    token = _search.set(_search.get() if search is None else search)
    try:
        yield
    finally:
        _search.reset(token)
        with _lock:
            _listening -= 1
            if not _listening:
                _asked.clear()
