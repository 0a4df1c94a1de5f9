"""The linear relaxation at the nodes of a tree, kept warm from one to the next."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np

from instances.runs.stop import stopping
from models.branch_and_bound.fills import Heights, Ints
from models.patterns.group_cuts import GroupCut, cut_rows, group_cuts
from models.patterns.pattern_program import PatternProgram
from models.solvers.highs import limit_time, load
from models.solvers.program import Floats, Program, Rows

_INTEGRAL = 1e-6  # A value so near to a whole number is one.
_PROBE_STEPS = 40  # Iterations of the dual simplex method that a probe may take.


@dataclass(frozen=True, eq=False)
class Point:
    """An optimal point of the relaxation.

    Attributes
    ----------
    x
        The columns of the pattern program.
    prices, multipliers
        The duals of the rows of the types and, without their sign, of the cuts.
    value
        What it costs.
    """

    x: Floats
    prices: Floats
    multipliers: Floats
    value: float


class Relaxation:
    """The relaxation of a pattern program whose bounds change and whose cuts grow.

    Rows may be left without a pattern or placed too often, and cuts broken, at a high
    cost: so the relaxation is feasible whatever a branch decides, and its duals are
    prices.

    Parameters
    ----------
    program
        The pattern program.
    penalty
        What a row in the wrong number costs: at least the value of a known release.

    Attributes
    ----------
    cuts
        The cuts that were added, in order.
    """

    def __init__(self, program: PatternProgram, penalty: float) -> None:
        self.program = program
        self.cuts: list[GroupCut] = []
        self._penalty = penalty
        self._rows = len(program.patterns.counts)
        self._highs: Any = load(_elastic(program, penalty), integer=False)
        self._fixed_rows = self._highs.getNumRow()
        self._heights = Heights.free(len(program.patterns))

    def solve(self, heights: Heights, seconds: float) -> Point | None:
        """Return an optimal point within what was decided; None if out of time."""
        self._decide(heights)
        limit_time(self._highs, seconds)
        self._highs.run()
        if stopping():
            raise KeyboardInterrupt
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self._highs.getSolution()
        dual = np.array(solution.row_dual)
        columns = len(self.program.program.cost)
        return Point(
            np.array(solution.col_value)[:columns],
            dual[: self._rows],
            np.maximum(-dual[self._fixed_rows :], 0.0),
            float(self._highs.getInfo().objective_function_value),
        )

    def separate(self, point: Point) -> bool:
        """Add group-count cuts that a point violates; whether there are some."""
        if self.program.k == 1:
            return False
        found = group_cuts(self.program, point.x)
        self.add(found)
        return bool(found)

    def add(self, found: Sequence[GroupCut]) -> None:
        """Add cuts."""
        if not found:
            return
        rows = cut_rows(self.program, list(found))
        order = np.argsort(rows.row, kind="stable")
        starts = np.searchsorted(rows.row[order], np.arange(len(found)))
        self._highs.addRows(
            len(found),
            rows.lower,
            rows.upper,
            len(order),
            starts.astype(np.int32),
            rows.column[order].astype(np.int32),
            rows.value[order],
        )
        first = self._fixed_rows + len(self.cuts)
        self._soften(np.arange(first, first + len(found)))
        self.cuts += found

    def _soften(self, rows: Ints) -> None:
        """Let each of these rows be exceeded, at a penalty."""
        count = len(rows)
        self._highs.addCols(
            count,
            np.full(count, self._penalty * max(self.program.k, self.program.l)),
            np.zeros(count),
            np.full(count, np.inf),
            count,
            np.arange(count, dtype=np.int32),
            rows.astype(np.int32),
            -np.ones(count),
        )

    def probe(self, heights: Heights) -> float:
        """Return a bound after a few steps towards the optimum; infinite if cut off."""
        before = self._heights
        self._highs.setOptionValue("simplex_iteration_limit", _PROBE_STEPS)
        self._decide(heights)
        self._highs.run()
        self._highs.setOptionValue("simplex_iteration_limit", 2**31 - 1)
        value = float(self._highs.getInfo().objective_function_value)
        self._decide(before)
        return value if math.isfinite(value) else math.inf

    def branching(self, x: Floats) -> list[tuple[int, int]]:
        """Return splits (p, g) by which the point falls, the most fractional first.

        On one side the height of pattern p is g at most, on the other at least g + 1.
        """
        program, count = self.program, len(self.program.patterns)
        found = []
        if program.k > 1:
            y = x[program.first_y : program.first_y + count]
            found = [(p, 0) for p in _fractional(y)]
        if program.l > 1 and not found:
            height = x[program.incidences : program.incidences + count]
            found = [(p, math.floor(height[p])) for p in _fractional(height)]
        return found

    def _decide(self, heights: Heights) -> None:
        """Set the bounds of the columns that differ from those set last."""
        old, program = self._heights, self.program
        changed = np.flatnonzero(
            (heights.least != old.least) | (heights.most != old.most)
        )
        self._heights = heights
        if len(changed) == 0:
            return
        least, most = heights.least[changed], heights.most[changed]
        columns, lower, upper = [], [], []
        if program.k > 1:
            columns.append(program.first_y + changed)
            lower.append(np.minimum(least, 1))
            upper.append(np.minimum(most, 1))
        if program.l > 1:
            columns.append(program.incidences + changed)
            lower.append(least)
            upper.append(
                np.minimum(most, program.patterns.support[changed] // program.l)
            )
        every = np.concatenate(columns).astype(np.int32)
        self._highs.changeColsBounds(
            len(every),
            every,
            np.concatenate(lower).astype(float),
            np.concatenate(upper).astype(float),
        )


def _fractional(values: Floats) -> list[int]:
    away = np.abs(values - np.rint(values))
    places = np.flatnonzero(away > _INTEGRAL)
    return [int(p) for p in places[np.argsort(-away[places], kind="stable")]]


def _elastic(program: PatternProgram, penalty: float) -> Program:
    """Let each row of a type be too short or too long, at a penalty for each copy."""
    whole, m = program.program, len(program.patterns.counts)
    types, first = whole.rows[0], len(whole.cost)
    every = np.arange(m)
    elastic = Rows(
        np.concatenate([types.row, every, every]),
        np.concatenate([types.column, first + every, first + m + every]),
        np.concatenate([types.value, np.ones(m), -np.ones(m)]),
        types.lower,
        types.upper,
    )
    return replace(
        whole,
        cost=np.concatenate([whole.cost, np.full(2 * m, penalty)]),
        lower=np.concatenate([whole.lower, np.zeros(2 * m)]),
        upper=np.concatenate([whole.upper, np.full(2 * m, np.inf)]),
        integer=np.concatenate([whole.integer, np.zeros(2 * m, bool)]),
        rows=(elastic, *whole.rows[1:]),
    )
