"""How columns hang together before and after: pairs, and cells of two-way tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from starmin.instances import Scales, Table
from starmin.instances.arrays import Floats, Ints
from starmin.report.page import Cell, DataTable, number, share
from starmin.report.release.column_facts import labelled
from starmin.report.release.distributions import Distribution, places_of, says
from starmin.verify.utility import Spread

_VALUES = 60  # at most, of a column of a cross table
_LINES = 4  # values of a column that such a table shows
COLUMNS = 12  # of which pairs are looked at: the first ones
SHOWN = 10  # pairs, and cells
_LITTLE = 1e-9  # rows, where none is told but for rounding
_name = partial(labelled, known={})


@dataclass(frozen=True)
class Pair:
    """Two columns, before and after."""

    names: tuple[str, str]  # of the columns
    measure: str  # what is measured
    before: float  # from the original
    after: float | None  # from the release; None where nothing is told

    @property
    def change(self) -> float:
        """How much it has changed; what is not told has lost all."""
        return abs((self.after or 0.0) - self.before)


@dataclass(frozen=True)
class CrossCell:
    """A cell of a two-way table."""

    where: str  # columns and values, as text
    # before, after: its share of the rows, and of those that tell both columns
    before: float
    after: float


@dataclass(frozen=True)
class Related:
    """What columns tell of each other, in an original and in its release.

    Columns are named by their places among the quasi-identifiers; as the second one
    None stands for the one sensitive column.

    >>> from starmin.report.release.distributions import distributions
    >>> from starmin.verify.utility import spread_of
    >>> rows = [["x", "1"], ["x", "1"], ["y", "2"], ["y", "1"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> rows = [["x", "1"], ["x", "1"], ["y", "*"], ["y", "*"]]
    >>> released = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> scales = Scales.of(table)
    >>> spread = spread_of(released, table, scales)
    >>> related = Related(table, scales, spread, distributions(table, spread, scales))
    >>> related.counted(0, 1).tolist(), related.told(0, 1).round(2).tolist()
    ([[2.0, 0.0], [1.0, 1.0]], [[2.0, 0.0], [0.0, 0.0]])
    >>> (pair,), cells = related.most_changed()
    >>> pair.measure, round(pair.before, 3), pair.after
    ("Cramér's V", 0.577, 0.0)
    >>> cells[0]
    CrossCell(where='a = x, b = 1', before=0.5, after=1.0)
    """

    table: Table  # the original
    scales: Scales  # how its columns are generalized
    spread: Spread  # what the release says
    columns: Sequence[Distribution]  # of the quasi-identifiers
    weights: Floats | None = None  # by row how many people it stands for; None: one

    def counted(self, first: int, second: int | None) -> Floats:
        """Count the rows of the original by the values of two columns.

        There is a line for each value of the first, in the order of its distribution.
        """
        table, at, kinds = self.table, [], []
        for place in (first, second):
            if place is None:
                kinds.append(table.column(table.sensitive[0]))
            else:
                positions = self.scales.scales[place].positions
                kinds.append(positions[table.column(table.qi[place])])
            at.append(np.unique(kinds[-1], return_inverse=True)[1])
        sizes = [int(codes.max()) + 1 for codes in at]
        places = np.ravel_multi_index(tuple(at), sizes)
        counts = np.bincount(places, self.weights, minlength=np.prod(sizes))
        return counts.reshape(sizes).astype(float)

    def told(self, first: int, second: int | None) -> Floats:
        """Count the rows that the release tells of, as ``counted`` those there are.

        By weights, where the spread was made with some, to the sum of the rows.
        """
        spread, table = self.spread, self.table
        begun, at = self._ends(first, spread.mass)
        if second is None:
            shares = csr_array((spread.shares, spread.values, spread.starts))
            after = (begun.T @ shares[spread.group]).toarray()
        else:
            ends, across = self._ends(second, np.ones(len(spread.mass)))
            after = (begun.T @ ends).toarray().cumsum(axis=1)[:, across]
        return np.asarray(after.cumsum(axis=0)[at].clip(0) * table.n)

    def _ends(self, column: int, mass: Floats) -> tuple[Any, Ints]:
        """Return by box where its values begin, and end, each with its part of a mass.

        The sums along the scale are of what is told; the places with values come, too.
        """
        spread, scale = self.spread, self.scales.scales[column]
        some = np.flatnonzero(says(spread, column, scale.size))
        part = (mass / spread.widths[:, column])[some]
        ends = np.r_[spread.low[some, column], spread.high[some, column] + 1]
        places, shape = (np.r_[some, some], ends), (len(mass), scale.size + 1)
        found = csr_array((np.r_[part, -part], places), shape)
        return found, places_of(self.table, self.table.qi[column], scale)[0]

    @property
    def _sensitive(self) -> tuple[str | None, ...]:
        """The values of the one sensitive column, as they are counted; else none."""
        if len(self.table.sensitive) != 1:
            return ()
        (column,) = self.table.sensitive
        codes = np.unique(self.table.column(column))
        return tuple(self.table.dictionary(column)[code] for code in codes)

    def _second(self, place: int | None) -> tuple[str, Sequence[str | None]]:
        """Return the name and the values of a column that is the second of two."""
        if place is None:
            return self.table.sensitive[0], self._sensitive
        return self.columns[place].name, self.columns[place].values

    def _readable(self, most: int) -> list[int]:
        """Return which of the first columns have so few values that a table is read."""
        places = range(min(len(self.columns), most))
        return [j for j in places if 2 <= len(self.columns[j].values) <= _VALUES]

    def most_changed(self) -> tuple[list[Pair], list[CrossCell]]:
        """Measure pairs of columns and their cells, the most changed first."""
        pairs, cells = [], list[CrossCell]()
        first = range(min(len(self.columns), COLUMNS))
        for a, b in combinations(first, 2):
            if self._numbers(a, b) and (both := self._correlations(a, b)) is not None:
                names = self.columns[a].name, self.columns[b].name
                pairs.append(Pair(names, "correlation", *both))
        for a, other in self._crossed():
            before, after = self.counted(a, other), self.told(a, other)
            second, heads = self._second(other)
            then, now = _cramer(before), _cramer(after)
            if then is not None and not self._numbers(a, other):
                names = self.columns[a].name, second
                pairs.append(Pair(names, "Cramér's V", then, now))
            if after.sum() > _LITTLE:
                cells += _cells(self.columns[a], second, heads, before, after)
        pairs.sort(key=lambda pair: -pair.change)
        cells.sort(key=lambda cell: -abs(cell.after - cell.before))
        return pairs, cells[:SHOWN]

    def _numbers(self, a: int, b: int | None) -> bool:
        """Check whether both columns have numbers, whose correlation is told."""
        some = [self.columns[j].numbers for j in (a, b) if j is not None]
        return len(some) == 2 and all(each is not None for each in some)

    def _crossed(self) -> Iterator[tuple[int, int | None]]:
        """Yield the pairs whose tables can be read."""
        places = self._readable(COLUMNS)
        yield from combinations(places, 2)
        if 2 <= len(self._sensitive) <= _VALUES:
            yield from ((a, None) for a in places)

    def _correlations(self, a: int, b: int) -> tuple[float, float | None] | None:
        """Return the correlation of two columns of numbers, before and after.

        None where a column has one value; the second number is None where nothing is
        told.
        """
        table, spread = self.table, self.spread
        ones, known = [], np.ones(table.n, bool)
        means, squares, told_of = [], [], np.ones(len(spread.mass), bool)
        for j in (a, b):
            column, scale = self.columns[j], self.scales.scales[j]
            numbers = np.full(scale.size, np.nan)
            assert column.numbers is not None
            numbers[places_of(table, column.name, scale)[0]] = column.numbers
            ones.append(numbers[scale.positions[table.column(column.name)]])
            known &= ~np.isnan(ones[-1])
            first, second, count = (
                np.append(0.0, np.cumsum(np.nan_to_num(each)))
                for each in (numbers, numbers**2, (~np.isnan(numbers)).astype(float))
            )
            low, high = spread.low[:, j], spread.high[:, j] + 1
            many = count[high] - count[low]
            told_of &= says(spread, j, scale.size) & (many > 0)
            many = np.maximum(many, 1)
            means.append((first[high] - first[low]) / many)
            squares.append((second[high] - second[low]) / many)
        x, y = (each[known] for each in ones)
        people = np.ones(len(x)) if self.weights is None else self.weights[known]
        before = _correlation(people, x, y, x**2, y**2)
        if before is None:
            return None
        x, y, xx, yy = (each[told_of] for each in (*means, *squares))
        return before, _correlation(spread.mass[told_of], x, y, xx, yy)

    def cross_table(self) -> DataTable | None:
        """Compare a table of two columns: those that tell most of each other.

        Where there is one sensitive column, it is one of them. None where no two
        columns have few values.
        """
        places = self._readable(len(self.columns))
        pairs: list[tuple[int, int | None]] = [*combinations(places, 2)]
        if len(self.table.sensitive) == 1:
            pairs = [(a, None) for a in places]
        if not pairs:
            return None
        counts = [self.counted(*pair) for pair in pairs]
        best = int(np.argmax([_information(each) for each in counts]))
        before, (a, b) = counts[best], pairs[best]
        after, first = self.told(a, b), self.columns[a]
        second, heads = self._second(b)
        rows = np.argsort(-before.sum(axis=1), kind="stable")[:_LINES]
        tops = np.argsort(-before.sum(axis=0), kind="stable")[:_LINES]
        return DataTable(
            "cross",
            f"Values of {second}, as shares within each {first.name}, before and after",
            ((first.name, False), *((_name(heads[v]), True) for v in tops)),
            [
                [
                    Cell(_name(first.values[r])),
                    *(Cell(_both(before[r], after[r], int(v))) for v in tops),
                ]
                for r in rows
            ],
            sortable=False,
        )


def _correlation(
    mass: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats
) -> float | None:
    """Return a correlation from means and mean squares of parts."""
    total = float(mass.sum())
    if not total > 1e-12:
        return None
    mx, my, mxx, myy, mxy = (float(mass @ e) / total for e in (x, y, xx, yy, x * y))
    spread = (mxx - mx * mx) * (myy - my * my)
    return None if spread <= 1e-12 * mxx * myy else (mxy - mx * my) / spread**0.5


def _shares(counts: Floats) -> tuple[Floats, Floats]:
    """Return the shares of cells, and those that independent columns would have."""
    joint = counts / counts.sum()
    return joint, joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)


def _information(counts: Floats) -> float:
    joint, apart = _shares(counts)
    there = joint > 0
    return float((joint[there] * np.log(joint[there] / apart[there])).sum())


def _cells(
    one: Distribution,
    second: str,
    heads: Sequence[str | None],
    before: Floats,
    after: Floats,
) -> list[CrossCell]:
    """Return the most changed cells of a table."""
    then, now = before / before.sum(), after / after.sum()
    order = np.argsort(-np.abs(now - then), axis=None, kind="stable")[:SHOWN]
    return [
        CrossCell(
            f"{one.name} = {_name(one.values[i])}, {second} = {_name(heads[j])}",
            float(then[i, j]),
            float(now[i, j]),
        )
        for i, j in zip(*np.unravel_index(order, then.shape), strict=True)
    ]


def _cramer(counts: Floats) -> float | None:
    """Return how far a table is from that of independent columns, from 0 to 1."""
    if not counts.sum() > _LITTLE or min(counts.shape) < 2:
        return None
    joint, apart = _shares(counts)
    there = apart > 0
    square = ((joint - apart)[there] ** 2 / apart[there]).sum()
    return float(np.sqrt(square / (min(counts.shape) - 1)))


def _both(before: Floats, after: Floats, place: int) -> str:
    then = before[place] / before.sum()
    if not after.sum() > _LITTLE:
        return f"{then:.1%} \N{RIGHTWARDS ARROW} not told".replace("%", " %")
    now = after[place] / after.sum()
    return f"{then:.1%} \N{RIGHTWARDS ARROW} {now:.1%}".replace("%", " %")


def worth_table(columns: Sequence[Distribution]) -> DataTable:
    """Compare a mean, or the share of the most frequent value, of each column."""
    header = "Column|Figure|#Before|#After|%=Rows that tell it"
    caption = "Means and shares, from the original and from the release"
    rows = [(each.name, *_figure(each), each.told) for each in columns]
    return DataTable.of("worth", caption, header, rows, sortable=False)


def _figure(column: Distribution) -> tuple[str | Cell, ...]:
    if (means := column.means()) is not None:
        return "mean", *map(_mean, means)
    place = column.most_frequent(1)[0]
    return f"share of {_name(column.values[place])}", *map(share, column.shares(place))


def _mean(value: float | None) -> Cell:
    return number(value, 2 if value is None or abs(value) < 1000 else 0)


def pair_table(pairs: Sequence[Pair]) -> DataTable:
    """Write the most changed pairs, which come first."""
    header, untold = "Columns|Measure|#3Before|#3After", Cell("not told")
    rows = [
        (
            *(" and ".join(pair.names), pair.measure, pair.before),
            untold if pair.after is None else pair.after,
        )
        for pair in pairs[:SHOWN]
    ]
    return DataTable.of("relations", "Pairs of columns", header, rows, sortable=False)


def cell_table(cells: Sequence[CrossCell]) -> DataTable:
    """Write cells of two-way tables."""
    header, rows = "Cell|%Before|%After", [[*vars(each).values()] for each in cells]
    caption = "Cells of two-way tables"
    return DataTable.of("worst-cells", caption, header, rows, sortable=False)
