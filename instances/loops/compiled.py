"""The decorators of compiled loops: one place for what numba is told.

Numba surrounds each function with one that Python calls and one that C calls. Both
take a state of forty arrays apart, which costs more to compile than the loop itself
does, so no loop has the second, and loops that only other loops call have neither.
"""

from collections.abc import Callable
from typing import Any

from starmin.instances.loops.versions import compile_loop

# Not a function as annotated: numba takes each type of integers and arrays.
Loop = Any
_compile = compile_loop()


def compiled(function: Callable[..., Any]) -> Loop:
    """Compile a loop that Python calls; others may run beside it in threads.

    >>> import numpy as np
    >>> from starmin.instances.tables.table_loops import append_column
    >>> key = np.array([1, 2])
    >>> append_column(key, np.array([3, 4]), 10)
    >>> key
    array([13, 24])
    """
    return _compile(function)


def inner(function: Callable[..., Any]) -> Loop:
    """Compile a loop that only other loops call.

    Python must not call it: there is no function for it to call, and numba crashes.
    ``test_compiled_loops`` checks that no line does.
    """
    return _compile(function, no_cpython_wrapper=True)


def inlined(function: Callable[..., Any]) -> Loop:
    """Compile a few lines as a part of each loop that calls them."""
    return _compile(function, inline="always")
