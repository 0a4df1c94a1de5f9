"""Whether a release tells the truth: its cells compared with the original's."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from starmin.instances import Table, group_by
from starmin.instances.arrays import Bools
from starmin.instances.tables.canonical import merge_equal_values
from starmin.instances.tables.plural import counted
from starmin.verify.cells.cells import Cells, PlainCells

MAX_ROWS = 10


@dataclass(frozen=True)
class Inconsistency:
    """Where a release differs from its original."""

    column: str | None  # None where header or number of rows differ
    # the first of the rows that differ, numbered from 1: at most 10
    rows: tuple[int, ...]
    why: str  # in words


def as_written(original: Table, released: Table) -> Table:
    """Return the original with no more kinds of cells than the release can have.

    CSV has no other way to write a missing cell than an empty one. So where a release
    has no missing cell at all, those of the original are read as empty ones, and an
    empty cell of the release may stand for either. Equal values are merged.

    Examples
    --------
    >>> original = Table.from_rows(["a"], [[None], [""]], qi=["a"])
    >>> csv = Table.from_rows(["a"], [[""], ["*"]], qi=["a"])
    >>> as_written(original, csv).rows()
    [('',), ('',)]
    """
    if any(None in values for values in released.dictionaries):
        return merge_equal_values(original)
    texts = tuple(tuple(v or "" for v in values) for values in original.dictionaries)
    return merge_equal_values(replace(original, dictionaries=texts))


def find_inconsistencies(
    released: Table,
    original: Table,
    star: str = "*",
    cells: Mapping[str, Cells] | None = None,
    before: int = 0,
) -> list[Inconsistency]:
    """Compare a release, cell by cell as text, with the table it was made of.

    A release has the header and the rows of the original, in order; a QI cell is the
    original's, a star, or what else covers it, every other cell is the original's, as
    far as the release's file can tell them apart (``as_written``).

    Equal values of ``released`` are merged. Of the original only names and cells are
    used, not its roles. ``cells`` says what the cells of QI columns stand for, where
    not for themselves; ``before`` is how many rows stand before those of these tables.
    There is one entry for each column that differs: none if the release is consistent.

    Notes
    -----
    O(n) for each column, one look-up for each value of its dictionary.

    Examples
    --------
    >>> original = Table.from_rows(["a", "b"], [["0", "x"], ["1", "y"]], qi=["a"])
    >>> released = Table.from_rows(["a", "b"], [["*", "x"], ["2", "y"]], qi=["a"])
    >>> [(each.column, each.rows) for each in find_inconsistencies(released, original)]
    [('a', (2,))]
    """
    if released.names != original.names:
        why = f"columns {_listed(released)}; those of the original: {_listed(original)}"
        return [Inconsistency(None, (), why)]
    if released.n != original.n:
        why = f"{counted(released.n, 'row')}; the original has {original.n:,}"
        return [Inconsistency(None, (), why)]
    found, expected = [], as_written(original, released)
    for column in released.names:
        meaning = (cells or {}).get(column)
        if meaning is None or isinstance(meaning, PlainCells):
            rows = np.flatnonzero(_differs(released, expected, column, star))
        else:
            rows = np.flatnonzero(_uncovered(released, expected, column, meaning))
        if len(rows):
            found.append(_describe(released, original, column, rows, before))
    return found


def _listed(table: Table) -> str:
    return ", ".join(map(repr, table.names))


def _differs(released: Table, original: Table, column: str, star: str) -> Bools:
    """Return which rows hold a cell that the original does not allow."""
    index: dict[str | None, int] = {}
    for code, text in enumerate(released.dictionary(column)):
        index.setdefault(text, code)
    expected = np.array(
        [index.get(text, -1) for text in original.dictionary(column)], np.int64
    )
    codes = released.column(column)
    differs = codes != expected[original.column(column)]
    if column in released.qi and star in index:
        differs &= codes != index[star]
    return np.asarray(differs, bool)


def _uncovered(released: Table, original: Table, column: str, cells: Cells) -> Bools:
    """Return which rows hold a cell that does not stand for the original's."""
    now, then = released.dictionary(column), original.dictionary(column)
    pairs = group_by(
        [released.column(column), original.column(column)], [len(now), len(then)]
    )
    first = zip(
        released.column(column)[pairs.first].tolist(),
        original.column(column)[pairs.first].tolist(),
        strict=True,
    )
    covered = [cells.covers(now[text], then[value]) for text, value in first]
    return ~np.array(covered, bool)[pairs.inverse]


def _describe(
    released: Table,
    original: Table,
    column: str,
    rows: npt.NDArray[np.intp],
    before: int,
) -> Inconsistency:
    first = rows[0]
    now = released.dictionary(column)[released.column(column)[first]]
    then = original.dictionary(column)[original.column(column)[first]]
    return Inconsistency(
        column,
        tuple((rows[:MAX_ROWS] + before + 1).tolist()),
        f"{counted(len(rows), 'cell differs', 'cells differ')} from the original; the "
        f"first, in row {first + before + 1}, is {now!r} and was {then!r}",
    )
