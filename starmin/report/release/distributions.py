"""How the values of columns are distributed, before and after: what a reader counts.

A hidden cell counts nowhere; a range or a node counts evenly for the values that it
stands for.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import Scales, Table
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.requirements.closeness.t_closeness import as_number
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.scale import Scale
from starmin.verify.utility import Spread

_MANY = 8  # different numbers from which on a mean says more than a share
_MOST = 60  # values of a column of a cross table


@dataclass(frozen=True)
class Distribution:
    """One column.

    Attributes
    ----------
    name
        Of the column.
    values
        Those of the original, in the order of its scale.
    before, after
        For each value the rows that have it, and those that are told to have it.
    missing
        Values that say that nothing is known; they are no numbers.
    """

    name: str
    values: tuple[str | None, ...]
    before: Floats
    after: Floats
    missing: Collection[str | None] = MISSING

    @property
    def told(self) -> float:
        """The share of the rows of which something is told."""
        return float(self.after.sum() / self.before.sum())

    @cached_property
    def numbers(self) -> Floats | None:
        """The values as numbers; None unless all but missing ones are, and are many.

        A missing value is not a number (nan).
        """
        found = [
            float("nan") if value in self.missing else as_number(value)
            for value in self.values
        ]
        if None in found:
            return None
        numbers = np.array(found, float)
        many = len(np.unique(numbers[~np.isnan(numbers)])) > _MANY
        return numbers if many else None

    @property
    def without_number(self) -> int:
        """How many rows of a column of numbers have none."""
        if self.numbers is None:
            return 0
        return int(self.before[np.isnan(self.numbers)].sum())

    def means(self) -> tuple[float, float | None] | None:
        """Return the mean before and after; None for values that are no numbers."""
        if self.numbers is None:
            return None
        there = ~np.isnan(self.numbers)
        before, after = (
            _mean(self.numbers[there], weights[there])
            for weights in (self.before, self.after)
        )
        return None if before is None else (before, after)

    def shares(self, place: int) -> tuple[float, float | None]:
        """Return the share of a value before, and among what is told after."""
        told = float(self.after.sum())
        after = float(self.after[place]) / told if told else None
        return float(self.before[place] / self.before.sum()), after

    def most_frequent(self, count: int) -> list[int]:
        """Return the places of the most frequent values of the original."""
        order = np.argsort(-self.before, kind="stable")
        return [int(place) for place in order[:count]]


def distributions(
    original: Table,
    spread: Spread,
    scales: Scales,
    missing: Collection[str | None] = MISSING,
) -> list[Distribution]:
    """Return the distribution of each QI column that has values.

    Parameters
    ----------
    original, scales
        The table that the release was made of, and how its columns are generalized.
    spread
        What the release says.
    missing
        Values that say that nothing is known.

    Examples
    --------
    >>> from starmin.verify.utility import spread_of
    >>> table = Table.from_rows(["a"], [["x"], ["y"], ["y"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["*"], ["y"]], qi=["a"])
    >>> scales = Scales.of(table)
    >>> one, = distributions(table, spread_of(released, table, scales), scales)
    >>> one.values, one.before.tolist(), one.after.tolist(), round(one.told, 2)
    (('x', 'y'), [1.0, 2.0], [0.0, 1.0], 0.33)
    """
    places = [
        _places(original, column, scale)
        for column, scale in zip(original.qi, scales.scales, strict=True)
    ]
    return [
        Distribution(
            column,
            tuple(original.dictionary(column)[code] for code in codes),
            np.bincount(scale.positions[original.column(column)], minlength=scale.size)[
                at
            ].astype(float),
            _after(spread, j, scale.size)[at] * original.n,
            missing,
        )
        for j, (column, scale, (at, codes)) in enumerate(
            zip(original.qi, scales.scales, places, strict=True)
        )
    ]


def counted(original: Table, scales: Scales, first: int, second: int | None) -> Floats:
    """Count the rows of the original by the values of two columns.

    Parameters
    ----------
    original, scales
        As for ``distributions``.
    first, second
        Places among the quasi-identifiers; None: the one sensitive column.

    Returns
    -------
    array
        A line for each value of the first column, in the order of its distribution.
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
        np.ravel_multi_index(tuple(at), sizes), minlength=np.prod(sizes)
    )
    return counts.reshape(sizes).astype(float)


def told(
    original: Table, spread: Spread, scales: Scales, first: int, second: int | None
) -> Floats:
    """Count the rows that a release tells of, as ``counted`` does those there are.

    Parameters
    ----------
    original, scales, first, second
        As for ``counted``.
    spread
        What the release says.

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
    some = _says(spread, first, sizes[0]) & _says(spread, second, sizes[1])
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
    at = [_places(original, original.qi[j], scales.scales[j])[0] for j in pair]
    return np.asarray(after[np.ix_(*at)].clip(0))


def _told_sensitive(
    original: Table, spread: Spread, scales: Scales, column: int
) -> Floats:
    """Count what is told of a QI column and the sensitive values of its groups."""
    name, scale = original.qi[column], scales.scales[column]
    some = np.flatnonzero(_says(spread, column, scale.size))
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
    return np.asarray(after[_places(original, name, scale)[0]].clip(0))


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


def _places(original: Table, column: str, scale: Scale) -> tuple[Ints, Ints]:
    """Return the positions that occur, and a code with each of them."""
    codes = np.unique(original.column(column))
    at, first = np.unique(scale.positions[codes], return_index=True)
    return at.astype(np.int64), codes[first].astype(np.int64)


def _says(spread: Spread, column: int, size: int) -> Bools:
    """Find the boxes that say something of a column: not all that it may be."""
    low, high = spread.low[:, column], spread.high[:, column]
    return np.asarray((low > 0) | (high < size - 1) | (size == 1))


def _after(spread: Spread, column: int, size: int) -> Floats:
    """Return for each position the share of the rows that are told to have it."""
    some = _says(spread, column, size)
    mass = (spread.mass / spread.widths[:, column])[some]
    sums = np.bincount(spread.low[some, column], mass, size + 1)
    sums -= np.bincount(spread.high[some, column] + 1, mass, size + 1)
    return np.asarray(sums.cumsum()[:-1].clip(0))


def _mean(numbers: Floats, weights: Floats) -> float | None:
    total = float(weights.sum())
    return float(numbers @ weights) / total if total > 0 else None
