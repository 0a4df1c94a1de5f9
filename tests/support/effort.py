"""How many seeds tests take, how long they wait, and how much work a call is."""

import gc
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any, TypeVar

import pytest

from starmin.auto import contest


def seeds(count: int, first: int = 0) -> range:
    """Return so many seeds, or as many as the environment variable FUZZ says.

    Parameters
    ----------
    count
        How many without that variable.
    first
        The first seed.
    """
    return range(first, first + (int(os.environ.get("FUZZ", "0")) or count))


Found = TypeVar("Found")


def patiently(
    search: Callable[[float], Found], good: Callable[[Found], bool], seconds: float
) -> Found:
    """Search for longer and longer, until what is found is good.

    What only a time limit ends finds more on a quick machine than on a slow one.
    """
    for factor in (1, 4, 16, 64):
        found = search(factor * seconds)
        if good(found):
            return found
    raise AssertionError(f"nothing good within {64 * seconds} seconds: {found}")


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


def only(monkeypatch: pytest.MonkeyPatch, **methods: tuple[str, ...]) -> None:
    """Have turns of the schedule these methods, by their names, and the others none."""
    for name in ("at_once", "openers", "bounds", "provers", "searches"):
        turn = replace(getattr(contest, name.upper()), methods=methods.get(name, ()))
        monkeypatch.setattr(contest, name.upper(), turn)
