"""A name for what a loop computes: of its code and of all that it calls."""

import hashlib
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np


@cache
def digest(function: FunctionType) -> str:
    """Return the same text for the same code, constants and callees, else another.

    Comments, names of files and numbers of lines are left out of it, so a loop is
    compiled again only where something changed that it computes with.

    Examples
    --------
    >>> def double(x):
    ...     return 2 * x
    >>> before = digest(double)
    >>> def double(x):
    ...     return 2 * x  # the same
    >>> digest(double) == before
    True
    """
    hashed = hashlib.sha256()
    for part in _function(function, set()):
        hashed.update(part.encode())
        hashed.update(b"\0")
    return hashed.hexdigest()


def _function(function: FunctionType, seen: set[FunctionType]) -> Iterator[str]:
    """List what a function is made of; each function once, also if it calls itself."""
    yield f"{function.__module__}.{function.__qualname__}"
    if function in seen:
        return
    seen.add(function)
    yield repr(function.__defaults__)
    yield from _code(function.__code__, function.__globals__, seen)
    for cell in function.__closure__ or ():
        yield from _value(cell.cell_contents, seen)


def _code(
    code: CodeType, names: dict[str, Any], seen: set[FunctionType]
) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_varnames, code.co_names))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant, names, seen)
        else:
            yield repr(constant)
    for name in code.co_names:
        if name in names:
            yield from _value(names[name], seen)


def _value(value: Any, seen: set[FunctionType]) -> Iterator[str]:
    """List what a global name stands for: a loop, a constant, a class, a module."""
    function = getattr(value, "py_func", value)
    if isinstance(function, FunctionType):
        yield from _function(function, seen)
    elif isinstance(value, ModuleType):
        yield value.__name__
    elif isinstance(value, type):
        yield f"{value.__qualname__}{getattr(value, '_fields', ())}"
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}{value.tobytes().hex()}"
    else:
        yield repr(value)
