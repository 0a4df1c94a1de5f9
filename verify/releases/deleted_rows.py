"""Compare a release with its original, some of whose rows may have been deleted."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Ints
from starmin.instances.tables.names import counted
from starmin.verify.cells.cells import (
    MAX_ROWS,
    Cells,
    ComparedRows,
    Inconsistency,
    Meanings,
    PlainCells,
    as_written,
    find_inconsistencies,
)
from starmin.verify.nonhomogeneous.anonymity_graph import is_reordered, most_matched
from starmin.verify.texts import places_in


def compare_rows(
    released: Table, original: Table, star: str = "*", cells: Meanings | None = None
) -> ComparedRows:
    """Compare a release with its original, whether or not it has all of its rows.

    With as many rows as the original, each is compared with the one in its place. With
    fewer, there has to be a choice of rows of the original, in their order, that the
    released ones can stand for, or, in any order, a matching; else the release differs.

    Equal values of ``released`` are merged.

    >>> original = Table.from_rows(["a"], [["0"], ["1"], ["2"], ["3"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["0"], ["*"], ["3"]], qi=["a"])
    >>> found = compare_rows(released, original)
    >>> found.inconsistencies, found.missing_rows, found.kept.tolist()
    ((), 1, [0, 1, 3])
    """
    missing = original.n - released.n
    if missing <= 0 or released.names != original.names:
        differences = tuple(find_inconsistencies(released, original, star, cells))
        moved = differences and is_reordered(released, original, star, cells)
        return ComparedRows(
            inconsistencies=differences, reordered=bool(moved), missing_rows=0
        )
    agreed = ComparedRows(inconsistencies=(), missing_rows=missing)
    kept = kept_rows(released, original, star, cells)
    if kept is not None:
        return replace(agreed, kept=kept)
    matched = most_matched(released, original, star, cells)
    if matched is not None and matched.rows == released.n:
        return replace(agreed, reordered=True)
    why = f"{counted(released.n, 'row')}; the original has {original.n:,}"
    rows: tuple[int, ...] = ()
    if matched is not None:
        rows = tuple((np.flatnonzero(matched.alone)[:MAX_ROWS] + 1).tolist())
        none = int(np.count_nonzero(matched.alone))
        why += f", and {matched.rows:,} can stand for rows of it, each for its own"
        if none:
            first = ", ".join(
                map(repr, released.take(np.array(rows[:1]) - 1).rows()[0])
            )
            why += f"; {none:,} for none, the first ({first}) in row {rows[0]}"
    return replace(agreed, inconsistencies=(Inconsistency(None, rows, why),))


def kept_rows(
    released: Table, original: Table, star: str = "*", cells: Meanings | None = None
) -> Ints | None:
    """Return rows of the original, in their order, that released rows can stand for.

    Each released row gets the first row that it can stand for behind that of the row
    before. If any choice in this order exists, this is one: to take a later row leaves
    no more to those that follow.

    Release and original have the same columns. None where there is no such choice.

    Each row of the original is looked at once: O(n d), and mostly O(n).
    """
    original = as_written(original, released)
    fits = [
        _fits(released, original, column, star, (cells or {}).get(column))
        for column in released.names
    ]
    at, last, found = 0, original.n, np.empty(released.n, np.int64)
    for row in range(released.n):
        while at < last and not all(fit(row, at) for fit in fits):
            at += 1
        if at == last:
            return None
        found[row] = at
        at += 1
    return found


def _fits(
    released: Table, original: Table, column: str, star: str, cells: Cells | None
) -> Callable[[int, int], bool]:
    """Return whether a released cell of a column may stand for one of the original."""
    now, then = released.dictionary(column), original.dictionary(column)
    ours = released.column(column).tolist()
    theirs = original.column(column).tolist()
    if cells is None or isinstance(cells, PlainCells):
        starred = {c for c, t in enumerate(now) if t == star and column in released.qi}
        equal = places_in(released, column, then).tolist()
        return lambda row, at: equal[row] == theirs[at] or ours[row] in starred
    covers = cache(cells.covers)
    return lambda row, at: covers(now[ours[row]], then[theirs[at]])
