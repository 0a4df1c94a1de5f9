"""Keeps a line that HiGHS prints for nobody away from the output of a program."""

import ctypes
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any

from starmin.instances.runs.workers.shared_change import SharedChange


def stray_lines_away() -> AbstractContextManager[None]:
    """Send what libraries in C write by ``printf`` nowhere meanwhile.

    Some versions of HiGHS write a line of their own debugging whatever its option
    ``output_flag`` says. What Python writes goes where it went, from all threads. Where
    the C library is not that of GNU, nothing is changed.

    Examples
    --------
    >>> with stray_lines_away():
    ...     print("Python speaks")
    Python speaks
    """
    return _away.held()


def _send_away() -> Callable[[], None]:
    found = _streams()
    if found is None:
        return lambda: None
    stdout, nowhere = found
    before, stdout.value = stdout.value, nowhere
    return partial(setattr, stdout, "value", before)


@cache
def _streams() -> tuple[Any, int] | None:
    """Return the variable that says where C writes, and a stream that leads nowhere.

    The GNU library documents that the variable may be set; others may not.
    """
    try:
        if not os.confstr("CS_GNU_LIBC_VERSION"):
            return None
    except (AttributeError, ValueError, OSError):
        return None
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    nowhere = libc.fopen(os.devnull.encode(), b"w")
    return (ctypes.c_void_p.in_dll(libc, "stdout"), nowhere) if nowhere else None


_away = SharedChange(_send_away)
