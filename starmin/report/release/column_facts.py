"""What a release did to its table, read off both of them cell by cell."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances import Table, group_by
from starmin.instances.tables.names import counted
from starmin.report.page import DataTable
from starmin.verify.cells.cells import Cells, NumericCells, PlainCells, TaxonomyCells
from starmin.verify.cells.time_cells import TimeReading

_VALUES = 12  # of a column that are listed


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
) -> list[ColumnFacts]:
    """Return what became of each QI column, with its first values.

    Both tables have the same rows in the same order; ``cells`` says what those of
    generalized columns stand for.

    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["2"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["*"], ["2"]], qi=["a"])
    >>> facts, = column_facts(table, released, "*")
    >>> facts.starred, facts.before, facts.after, facts.values[0]
    (2, 2, 1, ValueFacts(value='2', rows=2, changed=1, starred=1))
    """
    meanings = dict.fromkeys(original.qi, PlainCells(star)) | dict(cells or {})
    return [
        _column(original, released, column, star, meanings[column])
        for column in original.qi
    ]


def _column(
    original: Table, released: Table, column: str, star: str, cells: Cells
) -> ColumnFacts:
    values, texts = original.dictionary(column), released.dictionary(column)
    pairs = group_by([original.column(column), released.column(column)])
    old = original.column(column)[pairs.first]
    new = released.column(column)[pairs.first]
    index = {value: code for code, value in enumerate(values)}
    same = np.array([index.get(text, -1) for text in texts], np.int64)[new] == old
    stars = np.array([text == star for text in texts], bool)[new]
    rows, changed, starred = (
        np.bincount(old, counts, len(values)).astype(np.int64)
        for counts in (pairs.counts, pairs.counts * ~same, pairs.counts * stars)
    )
    first = [i for i in np.lexsort((-rows, -changed))[:_VALUES].tolist() if rows[i]]
    found = released.text_counts(column)
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


# How coarse a column is, in words that need no table.

_LENGTHS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def coarse(released: Table, column: str, star: str, known: Mapping[str, Cells]) -> str:
    """Say how coarse the cells are that are neither hidden nor values."""
    cells = known.get(column)
    found = [*released.text_counts(column).items()]
    found = [(text, n) for text, n in found if text != star]
    if isinstance(cells, TaxonomyCells):
        sizes = [(cells.below.get(text or "", 1), n) for text, n in found]
        size = _median([(each, n) for each, n in sizes if each > 1])
        whole = len(cells.taxonomy.paths)
        if size is not None:
            return f"as categories, of {size:g} of {whole:,} values at the median"
    if isinstance(cells, NumericCells):
        lengths = []
        for text, n in found:
            if text in cells.missing or not cells.reading.is_range(text):
                continue
            if (ends := cells.ends(text)) is not None:
                lengths.append((float(ends[1] - ends[0]), n))
        length = _median(lengths)
        if length is not None:
            return f"as ranges, {_length(cells, length)} from end to end at the median"
    return "as something coarser"


def _median(sizes: list[tuple[float, int]]) -> float | None:
    """Return the lower median of values that occur so often."""
    total, seen = sum(n for _, n in sizes), 0
    for size, n in sorted(sizes):
        seen += n
        if 2 * seen >= total:
            return size
    return None


def _length(cells: NumericCells, length: float) -> str:
    """Write the length of a range, of times in the unit that is read best."""
    reading = cells.reading
    if not isinstance(reading, TimeReading):
        return f"{length:,.10g}"
    if reading.times.months:
        unit, size = "month", length
    else:
        unit, size = next(
            (name, length / seconds)
            for seconds, name in _LENGTHS
            if length >= seconds or seconds == 1
        )
    return f"{size:,.4g} {unit}{'' if size == 1 else 's'}"


# What a release hides, column by column and value by value, as tables.


def labelled(value: str | None, known: Mapping[str, str]) -> str:
    """Write a value with what its file says it stands for.

    >>> labelled("2", {"2": "female"}), labelled("3", {}), labelled("", {})
    ('female (2)', '3', '(empty)')
    """
    if not value:
        return "(missing)" if value is None else "(empty)"
    return f"{known[value]} ({value})" if value in known else value


def by_columns(columns: Sequence[ColumnFacts], recoding: str) -> DataTable:
    """Write a line for each column."""
    general = recoding == "generalization"
    parts: dict[str, list[Any]] = {
        "Column": [each.name for each in columns],
        "#Values before": [each.before for each in columns],
        "#Values after": [each.after for each in columns],
    }
    if general:
        parts["#Changed"] = [each.changed for each in columns]
    if not general or any(each.starred for each in columns):
        parts["#Stars"] = [each.starred for each in columns]
        shares = [each.starred / each.rows for each in columns]
        parts["%Share of stars" if general else "%=Share of stars"] = shares
    if general:
        parts["%=Mean loss"] = [each.lost for each in columns]
    return _table("columns", "By column", parts)


def _table(name: str, caption: str, parts: Mapping[str, Iterable[Any]]) -> DataTable:
    """Write a table of columns by their headers."""
    rows = zip(*parts.values(), strict=True)
    return DataTable.of(name, caption, "|".join(parts), rows)


def by_values(
    columns: Sequence[ColumnFacts],
    recoding: str,
    known: Mapping[str, Mapping[str, str]],
) -> list[tuple[str, DataTable]]:
    """Write a title and a table of values for each column that was changed."""
    general, tables = recoding == "generalization", []
    for place, column in enumerate(columns):
        if not column.changed:
            continue
        values, told = column.values, known.get(column.name, {})
        parts: dict[str, list[Any]] = {
            "Value": [labelled(each.value, told) for each in values],
            "#Rows": [each.rows for each in values],
        }
        if general:
            parts["#Changed"] = [each.changed for each in values]
        parts["#Stars"] = [each.starred for each in values]
        parts["%=Share hidden"] = [each.changed / each.rows for each in values]
        some = f"{len(values):,} of " if len(values) < column.before else ""
        title = f"{column.name} ({some}{counted(column.before, 'value')})"
        caption = f"Values of {column.name}"
        tables.append((title, _table(f"values-{place}", caption, parts)))
    return tables
