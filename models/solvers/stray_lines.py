"""Keeps a line that HiGHS prints for nobody away from the output of a program."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock = Lock()
_inside = 0  # how many solvers are at work
_before: int | None = None


@contextmanager
def stray_lines_away() -> Iterator[None]:
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
    global _inside, _before
    found = _streams()
    if found is None:
        yield
        return
    stdout, nowhere = found
    with _lock:
        if _inside == 0:
            _before, stdout.value = stdout.value, nowhere
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                stdout.value = _before


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
