"""Which groups a neighbourhood has: such whose rows would lose little together."""

import numpy as np

from starmin.instances import Objective, Partition, Table
from starmin.instances.arrays import Bools, Floats, Ints

_LEAST = 0.05  # of a column, where columns weigh at random
_MOST_TIMES = 2  # as many rows as are wanted, at most


class NearGroups:
    """The groups of a release, with what they lose and what was proven of them.

    The objective is losses. ``labels`` has the group of each row; numbers of groups
    that were replaced are not used again.

    Examples
    --------
    >>> from starmin.instances import Scales
    >>> rows = [[str(x)] for x in (0, 1, 40, 41, 90, 99)]
    >>> table = Table.from_rows(["x"], rows, ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> release = Partition.from_labels(np.array([0, 0, 1, 1, 2, 2]))
    >>> groups = NearGroups(table, gcp, release, np.random.default_rng(0))
    >>> rows = groups.choose(4, np.zeros(6, bool))
    >>> len(rows)
    4
    >>> groups.settle(rows)
    >>> rows = groups.choose(6, np.zeros(6, bool))
    >>> groups.replace(rows, Partition.single(table.take(rows)))
    >>> groups.labels.tolist()
    [3, 3, 3, 3, 3, 3]
    """

    def __init__(
        self,
        table: Table,
        objective: Objective,
        release: Partition,
        rng: np.random.Generator,
    ) -> None:
        self._table, self._rng = table, rng
        self._scales = objective.scales_of(table)
        self._prices = np.maximum(0.0, objective.range_prices(table))
        types = table.row_types
        self._positions = self._scales.positions(types.codes)[types.inverse]
        self.labels = release.groups.astype(np.int64)
        self._next = int(self.labels.max()) + 1
        self._settled: list[frozenset[int]] = []

    def choose(self, wanted: int, busy: Bools) -> Ints:
        """Return the rows of a group that loses much and of groups near to it.

        None are returned where what was drawn cannot be improved, or where too few
        groups are free. There are about ``wanted`` of them; rows that are ``busy`` stay
        where they are.
        """
        none = np.zeros(0, np.int64)
        numbers, of, sizes = np.unique(
            self.labels, return_inverse=True, return_counts=True
        )
        low, high = self._ranges(of, len(numbers))
        own = self._extents(low, high)
        free = np.ones(len(numbers), bool)
        free[of[busy]] = False
        if np.count_nonzero(free) < 2:
            return none
        losses = own @ self._prices * sizes
        share = np.where(free, losses + losses.mean() / 10, 0.0)
        if share.sum() == 0:
            return none
        first = self._rng.choice(len(numbers), p=share / share.sum())
        joined = self._extents(
            np.minimum(low, low[first]), np.maximum(high, high[first])
        )
        weights = self._rng.random(joined.shape[1]) ** 2 + _LEAST
        apart = (joined - own) @ (self._prices * weights)
        apart[first], apart[~free] = -np.inf, np.inf
        order = np.argsort(apart, kind="stable")[: np.count_nonzero(free)]
        count = max(2, int(np.searchsorted(np.cumsum(sizes[order]), wanted, "right")))
        chosen = order[:count]
        if sizes[chosen].sum() > _MOST_TIMES * wanted:
            return none
        groups = frozenset(numbers[chosen].tolist())
        if any(groups <= proven for proven in self._settled):
            return none
        return np.flatnonzero(np.isin(of, chosen))

    def _ranges(self, of: Ints, count: int) -> tuple[Ints, Ints]:
        order = np.argsort(of, kind="stable")
        starts = np.searchsorted(of[order], np.arange(count))
        rows = self._positions[order]
        return np.minimum.reduceat(rows, starts), np.maximum.reduceat(rows, starts)

    def _extents(self, low: Ints, high: Ints) -> Floats:
        return np.asarray(self._scales.extents(low, high), np.float64)

    def settle(self, rows: Ints) -> None:
        """Note that the groups of these rows are optimal for them."""
        groups = frozenset(self.labels[rows].tolist())
        self._settled = [old for old in self._settled if not old <= groups]
        self._settled.append(groups)

    def replace(self, rows: Ints, release: Partition) -> None:
        """Put some rows, all those of their groups, in other groups."""
        gone = frozenset(self.labels[rows].tolist())
        self._settled = [old for old in self._settled if not old & gone]
        self.labels[rows] = self._next + release.groups
        self._next += release.size
