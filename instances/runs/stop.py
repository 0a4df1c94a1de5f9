"""One request to stop, heard by every search of the process and its threads.

An interrupt alone is not enough. It ends one call, and whoever called that may go on
with the next step; where it strikes between two calls of compiled loops it may have to
wait, again and again; and the other threads do not hear of it at all. So it is noted
here, and every ``Run`` that is asked for the time that remains has none.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

_asked = Event()
_lock = Lock()
_listening = 0


def stopping() -> bool:
    """Check whether all that searches is to end now."""
    return _asked.is_set()


def ask_to_stop() -> None:
    """Stop all searches of those who listen; without any, do nothing."""
    with _lock:
        if _listening:
            _asked.set()


@contextmanager
def listen_to_stop() -> Iterator[None]:
    """Hear requests to stop, which hold until the outermost of these blocks ends.

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
    try:
        yield
    finally:
        with _lock:
            _listening -= 1
            if not _listening:
                _asked.clear()
