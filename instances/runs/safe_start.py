"""Processes of Python that look for no module in the working folder.

A process that is no copy of this one (``spawn``, ``forkserver``) begins as ``python
-c``, which looks there first, even where this one does not: a file ``random.py`` beside
the data would be run.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_SAFE = "PYTHONSAFEPATH"  # what Python reads when it starts
_lock = Lock()
_inside = 0
_before: str | None = None


@contextmanager
def safe_start() -> Iterator[None]:
    """Start processes safely; what the user starts before and after is as ever.

    Examples
    --------
    >>> before = os.environ.get("PYTHONSAFEPATH")
    >>> with safe_start():
    ...     os.environ["PYTHONSAFEPATH"]
    '1'
    >>> os.environ.get("PYTHONSAFEPATH") == before
    True
    """
    global _inside, _before
    with _lock:
        if not _inside:
            _before, os.environ[_SAFE] = os.environ.get(_SAFE), "1"
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                os.environ.pop(_SAFE, None)
                if _before is not None:
                    os.environ[_SAFE] = _before
