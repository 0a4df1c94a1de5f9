"""Count what a release tells beyond quasi-identifiers, alone or beside others."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import log10
from typing import Any

import numpy as np

from starmin.instances import Coding, Table, group_by
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.tables.grouping import codes_that_occur
from starmin.instances.tables.names import counted, listed
from starmin.verify.releases.range_ends import RangeEnds, hidden_cells, range_ends

# What columns that are published unchanged tell: rows by themselves, hidden cells.

_WORK = 8_000_000  # rows x pairs of columns that are looked at; of more, a sample is
_BATCH = 2_000_000  # rows x columns that are counted at once
_SURE = 4.0  # decimal digits of the chance that rows agree by accident
_NEARLY = 0.9  # of the rows whose value is not the most frequent one anyway
_PURE = 0.99  # of the rows of a value
_MOST = 0.5  # of the hidden cells
_FIRST = 64  # columns by which rows are told apart first


@dataclass(frozen=True)
class Unchanged:
    """Columns that are published unchanged, and the rows that they single out."""

    columns: tuple[str, ...]  # those that are neither quasi-identifiers nor sensitive
    rows: int  # how many there are
    unique_rows: int  # how many rows no other row equals in these columns together
    # the same in these columns and the quasi-identifiers, as they are published
    unique_rows_with_qi: int

    def __str__(self) -> str:
        them = "it" if len(self.columns) == 1 else "them"
        return (
            f"{listed(self.columns)}; {self.unique_rows:,} of {self.rows:,} rows "
            f"are unique by {them}, {self.unique_rows_with_qi:,} with the "
            "quasi-identifiers as they are published"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``unchanged`` in JSON."""
        return {
            "columns": list(self.columns),
            "unique_rows": self.unique_rows,
            "unique_rows_with_qi": self.unique_rows_with_qi,
        }


def unchanged_columns(released: Table) -> Unchanged | None:
    """Count the rows that are alone by what is published beside the quasi-identifiers.

    The release has whole rows in any order. None where no other column is published, or
    only counts of rows are known.

    Two group-bys of n rows.

    >>> rows = [["*", "Ann"], ["*", "Bob"], ["3", "Bob"]]
    >>> unchanged_columns(Table.from_rows(["age", "name"], rows, qi=["age"]))
    Unchanged(columns=('name',), rows=3, unique_rows=1, unique_rows_with_qi=3)
    """
    if not released.other or released.counts is not None:
        return None
    some = released.other, (*released.other, *released.qi)
    alone = (_alone(released, columns) for columns in some)
    return Unchanged(released.other, released.n, *alone)


@dataclass(frozen=True)
class Undone:
    """Hidden cells of a column that another column tells."""

    column: str  # the quasi-identifier whose cells are hidden
    by: str  # the column that is published unchanged
    hidden: int  # how many cells are hidden: not published as they were
    told: int  # how many of these hold the value that goes with the value of ``by``

    def __str__(self) -> str:
        return (
            f"{self.by} tells {self.told:,} of the {self.hidden:,} hidden cells of "
            f"{self.column}"
        )


def undone_cells(original: Table, released: Table) -> tuple[Undone, ...]:
    """Find columns that tell what is hidden in a quasi-identifier, by counting.

    An unchanged column *determines* another one where its values go with one value
    each, or nearly so, and not by accident: where rows that share a value of it agree
    in the other column. Then a hidden cell is told if it holds the value that most rows
    with the same unchanged value have; and a value that only one row has tells its
    cell, too, as a date of birth tells an age. Where a column does not determine the
    other one, single values of it may: told are those that go with one value in 99 of
    100 rows or more, in so many rows that it is no accident. Such a column is named if
    it tells half of the hidden cells.

    Both tables have the same rows in the same order. The most hidden cells come first;
    sensitive columns are published unchanged as well.

    A group-by of n rows for each pair of an unchanged column and a quasi-identifier
    with hidden cells. Where rows times pairs are more than 8 million, the pairs are
    chosen by evenly spaced rows, and only those chosen are counted in all rows. Values
    agree by accident with a chance of 1 in 10,000 at most, were the columns
    independent. Combinations of several unchanged columns are not looked at.

    >>> rows = [[degree, years] for degree, years in zip("aabbccddee", "1122334455")]
    >>> original = Table.from_rows(["degree", "years"], rows * 2, qi=["degree"])
    >>> rows = [["*", years] for _, years in rows * 2]
    >>> released = Table.from_rows(["degree", "years"], rows, qi=["degree"])
    >>> undone_cells(original, released)
    (Undone(column='degree', by='years', hidden=20, told=20),)
    """
    hidden = {
        column: rows
        for column in original.qi
        if (rows := hidden_cells(original, released, column)).any()
    }
    published = frozenset(released.names)
    kept = [c for c in (*original.other, *original.sensitive) if c in published]
    step = -(-original.n * len(hidden) * len(kept) // _WORK)
    found = []
    for column, rows in hidden.items():
        others = kept
        if step > 1:
            some = np.arange(0, original.n, step)
            told = _told(original.take(some), column, kept, rows[some])
            others = [by for by, count in zip(kept, told, strict=True) if count]
        others = _repeating(original, column, others)
        told = _told(original, column, others, rows)
        cells = int(rows.sum())
        found += [
            Undone(column, by, cells, count)
            for by, count in zip(others, told, strict=True)
            if count
        ]
    return tuple(sorted(found, key=lambda each: -each.told))


def _alone(table: Table, columns: tuple[str, ...]) -> int:
    some = columns[:_FIRST]
    groups = table.grouped(some)
    if len(some) < len(columns) and groups.size < table.n:
        # More columns make rows alone, never alike.
        rest = table.codes[table.positions(columns[_FIRST:])]
        rows = np.column_stack([groups.inverse, rest.T])
        return int(np.count_nonzero(np.unique(rows, False, False, True, 0)[1] == 1))
    return int(np.count_nonzero(groups.counts == 1))


def _repeating(table: Table, column: str, others: Sequence[str]) -> list[str]:
    """Return the columns whose values are those of enough rows to tell anything.

    Each row beside the first of a value agrees by accident with the chance of the
    rarest value of the other column at least: thousands of measurements, no two of
    which are alike, need not be looked at one by one.
    """
    if not others:
        return []
    positions, sizes = table.positions(others), table.sizes(others)
    spare = table.n - codes_that_occur(table.codes[positions], sizes)
    digits = log10(table.n / min(table.text_counts(column).values()))
    enough = np.flatnonzero(spare * digits >= _SURE - 1e-9)
    return [others[j] for j in enough.tolist()]


def _told(table: Table, column: str, others: Sequence[str], hidden: Bools) -> list[int]:
    """Return how many hidden cells of a column each other one tells, 0 if too few."""
    told, batch, cells = list[int](), list[str](), 0
    for by, size in zip(others, table.sizes(others), strict=True):
        cost = max(table.n, size)
        if batch and cells + cost > _BATCH:
            told += _told_by_each(table, column, batch, hidden)
            batch, cells = [], 0
        batch.append(by)
        cells += cost
    return told + (_told_by_each(table, column, batch, hidden) if batch else [])


def _told_by_each(
    table: Table, column: str, others: Sequence[str], hidden: Bools
) -> list[int]:
    """Do the same for a few columns at once: a value of each of them is a *giver*."""
    m = len(others)
    sizes = table.sizes(others)
    starts, all_givers = np.cumsum([0, *sizes[:-1]]), sum(sizes)
    giver = (table.codes[table.positions(others)] + starts[:, None]).ravel()
    rows = np.bincount(giver, minlength=all_givers)
    often = rows > 1  # a value of one row tells its cell where all values tell theirs
    shared = often[giver]
    kept = np.flatnonzero(shared)
    if len(kept) == 0:
        return [0] * m
    owner, rows = np.repeat(np.arange(m), sizes)[often], rows[often]
    number = np.cumsum(often) - 1
    codes = number[giver[kept]], np.tile(table.column(column), m)[kept]
    pairs = group_by(codes)
    givers, values = (each[pairs.first] for each in codes)
    begins = np.flatnonzero(np.diff(givers, prepend=-1))  # pairs come giver by giver
    top = np.maximum.reduceat(pairs.counts, begins)
    most = pairs.counts == top[givers]
    value = np.zeros(len(rows), np.int64)
    value[givers[most]] = values[most]
    occurs = np.bincount(table.column(column), minlength=int(value.max()) + 1) / table.n
    all_tell = _determines(rows, top, occurs, owner, m)
    chance = np.log10(np.maximum(occurs, 1e-300))[value]
    digits = _SURE + np.log10(np.maximum(1, sizes))
    sure = -(rows - 1) * chance >= digits[owner]
    tells = all_tell[owner] | (sure & (top >= _PURE * rows))
    told = ~shared & np.repeat(all_tell, table.n)
    told[kept] = tells[codes[0]] & (value[codes[0]] == codes[1])
    counts = np.count_nonzero(told.reshape(m, -1) & hidden, axis=1)
    enough = all_tell | (counts >= _MOST * np.count_nonzero(hidden))
    return [int(each) for each in np.where(enough, counts, 0)]


def _determines(
    rows: Ints, top: Ints, occurs: Floats, owner: Ints, columns: int
) -> Bools:
    """Check of which columns the values go with one value each, not by accident.

    By value of these ``columns``, a number, ``rows`` has its rows, ``top`` those with
    its most frequent value of the other column, and ``owner`` whose value it is.
    ``occurs`` is the share of each value of the other column.
    """
    shared = rows > 1

    def total(by_value: Ints | Bools) -> Ints:
        return np.bincount(owner, by_value, columns).astype(np.int64)

    n = total(rows * shared)
    agree = total(top * (shared & (top > 1)))
    anyway = n * float(occurs.max())
    confirmed = n - total(shared)
    sure = -confirmed * log10(max(float(occurs @ occurs), 1e-300)) >= _SURE
    return np.asarray(sure & (agree - anyway >= _NEARLY * (n - anyway)) & (n > anyway))


# What releases of one table show of each other where their rows are in one order.


def shown_by_another(
    original: Table, releases: Sequence[Table]
) -> tuple[float, float] | None:
    """Return how much of what one of two releases hides the other one shows.

    The ``releases`` have the rows of the table that all were made of, in its order. For
    each two of them: of the quasi-identifier cells that are hidden in one of them at
    least, the share that is published as it was in the other. Returned are the least
    and the greatest of these shares; None where no two releases hide anything. Where
    both hide a cell, they may still narrow it together.

    O(n d) for each two releases.

    >>> def table(*rows): return Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> original = table(["1", "x"], ["2", "x"], ["2", "y"])
    >>> one = table(["*", "x"], ["*", "x"], ["2", "y"])
    >>> two = table(["*", "x"], ["2", "*"], ["2", "*"])
    >>> shown_by_another(original, [one, two])
    (0.75, 0.75)
    """
    hidden = [
        np.stack([hidden_cells(original, released, column) for column in original.qi])
        for released in releases
        if set(original.qi) <= set(released.qi)
    ]
    shares = []
    for one, two in combinations(hidden, 2):
        if either := np.count_nonzero(one | two):
            shares.append(float(np.count_nonzero(one ^ two) / either))
    return (min(shares), max(shares)) if shares else None


_NAMED = 12  # columns that tell hidden cells and are named, at most


@dataclass(frozen=True)
class Disclosure:
    """What a release tells beyond the quasi-identifiers that were named."""

    # the other columns that are published, and whom they single out; None where there
    # are none
    unchanged: Unchanged | None
    # hidden cells that unchanged columns tell; None without the original
    undone: tuple[Undone, ...] | None
    # ends of ranges that are people's values; None where there are none
    range_ends: RangeEnds | None = None

    @classmethod
    def of(
        cls, original: Table | None, released: Table, coding: Coding | None = None
    ) -> "Disclosure":
        """Count what a release tells.

        ``original`` has the same rows in the same order, without floors; None: it is
        not at hand. Of a counted table, which has no rows, nothing is said. ``coding``
        is that of the release; default: stars.
        """
        unchanged = unchanged_columns(released)
        if original is None or original.counts is not None:
            return cls(unchanged, None)
        ends = range_ends(original, released, coding or Coding())
        return cls(unchanged, undone_cells(original, released), ends)

    @property
    def named(self) -> tuple[Undone, ...]:
        """The columns that tell most, which sentences name."""
        return (self.undone or ())[:_NAMED]

    @property
    def others(self) -> str:
        """What sentences say of the columns that they do not name; often nothing."""
        more = len(self.undone or ()) - _NAMED
        return f"{counted(more, 'more pair')} of columns are so" if more > 0 else ""

    def as_json(self) -> dict[str, Any]:
        """Return the keys ``unchanged``, ``undone`` and ``range_ends``."""
        undone = None if self.undone is None else [asdict(u) for u in self.undone]
        return {
            "unchanged": self.unchanged and self.unchanged.as_json(),
            "undone": undone,
            "range_ends": self.range_ends and self.range_ends.as_json(),
        }

    def lines(self) -> list[tuple[str, str]]:
        """Return label and text, to be read by people."""
        lines = []
        if self.unchanged is not None:
            lines.append(("beside", f"published as they are: {self.unchanged}"))
        lines += [("undone", str(each)) for each in self.named]
        lines += [("undone", self.others)] if self.others else []
        if self.range_ends is not None:
            lines.append(("ends", str(self.range_ends)))
        return lines


NOTHING = Disclosure(None, None)
