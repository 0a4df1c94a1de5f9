"""Start processes of Python safely, and change a whole process one at a time."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock

# A change of the whole process that several threads may want at a time.


class SharedChange:
    """Is made by whoever comes first, and undone by whoever leaves last.

    ``make`` makes the change, and returns what undoes it.

    >>> lights = []
    >>> def switch_on():
    ...     lights.append("on")
    ...     return lights.clear
    >>> light = SharedChange(switch_on)
    >>> with light.held(), light.held():
    ...     lights
    ['on']
    >>> lights
    []
    """

    def __init__(self, make: Callable[[], Callable[[], object]]) -> None:
        self._make = make
        self._undo: Callable[[], object] | None = None
        self._inside = 0
        self._lock = Lock()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the change meanwhile."""
        with self._lock:
            if self._inside == 0:
                self._undo = self._make()
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0 and self._undo is not None:
                    self._undo()


# Processes of Python that look for no module in the working folder.
#
# A process that is no copy of this one (``spawn``, ``forkserver``) begins as ``python
# -c``, which looks there first, even where this one does not: a file ``random.py``
# beside the data would be run.

_SAFE = "PYTHONSAFEPATH"  # what Python reads when it starts


def safe_start() -> AbstractContextManager[None]:
    """Start processes safely; what the user starts before and after is as ever.

    >>> before = os.environ.get("PYTHONSAFEPATH")
    >>> with safe_start():
    ...     os.environ["PYTHONSAFEPATH"]
    '1'
    >>> os.environ.get("PYTHONSAFEPATH") == before
    True
    """
    return _safe.held()


def _set() -> Callable[[], None]:
    before, os.environ[_SAFE] = os.environ.get(_SAFE), "1"

    def undo() -> None:
        os.environ.pop(_SAFE, None)
        if before is not None:
            os.environ[_SAFE] = before

    return undo


_safe = SharedChange(_set)
