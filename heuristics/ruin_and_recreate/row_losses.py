"""What rows lose when they are published together, for compiled loops."""

from typing import NamedTuple

import numpy as np

from starmin.instances import Objective, Table
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inlined
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import FlatScale, Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale

_MOST_POSITIONS = 512  # of a column that has a table of all ranges
# Places in the rows of Losses.columns, and kinds of columns.
_KIND, _START, _SIZE = range(3)
_RANGES, _STAR, _LINE, _TREE = range(4)


class Losses(NamedTuple):
    """What a row pays in each column for a range of positions."""

    # of each column its kind, where it begins in ``amounts``, and how many positions it
    # has
    columns: Ints
    # of a column with few positions what all ranges cost; of a flat one the star; of
    # numbers where ranges begin and end, what all of it and the shortest range cost,
    # and at which position a range ends at last that is not hidden; of a tree the
    # parent, the greatest leaf and the price of each node. Prices are infinite where a
    # column is to be kept, and of nodes above its highest level
    amounts: Floats


def losses_of(table: Table, objective: Objective) -> Losses:
    """Return the losses of the ranges of all columns.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> losses = losses_of(table, Objective("gcp"))
    >>> rows = np.array([[0, 0], [1, 0]], np.int32)
    >>> joined_loss(losses.columns, losses.amounts, rows, rows, 0, rows, 1, np.inf)
    1.0
    """
    columns, amounts, start = [], [], 0
    prices = objective.range_prices(table).tolist()
    for scale, price in zip(objective.scales_of(table).scales, prices, strict=True):
        kind, own = _column(scale, price)
        columns.append((kind, start, scale.size))
        amounts.append(own)
        start += len(own)
    return Losses(np.array(columns, np.int64), np.concatenate(amounts))


def _column(scale: Scale, price: float) -> tuple[int, Floats]:
    """Return the kind of a column, and its amounts."""
    if price < 0:
        return _STAR, np.array([np.inf])
    if isinstance(scale, FlatScale):
        return _STAR, np.array([price])
    if scale.size <= _MOST_POSITIONS:
        ends = np.indices((scale.size, scale.size)).reshape(2, -1)
        low, high = ends.min(axis=0), ends.max(axis=0)
        lost = scale.extents(low, high).astype(np.float64) * price
        if isinstance(scale, TaxonomyScale):
            lost[~scale.allowed[scale.taxonomy.lowest_above(low, high)]] = np.inf
        return _RANGES, lost
    if isinstance(scale, NumericScale):
        whole = scale.domain, scale.least
        own = np.concatenate([scale.lower, scale.upper, whole]) * price
        return _LINE, np.concatenate([own, scale.reach])
    assert isinstance(scale, TaxonomyScale)
    tree = scale.taxonomy
    prices = np.where(scale.allowed, scale.losses * price, np.inf)
    parts = tree.parents, tree.last, prices
    return _TREE, np.stack(parts, axis=1).astype(np.float64).ravel()


@compiled
def joined_loss(
    columns: Ints,
    amounts: Floats,
    low: Int32s,
    high: Int32s,
    g: int,
    rows: Int32s,
    row: int,
    ceiling: float,
) -> float:
    """Return what a row pays in a group when one more row has joined it.

    For ``columns`` and ``amounts`` see ``Losses``. ``low`` and ``high`` are the least
    and the greatest positions of groups, and ``g`` is the number of this one; ``rows``
    are the positions of rows, and ``row`` is the number of the one that joins. At the
    cost ``ceiling`` the sum may end early: any result of at least this much will do.
    """
    total = 0.0
    for j in range(len(columns)):
        here = rows[row, j]
        first, last = min(low[g, j], here), max(high[g, j], here)
        if first == last:
            continue
        total += range_loss(columns, amounts, j, first, last)
        if total >= ceiling:
            break
    return total


@inlined
def is_star(columns: Ints, j: int) -> bool:
    """Return whether a column has no node but single values and the star."""
    return bool(columns[j, _KIND] == _STAR)


@inlined
def range_loss(columns: Ints, amounts: Floats, j: int, first: int, last: int) -> float:
    """Return what a row pays in a column for a range of two positions or more."""
    kind, start = columns[j, _KIND], columns[j, _START]
    if kind == _RANGES:
        lost: float = amounts[start + first * columns[j, _SIZE] + last]
    elif kind == _STAR:
        lost = amounts[start]
    elif kind == _TREE:
        node = np.int64(first)
        while amounts[start + 3 * node + 1] < last:
            node = np.int64(amounts[start + 3 * node])
        lost = amounts[start + 3 * node + 2]
    else:
        ends = start + columns[j, _SIZE]
        whole = ends + columns[j, _SIZE]
        if amounts[whole + 2 + first] < last:
            lost = amounts[whole]
        else:
            length = amounts[ends + last] - amounts[start + first]
            lost = max(length, amounts[whole + 1])
    return lost
