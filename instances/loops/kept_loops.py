"""Loops that our part of numba's compiler makes, and that are kept on disk.

That part extends what numba keeps for itself, which changes from version to version.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numba
from numba.core.types.misc import unliteral
from numba.np import linalg

from starmin.instances.loops.compiler import LoopCompiler
from starmin.instances.loops.loop_cache import LoopCache

_NARROW = (numba.int8, numba.int16, numba.int32)


def _load_array_functions() -> None:
    """Load what numba knows of arrays.

    Numba imports scipy's linear algebra only to learn whether it is there, and that
    takes as long as all the rest. A loop that calls it imports it when it is compiled.
    """
    ensure_blas, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas


_load_array_functions()


def kept(function: Any, **options: Any) -> Any:
    """Compile a loop when it is first called, or find it on disk."""
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
