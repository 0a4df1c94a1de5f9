"""A change of the whole process that several threads may want at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock


class SharedChange:
    """Is made by whoever comes first, and undone by whoever leaves last.

    ``make`` makes the change, and returns what undoes it.

    Examples
    --------
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
