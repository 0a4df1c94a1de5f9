"""Searches in tests get as much time as they need, however slow the machine is."""

from collections.abc import Callable
from typing import TypeVar

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
