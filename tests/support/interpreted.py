"""Loops as plain Python, for tests of those that Python cannot call."""

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from numba.core.dispatcher import Dispatcher


def interpreted(
    loop: Dispatcher, instead: Mapping[Dispatcher, Callable[..., Any]] | None = None
) -> Any:
    """Return the function of a loop; what it calls is interpreted, too.

    Parameters
    ----------
    loop
        The loop.
    instead
        What stands for loops that count on sums beyond 64 bits to wrap around.
    """
    return _interpreted(loop, dict(instead or {}))


def _interpreted(loop: Dispatcher, known: dict[Dispatcher, Any]) -> Any:
    if loop not in known:
        function = loop.py_func
        names = dict(function.__globals__)
        known[loop] = FunctionType(
            function.__code__, names, function.__name__, function.__defaults__
        )
        for name in function.__code__.co_names:
            if isinstance(names.get(name), Dispatcher):
                names[name] = _interpreted(names[name], known)
    return known[loop]
