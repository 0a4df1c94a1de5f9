"""What a release did to its table, read off both of them cell by cell."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from starmin.instances import IntArray, Table, group_by
from starmin.verify.cells.cells import Cells, PlainCells


@dataclass(frozen=True)
class ValueFacts:
    """What became of a value of the original."""

    value: str | None  # None: a missing cell
    rows: int  # how many rows have it
    # changed, starred: in how many of them it is not published, and is a star
    changed: int
    starred: int


@dataclass(frozen=True)
class ColumnFacts:
    """What became of a QI column."""

    name: str
    # rows, changed, starred: how many cells it has, how many are not published, and how
    # many are stars
    rows: int
    changed: int
    starred: int
    lost: float  # the mean loss of its cells, from 0 to 1
    # before, after: numbers of distinct values of the original and of the release; a
    # star is none
    before: int
    after: int
    # those of the original, the most often changed first, then the most frequent
    values: tuple[ValueFacts, ...]


def column_facts(
    original: Table,
    released: Table,
    star: str,
    cells: Mapping[str, Cells] | None = None,
    most: int = 12,
) -> list[ColumnFacts]:
    """Return what became of each QI column, with its first ``most`` values.

    Parameters
    ----------
    original, released
        With the same rows in the same order.
    star
        The symbol of a suppressed cell.
    cells
        What the cells of generalized columns stand for.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["2"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["*"], ["2"]], qi=["a"])
    >>> facts, = column_facts(table, released, "*")
    >>> facts.starred, facts.before, facts.after, facts.values[0]
    (2, 2, 1, ValueFacts(value='2', rows=2, changed=1, starred=1))
    """
    meanings = dict.fromkeys(original.qi, PlainCells(star)) | dict(cells or {})
    return [
        _column(original, released, column, star, meanings[column], most)
        for column in original.qi
    ]


def _column(
    original: Table, released: Table, column: str, star: str, cells: Cells, most: int
) -> ColumnFacts:
    values, texts = original.dictionary(column), released.dictionary(column)
    pairs = group_by(
        [original.column(column), released.column(column)], [len(values), len(texts)]
    )
    old = original.column(column)[pairs.first]
    new = released.column(column)[pairs.first]
    same = _same(values, texts, old, new)
    stars = np.array([text == star for text in texts], bool)[new]
    rows, changed, starred = (
        np.bincount(old, counts, len(values)).astype(np.int64)
        for counts in (pairs.counts, pairs.counts * ~same, pairs.counts * stars)
    )
    order = np.lexsort((-rows, -changed))
    first = [i for i in order[:most].tolist() if rows[i]]
    counts = np.bincount(released.column(column), minlength=len(texts)).tolist()
    found = {text: n for text, n in zip(texts, counts, strict=True) if n}
    return ColumnFacts(
        column,
        original.n,
        int(changed.sum()),
        int(starred.sum()),
        float(cells.lost(found) / original.n),
        int(np.count_nonzero(rows)),
        len(found.keys() - {star}),
        tuple(
            ValueFacts(values[i], int(rows[i]), int(changed[i]), int(starred[i]))
            for i in first
        ),
    )


def _same(
    values: tuple[str | None, ...],
    texts: tuple[str | None, ...],
    old: IntArray,
    new: IntArray,
) -> IntArray:
    """Check whether the text of a cell is the value itself."""
    index = {value: code for code, value in enumerate(values)}
    codes = np.array([index.get(text, -1) for text in texts], np.int64)
    return np.asarray(codes[new] == old)
