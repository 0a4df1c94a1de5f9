"""The decorators of compiled loops: one place for what numba is told.

Numba surrounds each function with one that Python calls and one that C calls. Both
take a state of forty arrays apart, which costs more to compile than the loop itself
does, so no loop has the second, and loops that only other loops call have neither.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numba
from numba.core.types.misc import unliteral

from starmin.instances.loops.array_functions import load_array_functions
from starmin.instances.loops.compiler import LoopCompiler
from starmin.instances.loops.loop_cache import LoopCache

load_array_functions()

# Not a function as annotated: numba takes each type of integers and arrays.
Loop = Any
_NARROW = (numba.int8, numba.int16, numba.int32)


def compiled(function: Callable[..., Any]) -> Loop:
    """Compile a loop that Python calls; others may run beside it in threads.

    Examples
    --------
    >>> import numpy as np
    >>> from starmin.instances.tables.table_loops import append_column
    >>> key = np.array([1, 2])
    >>> append_column(key, np.array([3, 4]), 10)
    >>> key
    array([13, 24])
    """
    return _kept(function)


def inner(function: Callable[..., Any]) -> Loop:
    """Compile a loop that only other loops call.

    Python must not call it: there is no function for it to call, and numba crashes.
    ``test_compiled_loops`` checks that no line does.
    """
    return _kept(function, no_cpython_wrapper=True)


def inlined(function: Callable[..., Any]) -> Loop:
    """Compile a few lines as a part of each loop that calls them."""
    return _kept(function, inline="always")


def _kept(function: Any, **options: Any) -> Loop:
    always: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
    loop = numba.njit(pipeline_class=LoopCompiler, **always, **options)(function)
    loop._cache = LoopCache(function, options)  # as numba's ``cache=True`` does
    loop.get_call_template = partial(_for_any_number, loop.get_call_template)
    return loop


def _for_any_number(
    resolve: Callable[..., Any], types: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Resolve a call from another loop: whole numbers of any width, given or written.

    Numba compiles a loop once more for each width, and for each number that a caller
    has written into its code.
    """
    named = {name: _widened(each) for name, each in named.items()}
    return resolve([_widened(each) for each in types], named)


def _widened(kind: Any) -> Any:
    kind = unliteral(kind)
    return numba.int64 if kind in _NARROW else kind
