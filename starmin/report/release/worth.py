"""What a release is worth to whoever counts with it: before and after, in tables."""

from collections.abc import Sequence

import numpy as np

from starmin.instances import Coding, Table
from starmin.instances.arrays import Floats
from starmin.report.page import Cell, DataTable, number, share
from starmin.report.release.crossed import counted, may_cross, most_related, told
from starmin.report.release.distributions import Distribution
from starmin.verify.utility import Spread

_LINES = 4  # values of a column in a cross table


def worth_table(columns: Sequence[Distribution]) -> DataTable:
    """Compare a mean, or the share of the most frequent value, of each column."""
    header = (
        ("Column", False),
        ("Figure", False),
        ("Before", True),
        ("After", True),
        ("Rows that tell it", True),
    )
    return DataTable(
        "worth",
        "Means and shares, from the original and from the release",
        header,
        [_figure(column) for column in columns],
        sortable=False,
    )


def _figure(column: Distribution) -> list[Cell]:
    tell = share(column.told, bar=True)
    if (means := column.means()) is not None:
        before, after = means
        return [Cell(column.name), Cell("mean"), _mean(before), _mean(after), tell]
    place = column.most_frequent(1)[0]
    shares = [share(value) for value in column.shares(place)]
    return [Cell(column.name), Cell(f"share of {_text(column, place)}"), *shares, tell]


def _mean(value: float | None) -> Cell:
    return number(value, 2 if value is None or abs(value) < 1000 else 0)


def cross_table(
    table: Table,
    coding: Coding,
    spread: Spread,
    columns: Sequence[Distribution],
    weights: Floats | None = None,
) -> DataTable | None:
    """Compare a table of two columns: those that tell most of each other.

    Where there is one sensitive column, it is one of them. ``columns`` are the
    distributions of the quasi-identifiers, and ``spread`` is what the release says;
    ``weights`` are by row how many people it stands for; default: one. None where no
    two columns have few values.
    """
    scales = coding.scales(table)
    places = [j for j, column in enumerate(columns) if may_cross(column)]
    pairs: list[tuple[int, int | None]]
    pairs = [(a, b) for a in places for b in places if a < b]
    if len(table.sensitive) == 1:
        pairs = [(a, None) for a in places]
    if not pairs:
        return None
    counts = [counted(table, scales, *pair, weights) for pair in pairs]
    best = most_related(counts)
    a, b = pairs[best]
    after = told(table, spread, scales, a, b)
    name, values = table.sensitive[:1], sensitive_values(table)
    if b is not None:
        name, values = (columns[b].name,), columns[b].values
    return _compared(
        (columns[a].name, *name), columns[a].values, values, counts[best], after
    )


def _compared(
    names: Sequence[str],
    lines: Sequence[str | None],
    heads: Sequence[str | None],
    before: Floats,
    after: Floats,
) -> DataTable:
    """Write shares of each line, before and after, for the most frequent values."""
    first, second = names
    rows = np.argsort(-before.sum(axis=1), kind="stable")[:_LINES]
    tops = np.argsort(-before.sum(axis=0), kind="stable")[:_LINES]
    return DataTable(
        "cross",
        f"Values of {second}, as shares within each {first}, before and after",
        ((first, False), *((name_of(heads[v]), True) for v in tops)),
        [
            [
                Cell(name_of(lines[r])),
                *(Cell(_both(before[r], after[r], int(v))) for v in tops),
            ]
            for r in rows
        ],
        sortable=False,
    )


def _both(before: Floats, after: Floats, place: int) -> str:
    then = before[place] / before.sum()
    if not after.sum() > 1e-9:
        return f"{then:.1%} \N{RIGHTWARDS ARROW} not told".replace("%", " %")
    now = after[place] / after.sum()
    return f"{then:.1%} \N{RIGHTWARDS ARROW} {now:.1%}".replace("%", " %")


def sensitive_values(table: Table) -> tuple[str | None, ...]:
    """Return the values of the one sensitive column, in the order they are counted.

    There are none where the table has another number of sensitive columns.
    """
    if len(table.sensitive) != 1:
        return ()
    (column,) = table.sensitive
    codes = np.unique(table.column(column))
    return tuple(table.dictionary(column)[code] for code in codes)


def _text(column: Distribution, place: int) -> str:
    return name_of(column.values[place])


def name_of(value: str | None) -> str:
    """Write a value, or that there is none.

    A value of None is a missing cell.
    """
    return "(missing)" if value is None else value or "(empty)"
