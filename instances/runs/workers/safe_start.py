"""Processes of Python that look for no module in the working folder.

A process that is no copy of this one (``spawn``, ``forkserver``) begins as ``python
-c``, which looks there first, even where this one does not: a file ``random.py`` beside
the data would be run.
"""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager

from starmin.instances.runs.workers.shared_change import SharedChange

_SAFE = "PYTHONSAFEPATH"  # what Python reads when it starts


def safe_start() -> AbstractContextManager[None]:
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
    return _safe.held()


def _set() -> Callable[[], None]:
    before, os.environ[_SAFE] = os.environ.get(_SAFE), "1"

    def undo() -> None:
        os.environ.pop(_SAFE, None)
        if before is not None:
            os.environ[_SAFE] = before

    return undo


_safe = SharedChange(_set)
