"""Rows, what they lose together, and for each type those it loses little with."""

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, Run, Scales, Table
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inlined, inner
from starmin.instances.scales.scale import FLAT, Scale
from starmin.models.patterns.patterns import Sought
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.pricing import priced_patterns

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


# By scales the prices and the losses last asked for, which all searches share.
_known = WeakKeyDictionary[Scales, tuple[list[float], Losses]]()


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
    scales, prices = objective.scales_of(table), objective.range_prices(table).tolist()
    if (known := _known.get(scales)) is not None and known[0] == prices:
        return known[1]
    columns, amounts, start = [], [], 0
    for scale, price in zip(scales.scales, prices, strict=True):
        kind, own = _column(scale, price)
        columns.append((kind, start, scale.size))
        amounts.append(own)
        start += len(own)
    found = Losses(np.array(columns, np.int64), np.concatenate(amounts))
    _known[scales] = prices, found
    return found


def _column(scale: Scale, price: float) -> tuple[int, Floats]:
    """Return the kind of a column, and its amounts."""
    if price < 0:
        return _STAR, np.array([np.inf])
    layout = scale.layout
    if layout.kind == FLAT:
        return _STAR, np.array([price])
    if scale.size <= _MOST_POSITIONS:
        low, high = np.triu_indices(scale.size)
        lost = scale.extents(low, high).astype(np.float64) * price
        if not layout.is_line:
            lost[~layout.allowed[scale.lowest(low, high)]] = np.inf
        both = np.empty((scale.size, scale.size))
        both[low, high] = both[high, low] = lost
        return _RANGES, both.ravel()
    if layout.is_line:
        whole = scale.domain, layout.least
        own = np.concatenate([layout.lower, layout.upper, whole]) * price
        return _LINE, np.concatenate([own, layout.reach])
    prices = np.where(layout.allowed, layout.losses * price, np.inf)
    parts = layout.parents, layout.last, prices
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
    """Return what a row pays in a group g when one more row has joined it.

    ``low`` and ``high`` are the ends of groups, ``rows`` the positions of rows. At the
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


_ORDERS = 6  # in which types that follow one another are first compared
_WINDOW = 8
_ROUNDS, _SHARE = 2, 0.15  # a round of neighbours of neighbours has this of the time
_LOOKED_AT = 10  # neighbours of as many neighbours
_AT_ONCE = 10_000  # types between two looks at the clock


def nearest_types(
    losses: Losses,
    positions: Int32s,
    count: int,
    rng: np.random.Generator,
    run: Run | None = None,
) -> Int32s:
    """Return for each distinct row others that it loses little with, the nearest first.

    The loss of two types is what a row pays in a group of these two. Types that follow
    one another in some lexicographic orders are compared first, then neighbours of
    neighbours, which are likely to be neighbours (NN-descent), where that takes little
    of the time that ``run`` has left. Not all of the nearest are found. ``positions``
    is m x d by type; the answer is m x count, -1 where fewer were found.

    W. Dong, M. Charikar, K. Li, Efficient k-nearest neighbor graph construction for
    generic similarity measures, WWW 2011.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["4"], ["9"]], qi=["a"])
    >>> scales = Scales.of(table, ["a"])
    >>> losses = losses_of(table, Objective("gcp", scales=scales))
    >>> rng = np.random.default_rng(0)
    >>> nearest_types(losses, scales.type_positions(table), 2, rng).tolist()
    [[1, 2], [0, 2], [1, 0], [2, 1]]
    """
    m, d = positions.shape
    near = np.full((m, count), -1, np.int32)
    distance = np.full((m, count), np.inf)
    began = 0.0 if run is None else run.elapsed
    for _ in range(_ORDERS):
        if run is not None:
            run.check_time()
        order = np.lexsort(positions[:, rng.permutation(d)].T).astype(np.int32)
        _compare_along(losses, positions, order, near, distance)
    rounds = _ROUNDS
    if run is not None:
        one = (run.elapsed - began) * _LOOKED_AT**2 / (_ORDERS * _WINDOW)
        rounds = _ROUNDS if one <= _SHARE * run.remaining else 0
    for _ in range(rounds):
        known = near.copy()
        for first in range(0, m, _AT_ONCE):
            if run is not None:
                run.check_time()
            part = first, min(first + _AT_ONCE, m)
            _compare_neighbours(losses, positions, known, *part, near, distance)
    return near


@inner
def _compare(
    s: Losses, positions: Int32s, t: int, u: int, near: Int32s, distance: Floats
) -> None:
    """Put u among the neighbours of t, and t among those of u, where near enough."""
    worst = max(distance[t, -1], distance[u, -1])
    columns, amounts = s.columns, s.amounts
    here = joined_loss(columns, amounts, positions, positions, t, positions, u, worst)
    if here < distance[t, -1]:
        _insert(near, distance, t, u, here)
    if here < distance[u, -1]:
        _insert(near, distance, u, t, here)


@inner
def _insert(near: Int32s, distance: Floats, t: int, u: int, here: float) -> None:
    """Put u in its place among the neighbours of t, by distance, unless it is there."""
    for i in range(near.shape[1]):
        if near[t, i] == u:
            return
    i = near.shape[1] - 1
    while i > 0 and distance[t, i - 1] > here:
        near[t, i], distance[t, i] = near[t, i - 1], distance[t, i - 1]
        i -= 1
    near[t, i], distance[t, i] = u, here


@compiled
def _compare_along(
    s: Losses, positions: Int32s, order: Int32s, near: Int32s, distance: Floats
) -> None:
    """Compare types that are at most ``_WINDOW`` places from one another."""
    for i in range(len(order)):
        for j in range(i + 1, min(i + 1 + _WINDOW, len(order))):
            _compare(s, positions, order[i], order[j], near, distance)


@compiled
def _compare_neighbours(
    s: Losses,
    positions: Int32s,
    known: Int32s,
    first: int,
    end: int,
    near: Int32s,
    distance: Floats,
) -> None:
    """Compare some types with the neighbours of neighbours, as they were known."""
    width = min(_LOOKED_AT, known.shape[1])
    for t in range(first, end):
        for i in range(width):
            u = known[t, i]
            if u < 0:
                break
            for j in range(width):
                v = known[u, j]
                if v < 0:
                    break
                if v != t:
                    _compare(s, positions, t, v, near, distance)


class Guide(NamedTuple):
    """What prices say: what rows are worth, and patterns of a good release."""

    # about what a row of each kind pays in a good release; empty where not known
    worth: Floats
    # starts, kinds: the kinds of pattern q, those that are worth most first, are
    # ``kinds[starts[q] : starts[q + 1]]``
    starts: Ints
    kinds: Int32s

    def part(self, present: npt.NDArray[np.integer]) -> "Guide":
        """Return what is said of the kinds that are present."""
        if len(self.worth) == 0:
            return self
        number = np.full(len(self.worth), -1, np.int32)
        number[present] = np.arange(len(present))
        kinds = number[self.kinds]
        inside = np.concatenate([[0], np.cumsum(kinds >= 0)])
        starts = np.unique(inside[self.starts])
        return Guide(self.worth[present], starts, kinds[kinds >= 0])


NO_GUIDE = Guide(np.zeros(0), np.zeros(1, np.int64), np.zeros(0, np.int32))
# Patterns count whose fills are worth less than this part of what k rows are worth, or
# of a quarter of it, and so on, where they have too many pairs.
_EXTENT, _TRIES = 0.05, 4
_MOST_INCIDENCES = 2_000_000


@dataclass(frozen=True, eq=False)
class RuinRows:
    """Rows, their types, and what they lose together."""

    losses: Losses  # what rows lose together
    # positions, values, types, kinds: by row: its positions in the columns, its
    # sensitive value, its type, and its type with its value under diversity, else its
    # type
    positions: Int32s
    values: Int32s
    types: npt.NDArray[np.integer]
    kinds: npt.NDArray[np.integer]
    # m x K: types that lose little with each type, the nearest first; -1 for none
    near: Int32s
    # k, l: a group has at least k rows, and no value in more than one of l of them
    k: int
    l: int

    @classmethod
    def of(cls, run: Run, neighbours: int, rng: np.random.Generator) -> "RuinRows":
        """Return the problem of a run, with so many neighbours listed for each type."""
        table, objective = run.table, run.objective
        types, losses = table.row_types, losses_of(table, objective)
        positions = objective.scales_of(table).positions(types.codes)
        l = run.requirement.core.diversity
        kinds = table.sensitive_types if l > 1 else types
        own = np.zeros(table.n, np.int32)
        return cls(
            losses,
            np.ascontiguousarray(positions[types.inverse]),
            table.column(table.sensitive[0]) if l > 1 else own,
            types.inverse,
            kinds.inverse,
            nearest_types(losses, positions, neighbours, rng, run),
            max(run.requirement.core.size, l),
            l,
        )

    def guide(self, run: Run, prices: Ints) -> Guide:
        """Return what prices of the kinds say, in units of ``PriceUnit``.

        Patterns are looked for under diversity; with k alone they gain nothing.
        """
        table, diverse = run.table, self.l > 1
        kinds = table.sensitive_types if diverse else table.row_types
        # The bound does not say what rows of a type that loses nothing alone are worth.
        alone = (kinds.counts >= self.k) & (self.l == 1)
        unit = PriceUnit.of(table, run.objective)
        guide = NO_GUIDE._replace(worth=np.where(alone, 0, prices) / unit.per_cost)
        if not diverse:
            return guide
        sought = Sought.of(run)._replace(k=self.k)
        below = _EXTENT * self.k * float(prices @ kinds.counts) / kinds.counts.sum()
        for attempt in range(_TRIES):
            found = priced_patterns(
                sought,
                prices,
                threshold=int(below / 4**attempt),
                by_sets=True,
                most_incidences=_MOST_INCIDENCES,
            )
            if found is not None:
                order = np.lexsort((-prices[found.types], found.pattern))
                starts = found.starts.astype(np.int64)
                return Guide(guide.worth, starts, found.types[order].astype(np.int32))
        return guide

    def part(
        self, rows: npt.NDArray[np.integer], guide: Guide
    ) -> tuple["RuinRows", Guide]:
        """Return the problem of some rows, and what a guide says of it."""
        present, types = np.unique(self.types[rows], return_inverse=True)
        number = np.full(len(self.near) + 1, -1, np.int32)  # and that of no type
        number[present] = np.arange(len(present))
        kept, kinds = present, types
        if self.l > 1:
            kept, kinds = np.unique(self.kinds[rows], return_inverse=True)
        own = RuinRows(
            self.losses,
            self.positions[rows],
            self.values[rows],
            types,
            kinds,
            number[self.near[present]],
            self.k,
            self.l,
        )
        return own, guide.part(kept)

    def cut(
        self, groups: npt.NDArray[np.integer], parts: int, rng: np.random.Generator
    ) -> list[npt.NDArray[np.intp]]:
        """Cut the rows in parts of whole groups, near in a random sorted order."""
        _, first, of, sizes = np.unique(
            groups, return_index=True, return_inverse=True, return_counts=True
        )
        columns = rng.permutation(self.positions.shape[1])
        order = np.lexsort(self.positions[first][:, columns].T)
        order = np.roll(order, -int(rng.integers(len(order))))
        ends = np.cumsum(sizes[order])
        part = np.empty(len(order), np.int64)
        part[order] = (ends - 1) * parts // len(groups)
        return [np.flatnonzero(part[of] == p) for p in range(parts)]
