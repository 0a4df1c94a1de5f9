"""How much work a call is, counted so that no clock is needed."""

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


def lines_of(call: Callable[[], T]) -> tuple[T, int]:
    """What a call returns, and how many lines of Python it executed.

    Array operations and compiled loops are one line, however many rows they take: few
    lines for many rows say that none was handled by Python. The garbage collector
    rests, since the finalizers of other tests' objects have lines too.
    """
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    gc.collect()
    gc.disable()
    sys.settrace(trace)
    try:
        result = call()
    finally:
        sys.settrace(before)
        gc.enable()
    return result, count
