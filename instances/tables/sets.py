"""Cells that hold several values: read as sets, whose order does not matter."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from starmin.instances.arguments import nearest
from starmin.instances.errors import TableError
from starmin.instances.tables.table import Table

SEPARATORS = "|;,"  # of sets that are noticed


def as_sets(
    table: Table,
    separators: Mapping[str, str],
    option: str = "--sets",
    like: Table | None = None,
) -> Table:
    """Return a table in which cells with the same parts have the same text.

    Their text is that of the first of them. Blanks around a part, and parts that are
    there again, do not count.

    Parameters
    ----------
    table
        The table.
    separators
        By column what separates the parts of a cell.
    option
        What errors call it.
    like
        A table whose texts are taken where it has the same parts.

    Raises
    ------
    TableError
        There is no such column.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["x|y"], ["y|x"], ["y"]], qi=["a"])
    >>> as_sets(table, {"a": "|"}).cells("a")
    ['x|y', 'x|y', 'y']
    """
    if not separators:
        return table
    codes, dictionaries = table.codes.copy(), table.texts.copy()
    for column, sep in separators.items():
        if column not in table.names:
            raise TableError(
                f"{table.name}: {option}: no column {column!r}"
                f"{nearest(column, table.names)}"
            )
        j = table.names.index(column)
        first: dict[frozenset[str] | None, int] = {}
        texts: list[str | None] = []
        new = np.empty(len(table.dictionaries[j]), np.int32)
        known = dict[frozenset[str] | None, str | None]()
        for text in () if like is None else like.dictionary(column):
            known.setdefault(None if text is None else _parts(text, sep), text)
        for code, text in enumerate(table.dictionaries[j]):
            key = None if text is None else _parts(text, sep)
            if key not in first:
                first[key] = len(texts)
                texts.append(known.get(key, text))
            new[code] = first[key]
        codes[j], dictionaries[j] = new[codes[j]], tuple(texts)
    return replace(table, codes=codes, dictionaries=dictionaries)


def _parts(text: str, sep: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(sep))


def same_parts(texts: Iterable[str | None]) -> tuple[str, str, str] | None:
    """Return two texts with the same parts in another order, and what separates them.

    Examples
    --------
    >>> same_parts(["a|b", "c", "b|a"])
    ('a|b', 'b|a', '|')
    """
    there = [text for text in texts if text]
    for sep in SEPARATORS:
        seen: dict[tuple[str, ...], str] = {}
        for text in there:
            if sep not in text:
                continue
            key = tuple(sorted(part.strip() for part in text.split(sep)))
            other = seen.setdefault(key, text)
            if other != text and len(set(key)) > 1:
                return other, text, sep
    return None
