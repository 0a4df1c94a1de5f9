"""The linear program over groups in boxes, solved by HiGHS again and again."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import highspy
import numpy as np

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Bools, Floats, Ints, Shorts
from starmin.models.boxes.master.side_constraints import RowSets, Tally, most_groups
from starmin.models.boxes.walk.search import (
    BoxPool,
    Charges,
    FoundBoxes,
    Groups,
    find_boxes,
)
from starmin.models.solvers.linear_solver import (
    append_columns,
    append_rows,
    limit_time,
    load,
)
from starmin.models.solvers.program import INF, Columns, Rows

_TOLERANCE = 1e-9
_DUAL, _PRIMAL = 1, 4  # strategies of the simplex method
_DEAREST = 8.0  # an artificial column costs so many times what all rows could
_DEARER = 8.0  # and so many times that where it is used all the same
_STEPS, _ALL_STEPS = 60, 2**31 - 1  # of the simplex method


class Point(NamedTuple):
    """A solution: the values of groups, prices of types and multipliers of sets."""

    x: Floats
    prices: Floats
    multipliers: Floats
    value: float
    artificial: float


class Master:
    r"""Set partitioning over row types, relaxed, with rows for sets of rows.

    .. math::

        \min \sum_{G, B} |G| c_B z_{GB}, \quad
        \sum_{G, B} |G \cap t| z_{GB} = s_t, \quad
        a_r \le \sum_{G, B} f_r(B) z_{GB} \le b_r

    A group may be there several times, in different boxes, which have different
    coefficients. Each row of a type, and each row with a lower side, has an artificial
    column, dearer than all rows in the dearest box. Costs are divided by ``whole``,
    about what a row loses at most.
    """

    def __init__(self, counts: Ints, whole: int) -> None:
        self.whole, m = float(whole), len(counts)
        self._types, self._sets = m, 0
        self._rows_changed = False
        self._sides = np.zeros((2, 0))
        dear = _DEAREST * float(counts.sum())
        made, self.dear = Columns(), dear
        every = made.add(m, dear, INF, integer=False)
        rows = Rows.of(m, counts, counts, (every, every, 1))
        self._highs: Any = load(made.program([rows]), integer=False)
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self._highs.setOptionValue(name, _TOLERANCE)
        self._columns: list[Groups] = []
        self._costs = np.zeros(0)
        self._is_group = np.zeros(m, bool)

    def groups(self) -> Groups:
        """Return all groups, in their order."""
        if len(self._columns) != 1:
            self._columns = [joined(self._columns)]
        return self._columns[0]

    def add_groups(self, groups: Groups, cost: Ints, coefficients: Shorts) -> None:
        """Add groups, which know their boxes.

        ``cost`` is what a row pays in each of the boxes; ``coefficients``, R x g, are
        those of the sets.
        """
        count = len(groups.box)
        owner = np.repeat(np.arange(count), np.diff(groups.starts))
        s, g = np.nonzero(coefficients)
        column = np.concatenate([owner, g])
        index = np.concatenate([groups.types, self._types + s])
        value = np.concatenate([groups.copies, coefficients[s, g]])
        paid = groups.sizes * cost / self.whole
        append_columns(self._highs, paid, INF, column, index, value)
        self._columns.append(groups)
        self._costs = np.append(self._costs, paid)
        self._is_group = np.append(self._is_group, np.ones(count, bool))

    def add_sets(self, coefficients: Shorts) -> None:
        """Add rows of sets without bounds; coefficients of all groups, R x groups."""
        count, groups = len(coefficients), np.flatnonzero(self._is_group)
        s, g = np.nonzero(coefficients)
        each = np.arange(count)
        new = Rows.of(count, -INF, INF, (s, groups[g], coefficients[s, g]))
        append_rows(self._highs, new)
        self._sides = np.hstack([self._sides, np.array([new.lower, new.upper])])
        rows = self._types + self._sets + each
        append_columns(self._highs, np.full(count, self.dear), INF, each, rows, 1)
        self._is_group = np.append(self._is_group, np.zeros(count, bool))
        self._sets += count

    def in_boxes(self, x: Floats, boxes: int) -> Floats:
        """Return how many groups of a point are in each of so many boxes."""
        box = self.groups().box[: len(x)]  # groups may have joined since
        return np.bincount(box, x, minlength=boxes).astype(np.float64)

    def drop_sets(self, count: int) -> None:
        """Take the last rows of sets away; no groups have joined since."""
        rows, columns = self._highs.getNumRow(), len(self._is_group)
        last_rows = np.arange(rows - count, rows, dtype=np.int32)
        last_columns = np.arange(columns - count, columns, dtype=np.int32)
        self._highs.deleteRows(count, last_rows)
        self._highs.deleteCols(count, last_columns)
        self._is_group = self._is_group[:-count]
        self._sets -= count
        self._sides = self._sides[:, :-count]

    def bound_sets(self, least: Ints, most: Ints) -> None:
        """Set the sides of all rows of sets."""
        sides = np.array([np.where(least > 0, least, -INF), most], np.float64)
        for s in np.flatnonzero((sides != self._sides).any(axis=0)):
            self._rows_changed = True
            self._highs.changeRowBounds(self._types + int(s), *sides[:, s].tolist())
        self._sides = sides

    def dearer(self) -> None:
        """Raise the cost of artificial columns, where a point has some of them."""
        self.dear *= _DEARER
        for column in np.flatnonzero(~self._is_group):
            self._highs.changeColCost(int(column), self.dear)

    def try_sides(self, s: int, sides: tuple[float, float]) -> float:
        """Return about what a solution costs at least with other sides of a row."""
        row, before = self._types + s, self._sides[:, s].tolist()
        basis = self._highs.getBasis()
        self._highs.setOptionValue("simplex_strategy", _DUAL)
        self._highs.setOptionValue("simplex_iteration_limit", _STEPS)
        self._highs.changeRowBounds(row, *sides)
        self._highs.run()
        value = float(self._highs.getInfo().objective_function_value)
        self._highs.setOptionValue("simplex_iteration_limit", _ALL_STEPS)
        self._highs.changeRowBounds(row, *before)
        self._highs.setBasis(basis)
        return value

    def hold_tight(self, rows: Bools) -> None:
        """Have some rows of sets at their upper sides: their duals get any sign."""
        for s in np.flatnonzero(rows):
            side = float(self._sides[1, s])
            self._highs.changeRowBounds(self._types + int(s), side, side)

    def solve_with(self, costs: Floats, dear: float, seconds: float) -> Point | None:
        """Solve with other costs of the groups, and of artificial columns."""
        self._set_costs(costs, dear)
        return self.solve(seconds)

    def restore(self) -> None:
        """Go back to the costs and sides of the program."""
        self._set_costs(self._costs, self.dear)
        for s in range(self._sets):
            row = self._types + s
            self._highs.changeRowBounds(row, *self._sides[:, s].tolist())
        self._rows_changed = True

    def _set_costs(self, costs: Floats, dear: float) -> None:
        """Set the costs of the groups, and of artificial columns."""
        every = np.arange(len(self._is_group), dtype=np.int32)
        given = np.full(len(every), dear)
        given[self._is_group] = costs
        self._highs.changeColsCost(len(every), every, given)

    def solve(self, seconds: float) -> Point | None:
        """Return an optimal solution, or None where the time ran out."""
        limit_time(self._highs, seconds)
        strategy = _DUAL if self._rows_changed else _PRIMAL
        self._highs.setOptionValue("simplex_strategy", strategy)
        self._rows_changed = False
        self._highs.run()
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self._highs.getSolution()
        x = np.array(solution.col_value)
        dual = np.array(solution.row_dual)
        value = float(self._highs.getInfo().objective_function_value)
        artificial = float(x[~self._is_group].sum())
        multipliers = dual[self._types :]
        return Point(
            x[self._is_group], dual[: self._types], multipliers, value, artificial
        )


def joined(parts: list[Groups]) -> Groups:
    """Return groups as one list."""
    if not parts:
        none = np.zeros(0, np.int64)
        return Groups(none, np.zeros(1, np.int64), none.astype(np.int32), none)
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    return Groups(
        np.concatenate([part.box for part in parts]),
        np.append(0, np.cumsum(lengths)),
        np.concatenate([part.types for part in parts]),
        np.concatenate([part.copies for part in parts]),
    )


# Column generation: the relaxation over groups in boxes, with sets of rows.

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
    can lose at most. ``types`` are the row types of the pool; the time of ``run`` ends
    what takes long. The attributes ``least`` and ``most`` say by set how many of its
    coefficients groups have at least and at most; ``most_groups`` is how many groups a
    release has at most.
    """

    def __init__(
        self, pool: BoxPool, sets: RowSets, whole: int, run: Run, types: RowTypes
    ) -> None:
        self.data, self.pool, self.sets, self.whole = pool.data, pool, sets, whole
        self.run, self.types = run, types
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

    def proven(self, duals: Duals, least: int) -> int:
        """Return what duals prove where no box is worth less than that, 0 at most."""
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
            self.run.check_time()
            point = self.master.solve(self.run.remaining)
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
            self.data, duals.prices, charges, threshold, most, self.run.check_time
        )
