"""Column generation: the relaxation over groups in boxes, with sets of rows."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.models.boxes.master.joint import Tally
from starmin.models.boxes.master.master import Master, Point, joined
from starmin.models.boxes.master.most_groups import most_groups
from starmin.models.boxes.master.row_sets import RowSets
from starmin.models.boxes.walk.pool import BoxPool, Groups
from starmin.models.boxes.walk.search import Charges, FoundBoxes, find_boxes

# A set, its share, and what it counts, where that is rows of a box.
Counted: TypeAlias = tuple[Bools, int] | tuple[Bools, int, Tally | None]
_AT_ONCE = 80  # groups that join between two solutions
_SLACK = 3e-9  # worths so little below 0, as shares of a row's loss, are none


class Duals(NamedTuple):
    """Prices of types, and multipliers of sets, in whole numbers."""

    prices: Ints
    multipliers: Ints

    def mixed(self, other: "Duals", share: float) -> "Duals":
        """Return a mean of two, ``share`` of it the other one."""
        mean = [
            np.rint(own + share * (new - own)).astype(np.int64)
            for own, new in zip(self, other.padded(len(self.multipliers)), strict=True)
        ]
        return Duals(*mean)

    def padded(self, sets: int) -> "Duals":
        """Return it with multipliers of 0 for sets that are new."""
        more = np.zeros(sets - len(self.multipliers), np.int64)
        return Duals(self.prices, np.append(self.multipliers, more))


class Relaxation:
    """The restricted master program and the boxes that it has.

    ``sets`` are sets of rows over the boxes of the pool, and ``whole`` is what a row
    can lose at most. ``seconds`` returns how much time is left; ``check_time`` raises
    TimeoutError where none is. The attributes ``least`` and ``most`` say by set how
    many of its coefficients groups have at least and at most; ``most_groups`` is how
    many groups a release has at most.
    """

    def __init__(
        self,
        pool: BoxPool,
        sets: RowSets,
        whole: int,
        seconds: Callable[[], float],
        check_time: Callable[[], None],
    ) -> None:
        self.data, self.pool, self.sets, self.whole = pool.data, pool, sets, whole
        self.seconds, self.check_time = seconds, check_time
        self.master = Master(self.data.counts, whole)
        self.least, self.most = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.eps = max(1, int(whole * _SLACK))
        every = np.ones(len(self.data.counts), bool)
        self.most_groups = most_groups(self.data, every, self.data.least)
        self._take_sets()

    def add_sets(self, sets: Sequence[Counted]) -> list[int]:
        """Add sets, with their shares and what they count; return their places."""
        places = [self.sets.add(*one) for one in sets]
        self._take_sets()
        return places

    def _take_sets(self) -> None:
        before = len(self.least)
        if len(self.sets) > before:
            groups, new_sets = self.master.groups(), slice(before, None)
            self.master.add_sets(self.sets.of_groups(groups, new_sets))
            new = np.zeros(len(self.sets) - before, np.int64)
            self.bound(
                np.append(self.least, new),
                np.append(self.most, self.sets.most[before:]),
            )

    def drop_sets(self, count: int) -> None:
        """Take the last sets away; no groups have joined since."""
        self.sets.drop(count)
        self.master.drop_sets(count)
        self.least, self.most = self.least[:-count], self.most[:-count]

    def bound(self, least: Ints, most: Ints) -> None:
        """Set what sets have at least and at most.

        Where that is a contradiction, the least is kept: prices prove it alone.
        """
        self.least, self.most = least, np.maximum(least, most)
        self.master.bound_sets(self.least, self.most)

    def duals(self, point: Point) -> Duals:
        """Return the duals of a solution in whole numbers."""
        prices = np.rint(point.prices * self.whole).astype(np.int64)
        multipliers = np.rint(point.multipliers * self.whole).astype(np.int64)
        multipliers = np.where(self.least > 0, multipliers, np.minimum(multipliers, 0))
        return Duals(prices, multipliers)

    def base(self, duals: Duals) -> int:
        """Return what duals prove where no group is worth less than 0."""
        sides = np.where(duals.multipliers > 0, self.least, self.most)
        return int(duals.prices @ self.data.counts + duals.multipliers @ sides)

    def proven(self, duals: Duals, worth: Ints) -> int:
        """Return what duals prove, by what all boxes are worth that there are."""
        least = int(worth.min(initial=0))
        return self.base(duals) + self.most_groups * least

    def worth(self, duals: Duals) -> Ints:
        """Return what the cheapest group of each box of the pool is worth."""
        worth = self.pool.worth(duals.prices, self.sets.gain(duals.multipliers))
        for box, (prices, constant) in self._by_rows(duals).items():
            worth[box] = self.pool.worth(prices, None, np.array([box]))[0] - constant
        return np.asarray(worth - self.sets.charges(duals.multipliers))

    def _by_rows(self, duals: Duals) -> dict[int, tuple[Ints, int]]:
        """Return prices of types in boxes of their own, and what a group is worth."""
        found = {}
        for box, tallied in self.sets.tallied(duals.multipliers.tolist()).items():
            more = sum((m * tally.weight for m, tally in tallied), duals.prices)
            found[box] = more, sum(m * tally.constant for m, tally in tallied)
        return found

    def fills(self, duals: Duals, boxes: Ints) -> Groups:
        """Return the cheapest group of each of some boxes."""
        own, gain = self._by_rows(duals), self.sets.gain(duals.multipliers)
        other = np.array([box for box in boxes.tolist() if box not in own], np.int64)
        parts = [self.pool.fills(duals.prices, other, gain)] if len(other) else []
        parts += [
            self.pool.fills(own[box][0], np.array([box]))
            for box in boxes.tolist()
            if box in own
        ]
        return joined(parts)

    def group_worth(self, duals: Duals) -> Ints:
        """Return what the groups of the program pay above their prices."""
        groups = self.master.groups()
        number = np.repeat(np.arange(len(groups.box)), np.diff(groups.starts))
        paid = self.pool.cost[groups.box][number] - duals.prices[groups.types]
        worth = np.add.reduceat(paid * groups.copies, groups.starts[:-1])
        coefficients = self.sets.of_groups(groups).astype(int)
        return np.asarray(worth - duals.multipliers @ coefficients)

    def add_groups(self, groups: Groups) -> None:
        """Add groups, whose boxes are in the pool."""
        cost = self.pool.cost[groups.box]
        self.master.add_groups(groups, cost, self.sets.of_groups(groups))

    def converge(self) -> tuple[Point, Duals, Ints]:
        """Solve with all groups in boxes of the pool.

        Returns the point, its duals, and what the boxes are worth: less than 0 by no
        more than rounding. TimeoutError where the time is up.
        """
        joined_here = set[tuple[int, bytes, bytes]]()
        while True:
            self.check_time()
            point = self.master.solve(self.seconds())
            if point is None:
                raise TimeoutError
            duals = self.duals(point)
            worth = self.worth(duals)
            short = np.flatnonzero(worth < -self.eps)
            if len(short) == 0:
                return point, duals, worth
            if len(short) > _AT_ONCE:
                short = short[np.argsort(worth[short], kind="stable")[:_AT_ONCE]]
            groups = self.fills(duals, short)
            contents = groups.contents()
            if joined_here.issuperset(contents):
                # All are at hand: the solver's tolerance, or prices that were rounded.
                return point, duals, worth
            joined_here.update(contents)
            self.add_groups(groups)

    def find(self, duals: Duals, threshold: int, most: int) -> FoundBoxes:
        """Find boxes by their worth, whether they are in the pool or not."""
        charges = Charges(self.sets.inside, self.sets.share, -duals.multipliers)
        return find_boxes(
            self.data, duals.prices, charges, threshold, most, self.check_time
        )
