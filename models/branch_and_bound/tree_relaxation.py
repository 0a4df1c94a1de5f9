"""The linear relaxation at the nodes of a tree, kept warm from one to the next."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np

from starmin.instances.arrays import Floats, Ints
from starmin.instances.runs.stop import stopping
from starmin.models.branch_and_bound.count_rows import count_rows
from starmin.models.branch_and_bound.known_cuts import Known
from starmin.models.branch_and_bound.split_counts import Count
from starmin.models.branch_and_bound.tree_facts import Facts
from starmin.models.lagrangian_relaxation.pattern_fills import Heights
from starmin.models.pattern_program.cut_separation import group_cuts
from starmin.models.pattern_program.group_cuts import GroupCut, cut_rows
from starmin.models.pattern_program.pattern_program import PatternProgram
from starmin.models.price_unit import INFEASIBLE
from starmin.models.solvers.highs import limit_time, load
from starmin.models.solvers.program import INF, Program, Rows

_PROBE_STEPS = 40  # Iterations of the dual simplex method that a probe may take.


@dataclass(frozen=True, eq=False)
class Point:
    """An optimal point of the relaxation."""

    x: Floats  # the columns of the pattern program
    prices: Floats  # the duals of the rows of the types
    # cuts, counts: the duals of cuts and counts by number, with the other sign
    cuts: dict[int, float]
    counts: dict[int, float]
    value: float  # what it costs


class Relaxation:
    """The relaxation of a pattern program whose bounds change and whose cuts grow.

    Rows may be left without a pattern or placed too often, and cuts broken, at a high
    cost: so the relaxation is feasible whatever a branch decides, and its duals are
    prices. A row in the wrong number costs ``penalty``: at least the value of a known
    release. New cuts and counts are added to ``known``, numbered by ``numbers``; other
    relaxations use other numbers.
    """

    def __init__(
        self,
        program: PatternProgram,
        penalty: float,
        known: Known,
        numbers: Iterator[int],
    ) -> None:
        self.program, self.known, self._numbers = program, known, numbers
        self._cut_rows: dict[int, int] = {}
        self._count_rows: dict[int, int] = {}
        self._penalty = penalty
        self._rows = len(program.patterns.counts)
        self._highs: Any = load(_elastic(program, penalty), integer=False)
        self._facts = Facts(Heights.free(len(program.patterns)), {})

    @property
    def cuts(self) -> list[GroupCut]:
        """The cuts that were added, in order."""
        return [self.known.cuts[c] for c in self._cut_rows]

    def solve(self, facts: Facts, seconds: float) -> Point | None:
        """Return an optimal point within what was decided; None if out of time."""
        self._decide(facts)
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
            {c: max(0.0, -float(dual[row])) for c, row in self._cut_rows.items()},
            {c: -float(dual[row]) for c, row in self._count_rows.items()},
            float(self._highs.getInfo().objective_function_value),
        )

    def separate(self, point: Point) -> bool:
        """Add group-count cuts that a point violates; whether there are some."""
        if self.program.k == 1:
            return False
        found = group_cuts(self.program, point.x)
        numbers = [next(self._numbers) for _ in found]
        self.known.cuts.update(zip(numbers, found, strict=True))
        self.add(numbers)
        return bool(found)

    def add(self, numbers: Iterable[int]) -> None:
        """Add known cuts, as far as they are not there yet."""
        new = [c for c in numbers if c not in self._cut_rows]
        if not new:
            return
        rows = self._append(cut_rows(self.program, [self.known.cuts[c] for c in new]))
        self._soften(rows, -1.0)
        self._cut_rows.update(zip(new, rows.tolist(), strict=True))

    def count(self, wanted: Count) -> int:
        """Add a count that may be decided; its number."""
        number = next(self._numbers)
        self.known.counts[number] = wanted
        self._add_count(number)
        return number

    def _add_count(self, number: int) -> None:
        wanted = self.known.counts[number]
        first = self._highs.getNumCol()
        upper, rows = count_rows(self.program, wanted, first)
        none = np.zeros(0, np.int32)
        if len(upper):
            nothing = np.zeros(len(upper))
            starts = np.zeros(len(upper), np.int32)
            self._highs.addCols(
                *(len(upper), nothing, nothing, upper, 0, starts, none, np.zeros(0))
            )
        row = self._append(rows)[:1]
        self._soften(row, -1.0)
        self._soften(row, 1.0)
        self._count_rows[number] = int(row[0])

    def _append(self, rows: Rows) -> Ints:
        """Add rows; their numbers."""
        first, count = self._highs.getNumRow(), len(rows.lower)
        order = np.argsort(rows.row, kind="stable")
        self._highs.addRows(
            count,
            rows.lower,
            rows.upper,
            len(order),
            np.searchsorted(rows.row[order], np.arange(count)).astype(np.int32),
            rows.column[order].astype(np.int32),
            rows.value[order],
        )
        return np.arange(first, first + count)

    def _soften(self, rows: Ints, by: float) -> None:
        """Let each of these rows be broken, at a penalty for each time by so much."""
        count = len(rows)
        self._highs.addCols(
            count,
            np.full(count, self._penalty * max(self.program.k, self.program.l)),
            np.zeros(count),
            np.full(count, np.inf),
            count,
            np.arange(count, dtype=np.int32),
            rows.astype(np.int32),
            np.full(count, by),
        )

    def probe(self, facts: Facts) -> float:
        """Return a bound after a few steps towards the optimum; infinite if cut off."""
        before = self._facts
        self._highs.setOptionValue("simplex_iteration_limit", _PROBE_STEPS)
        self._decide(facts)
        self._highs.run()
        self._highs.setOptionValue("simplex_iteration_limit", 2**31 - 1)
        value = float(self._highs.getInfo().objective_function_value)
        self._decide(before)
        return value if math.isfinite(value) else math.inf

    def _decide(self, facts: Facts) -> None:
        """Set the bounds of the columns and counts that differ from those set last."""
        before, self._facts = self._facts, facts
        for c in sorted(facts.limits.keys() - self._count_rows.keys()):
            self._add_count(c)
        for c in before.limits.keys() | facts.limits.keys():
            limits = facts.limits.get(c, (-INF, INF))
            if limits != before.limits.get(c):
                most = INF if limits[1] >= INFEASIBLE else limits[1]
                self._highs.changeRowBounds(self._count_rows[c], limits[0], most)
        self._decide_heights(before.heights, facts.heights)

    def _decide_heights(self, old: Heights, heights: Heights) -> None:
        program = self.program
        changed = np.flatnonzero(
            (heights.least != old.least) | (heights.most != old.most)
        )
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
