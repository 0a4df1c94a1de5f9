"""Cells that say that nothing is known: a value apart from all others."""

from collections.abc import Iterable

# A null of Parquet or of a frame, an empty cell, and the mark of the UCI's tables.
MISSING: tuple[str | None, ...] = (None, "", "?")


def split_missing(
    values: Iterable[str | None], missing: Iterable[str | None] = MISSING
) -> tuple[list[str], list[str | None]]:
    """Return the values that are there, and those that are missing, each one once.

    >>> split_missing(["3", "?", "5", "3"])
    (['3', '5'], ['?'])
    """
    unknown = {None, *missing}
    found = dict.fromkeys(values)
    there = [value for value in found if value is not None and value not in unknown]
    return there, [value for value in found if value in unknown]
