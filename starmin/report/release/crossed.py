"""Tables of two columns, counted from an original and told by its release."""

from collections.abc import Sequence

import numpy as np

from starmin.instances import Scales, Table
from starmin.instances.arrays import Floats
from starmin.report.release.distributions import Distribution, places_of, says
from starmin.verify.utility import Spread

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
