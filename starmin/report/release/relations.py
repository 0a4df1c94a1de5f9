"""How columns hang together before and after: pairs, and cells of two-way tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from starmin.instances import Coding, Scales, Table
from starmin.instances.arrays import Floats
from starmin.report.page import Cell, DataTable, number, share
from starmin.report.release.distributions import Distribution, places_of, says
from starmin.verify.utility import Spread

# The correlation of two columns of numbers, in an original and in its release.


def correlations(
    table: Table,
    coding: Coding,
    spread: Spread,
    columns: Sequence[Distribution],
    pair: tuple[int, int],
    weights: Floats | None,
) -> tuple[float, float | None] | None:
    """Return the correlation of two columns of numbers, before and after.

    ``columns`` are the distributions of the quasi-identifiers, and ``pair`` two places
    among them; ``spread`` is what the release says. ``weights`` are by row how many
    people it stands for; default: one. The result is None where a column has one value;
    the second number is None where nothing is told.
    """
    scales = coding.scales(table).scales
    ones, known = [], np.ones(table.n, bool)
    means, squares, told_of = [], [], np.ones(len(spread.mass), bool)
    for j in pair:
        column, scale = columns[j], scales[j]
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
    people = np.ones(len(x)) if weights is None else weights[known]
    before = _correlation(people, x, y, x**2, y**2)
    if before is None:
        return None
    x, y, xx, yy = (each[told_of] for each in (*means, *squares))
    return before, _correlation(spread.mass[told_of], x, y, xx, yy)


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


# Tables of two columns, counted from an original and told by its release.

_MOST = 60  # values of a column of a cross table


def counted(
    original: Table,
    scales: Scales,
    first: int,
    second: int | None,
    weights: Floats | None = None,
) -> Floats:
    """Count the rows of the original by the values of two columns.

    ``first`` and ``second`` are places among the quasi-identifiers; None: the one
    sensitive column. ``weights`` are by row how many people it stands for; default:
    one. There is a line for each value of the first column, in the order of its
    distribution.
    """
    at, kinds = [], []
    for place in (first, second):
        if place is None:
            kinds.append(original.column(original.sensitive[0]))
        else:
            positions = scales.scales[place].positions
            kinds.append(positions[original.column(original.qi[place])])
        at.append(np.unique(kinds[-1], return_inverse=True)[1])
    sizes = [int(codes.max()) + 1 for codes in at]
    counts = np.bincount(
        np.ravel_multi_index(tuple(at), sizes), weights, minlength=np.prod(sizes)
    )
    return counts.reshape(sizes).astype(float)


def told(
    original: Table, spread: Spread, scales: Scales, first: int, second: int | None
) -> Floats:
    """Count the rows that a release tells of, as ``counted`` does those there are.

    By weights, where the spread was made with some, to the sum of the rows. ``first``
    and ``second`` are places among the quasi-identifiers; None: the one sensitive
    column.

    Examples
    --------
    >>> from starmin.verify.utility import spread_of
    >>> rows = [["x", "1"], ["x", "2"], ["y", "2"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> rows = [["x", "1"], ["*", "2"], ["*", "2"]]
    >>> released = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> scales = Scales.of(table)
    >>> counted(table, scales, 0, 1).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    >>> told(table, spread_of(released, table, scales), scales, 0, 1).round(2).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    if second is None:
        return _told_sensitive(original, spread, scales, first)
    pair = [first, second]
    sizes = [scales.scales[j].size for j in pair]
    sums = np.zeros((sizes[0] + 1, sizes[1] + 1))
    some = says(spread, first, sizes[0]) & says(spread, second, sizes[1])
    mass = (spread.mass / spread.widths[:, pair].prod(axis=1))[some]
    low, high = spread.low[some][:, pair], spread.high[some][:, pair] + 1
    for sign, x, y in (
        (1, low[:, 0], low[:, 1]),
        (-1, low[:, 0], high[:, 1]),
        (-1, high[:, 0], low[:, 1]),
        (1, high[:, 0], high[:, 1]),
    ):
        np.add.at(sums, (x, y), sign * mass)
    after = sums.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] * original.n
    at = [places_of(original, original.qi[j], scales.scales[j])[0] for j in pair]
    return np.asarray(after[np.ix_(*at)].clip(0))


def _told_sensitive(
    original: Table, spread: Spread, scales: Scales, column: int
) -> Floats:
    """Count what is told of a QI column and the sensitive values of its groups."""
    name, scale = original.qi[column], scales.scales[column]
    some = np.flatnonzero(says(spread, column, scale.size))
    group = spread.group[some]
    counts = spread.starts[group + 1] - spread.starts[group]
    box = np.repeat(some, counts)
    inside = np.arange(len(box)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.repeat(spread.starts[group], counts) + inside
    mass = (spread.mass / spread.widths[:, column])[box] * spread.shares[at]
    many = len(np.unique(original.column(original.sensitive[0])))
    sums = np.zeros((scale.size + 1, many))
    np.add.at(sums, (spread.low[box, column], spread.values[at]), mass)
    np.add.at(sums, (spread.high[box, column] + 1, spread.values[at]), -mass)
    after = sums.cumsum(axis=0)[:-1] * original.n
    return np.asarray(after[places_of(original, name, scale)[0]].clip(0))


def most_related(tables: Sequence[Floats]) -> int:
    """Return which of several cross tables has the greatest mutual information."""
    return int(np.argmax([_information(counts) for counts in tables]))


def may_cross(distribution: Distribution) -> bool:
    """Check whether a column has so few values that a cross table can be read."""
    return 2 <= len(distribution.values) <= _MOST


def _information(counts: Floats) -> float:
    joint = counts / counts.sum()
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return float((joint[there] * np.log(joint[there] / apart[there])).sum())


# What a release is worth to whoever counts with it: before and after, in tables.

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


MOST_COLUMNS = 12  # of which pairs are looked at: the first ones
_SHOWN = 10  # cells
_CORRELATION, _CRAMER = "correlation", "Cramér's V"


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


def relations(
    table: Table,
    coding: Coding,
    spread: Spread,
    columns: Sequence[Distribution],
    weights: Floats | None = None,
) -> tuple[list[Pair], list[CrossCell]]:
    """Measure all pairs of the first columns, and all cells of their tables.

    Parameters
    ----------
    table, coding
        The original, and how it was published.
    spread
        What the release says.
    columns
        The distributions of the quasi-identifiers.
    weights
        How many people each row stands for; default: one.

    Returns
    -------
    pairs, cells
        The most changed first.

    Examples
    --------
    >>> from starmin.report.release.distributions import distributions
    >>> from starmin.verify.utility import spread_of
    >>> rows = [["x", "1"], ["x", "1"], ["y", "2"], ["y", "1"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> rows = [["x", "1"], ["x", "1"], ["y", "*"], ["y", "*"]]
    >>> released = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> coding = Coding()
    >>> spread = spread_of(released, table, coding.scales(table))
    >>> columns = distributions(table, spread, coding.scales(table))
    >>> (pair,), cells = relations(table, coding, spread, columns)
    >>> pair.measure, round(pair.before, 3), pair.after
    ("Cramér's V", 0.577, 0.0)
    >>> cells[0]
    CrossCell(where='a = x, b = 1', before=0.5, after=1.0)
    """
    scales, pairs, cells = coding.scales(table), [], []
    for a, b in combinations(range(min(len(columns), MOST_COLUMNS)), 2):
        one, other = columns[a], columns[b]
        if one.numbers is not None and other.numbers is not None:
            both = correlations(table, coding, spread, columns, (a, b), weights)
            if both is not None:
                pairs.append(Pair((one.name, other.name), _CORRELATION, *both))
    names = sensitive_values(table)
    for a, other_at, heads in _crossed(table, columns, names):
        before = counted(table, scales, a, other_at, weights)
        after = told(table, spread, scales, a, other_at)
        second = table.sensitive[0] if other_at is None else columns[other_at].name
        then, now = _cramer(before), _cramer(after)
        if then is not None and not _numbers(columns, a, other_at):
            pairs.append(Pair((columns[a].name, second), _CRAMER, then, now))
        if after.sum() > 1e-9:
            cells += _cells(columns[a], second, heads, before, after)
    pairs.sort(key=lambda pair: -pair.change)
    cells.sort(key=lambda cell: -abs(cell.after - cell.before))
    return pairs, cells[:_SHOWN]


def _numbers(columns: Sequence[Distribution], a: int, b: int | None) -> bool:
    """Check whether both columns have numbers, whose correlation is told."""
    return (
        b is not None
        and columns[a].numbers is not None
        and columns[b].numbers is not None
    )


def _crossed(
    table: Table, columns: Sequence[Distribution], names: Sequence[str | None]
) -> Iterator[tuple[int, int | None, Sequence[str | None]]]:
    """Yield the pairs whose tables can be read, with the values of the second."""
    places = [j for j, c in enumerate(columns[:MOST_COLUMNS]) if may_cross(c)]
    for a, b in combinations(places, 2):
        yield a, b, columns[b].values
    if len(table.sensitive) == 1 and 2 <= len(names) <= 60:
        for a in places:
            yield a, None, names


def _cells(
    one: Distribution,
    second: str,
    heads: Sequence[str | None],
    before: Floats,
    after: Floats,
) -> list[CrossCell]:
    """Return the most changed cells of a table."""
    then, now = before / before.sum(), after / after.sum()
    order = np.argsort(-np.abs(now - then), axis=None, kind="stable")[:_SHOWN]
    return [
        CrossCell(
            f"{one.name} = {name_of(one.values[i])}, {second} = {name_of(heads[j])}",
            float(then[i, j]),
            float(now[i, j]),
        )
        for i, j in zip(*np.unravel_index(order, then.shape), strict=True)
    ]


def _cramer(counts: Floats) -> float | None:
    """Return how far a table is from that of independent columns, from 0 to 1."""
    if not counts.sum() > 1e-9 or min(counts.shape) < 2:
        return None
    joint = counts / counts.sum()
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = apart > 0
    square = ((joint - apart)[there] ** 2 / apart[there]).sum()
    return float(np.sqrt(square / (min(counts.shape) - 1)))
