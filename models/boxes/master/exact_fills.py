"""The cheapest groups of boxes at prices of any size."""

from collections.abc import Iterable

from starmin.models.boxes.walk.group_rule import DISTINCT, PLAIN, GroupRule
from starmin.models.boxes.walk.pool import BoxPool


class ExactFills:
    """Finds what ``starmin.models.boxes.walk.cheapest_group`` finds, in whole numbers.

    Boxes are those of the pool; prices are by row type.
    """

    def __init__(self, pool: BoxPool, prices: list[int]) -> None:
        data = pool.data
        self._pool, self._prices = pool, prices
        self._order = sorted(range(len(prices)), key=lambda t: -prices[t])
        self._counts: list[int] = data.counts.tolist()
        self._value: list[int] = data.value.tolist()
        sizes = data.least, data.most
        self._rule = GroupRule(data.kind, *sizes, data.share, data.values, data.top)

    def group(
        self, box: int, cost: int, gain: int
    ) -> tuple[dict[int, int], int] | None:
        """Return the cheapest group of a box, copies of types, and what it is worth.

        ``box`` is its place in the pool, ``cost`` what a row pays, and ``gain`` what
        each pile is worth beside. None where the box has no group.
        """
        bits = self._pool.bits[box].tolist()
        forced = [t for t in self._pool.forced[box].tolist() if t >= 0]
        members = [t for t in self._order if bits[t >> 6] >> (t & 63) & 1]
        if self._rule.kind == DISTINCT:
            group = self._of_values(members, forced, cost)
            return None if group is None else (group, self._worth(group, cost))
        found = []
        for least, most, height in self._rule.classes():
            group = self._of_class(members, forced, cost, least, most, height)
            if group is not None:
                found.append((group, self._worth(group, cost) - gain * height))
        return min(found, key=lambda each: each[1], default=None)

    def _worth(self, group: dict[int, int], cost: int) -> int:
        return sum(c * (cost - self._prices[t]) for t, c in group.items())

    def _of_class(
        self,
        members: list[int],
        forced: list[int],
        cost: int,
        least: int,
        most: int,
        height: int,
    ) -> dict[int, int] | None:
        """Return the cheapest group of a size that has a value so often at most."""
        group = dict.fromkeys(forced, 1)
        size, heights = len(group), dict[int, int]()
        capped = self._rule.kind != PLAIN
        if capped:
            for t in group:
                heights[self._value[t]] = heights.get(self._value[t], 0) + 1
        if size > most or max(heights.values(), default=0) > height:
            return None
        for t in members:
            each = cost - self._prices[t]
            if size >= most or (size >= least and each >= 0):
                break
            take = (most if each < 0 else least) - size
            take = min(take, self._counts[t] - group.get(t, 0))
            if capped:
                value = self._value[t]
                take = min(take, height - heights.get(value, 0))
                heights[value] = heights.get(value, 0) + take
            if take > 0:
                group[t] = group.get(t, 0) + take
                size += take
        return group if size >= least else None

    def _of_values(
        self, members: list[int], forced: list[int], cost: int
    ) -> dict[int, int] | None:
        """Return the cheapest group of several values."""
        group = dict.fromkeys(forced, 1)
        for t in members:
            if self._prices[t] > cost:
                group[t] = self._counts[t]
        values = self._values(group)
        for t in members:
            if len(values) >= self._rule.values:
                break
            if self._value[t] not in values:
                values.add(self._value[t])
                group[t] = 1
        size = sum(group.values())
        for t in members:
            take = min(self._counts[t] - group.get(t, 0), self._rule.least - size)
            if take > 0:
                group[t] = group.get(t, 0) + take
                size += take
        enough = len(values) >= self._rule.values and size >= self._rule.least
        return group if enough else None

    def _values(self, types: Iterable[int]) -> set[int]:
        return {self._value[t] for t in types}
