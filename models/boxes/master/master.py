"""The linear program over groups in boxes, solved by HiGHS again and again."""

from typing import Any, NamedTuple

import highspy
import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints, Shorts
from starmin.models.boxes.walk.pool import Groups
from starmin.models.solvers.highs import limit_time, load
from starmin.models.solvers.program import INF, Program, Rows

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
        every, demand = np.arange(m), counts.astype(np.float64)
        rows = Rows(every, every, np.ones(m), demand, demand)
        box = np.zeros(m), np.full(m, INF)
        self.dear = dear
        self._highs: Any = load(
            Program(np.full(m, dear), *box, np.zeros(m, bool), (rows,)), integer=False
        )
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self._highs.setOptionValue(name, _TOLERANCE)
        self._columns: list[Groups] = []
        self.box = np.zeros(0, np.int64)
        self._costs = np.zeros(0)
        self._is_group = np.zeros(m, bool)

    def __len__(self) -> int:
        return len(self.box)

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
        sizes = np.add.reduceat(groups.copies, groups.starts[:-1])
        owner = np.repeat(np.arange(count), np.diff(groups.starts))
        s, g = np.nonzero(coefficients)
        column = np.concatenate([owner, g])
        index = np.concatenate([groups.types, self._types + s])
        value = np.concatenate([groups.copies, coefficients[s, g]])
        order = np.argsort(column, kind="stable")
        starts = np.searchsorted(column[order], np.arange(count))
        self._highs.addCols(
            *(count, sizes * cost / self.whole, np.zeros(count), np.full(count, INF)),
            *(len(index), starts.astype(np.int32), index[order].astype(np.int32)),
            value[order].astype(np.float64),
        )
        self._columns.append(groups)
        self._costs = np.append(self._costs, sizes * cost / self.whole)
        self.box = np.concatenate([self.box, groups.box])
        self._is_group = np.append(self._is_group, np.ones(count, bool))

    def add_sets(self, coefficients: Shorts) -> None:
        """Add rows of sets without bounds; coefficients of all groups, R x groups."""
        count, groups = len(coefficients), np.flatnonzero(self._is_group)
        s, g = np.nonzero(coefficients)
        starts = np.searchsorted(s, np.arange(count)).astype(np.int32)
        self._highs.addRows(
            *(count, np.full(count, -INF), np.full(count, INF)),
            *(len(s), starts, groups[g].astype(np.int32)),
            coefficients[s, g].astype(np.float64),
        )
        free = np.array([np.full(count, -INF), np.full(count, INF)])
        self._sides = np.hstack([self._sides, free])
        rows = self._types + self._sets + np.arange(count)
        self._highs.addCols(
            *(count, np.full(count, self.dear), np.zeros(count), np.full(count, INF)),
            *(count, np.arange(count, dtype=np.int32), rows.astype(np.int32)),
            np.ones(count),
        )
        self._is_group = np.append(self._is_group, np.zeros(count, bool))
        self._sets += count

    def in_boxes(self, x: Floats, boxes: int) -> Floats:
        """Return how many groups of a point are in each of so many boxes."""
        box = self.box[: len(x)]  # groups may have joined since
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
        every = np.arange(len(self._is_group), dtype=np.int32)
        given = np.full(len(every), dear)
        given[self._is_group] = costs
        self._highs.changeColsCost(len(every), every, given)
        return self.solve(seconds)

    def restore(self) -> None:
        """Go back to the costs and sides of the program."""
        every = np.arange(len(self._is_group), dtype=np.int32)
        costs = np.full(len(every), self.dear)
        costs[self._is_group] = self._costs
        self._highs.changeColsCost(len(every), every, costs)
        for s in range(self._sets):
            row = self._types + s
            self._highs.changeRowBounds(row, *self._sides[:, s].tolist())
        self._rows_changed = True

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
