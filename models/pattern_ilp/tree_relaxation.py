"""The linear relaxation at the nodes of a tree, kept warm from one to the next."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from starmin.instances.arrays import Floats, IntArray, Ints
from starmin.instances.runs.search_control import stopping
from starmin.models.lagrangian_relaxation.pattern_fills import Heights
from starmin.models.pattern_ilp.split_counts import Count, Facts, Known
from starmin.models.pattern_program.cut_separation import group_cuts
from starmin.models.pattern_program.pattern_program import (
    GroupCut,
    PatternProgram,
    cut_rows,
)
from starmin.models.price_unit import INFEASIBLE
from starmin.models.solvers.linear_solver import (
    append_columns,
    append_rows,
    limit_time,
    load,
)
from starmin.models.solvers.program import INF, Columns, Program, Rows, Term

# Counts as rows of the linear relaxation.


def count_rows(program: PatternProgram, count: Count, first: int) -> tuple[int, Rows]:
    r"""Write a count over the columns of a program, and new ones.

    Returns how many columns are new, which cost nothing and are 0 to 1, and the rows:
    the first one is the count itself, not bounded yet.

    Rows are a sum of ``x``, and patterns with rows one of ``y``. Where only some types
    of a pattern p count, or there is no ``y``, a new column :math:`z_p` says whether it
    has a row of them; the first new column has the number ``first``:

    .. math::

        x_{pt} \le s_t z_p, \qquad z_p \le \sum_t x_{pt}, \qquad z_p \le y_p
    """
    patterns = program.patterns
    entries = np.flatnonzero(count.members(patterns))
    if not count.groups:
        return 0, _sum(entries)
    of_entries = patterns.pattern[entries]
    chosen, place = np.unique(of_entries, return_inverse=True)
    inside = np.bincount(of_entries, minlength=len(patterns))
    if program.k > 1 and (inside == np.diff(patterns.starts))[chosen].all():
        return 0, _sum(program.first_y + chosen)
    z = first + np.arange(len(chosen))
    supply = patterns.counts[patterns.types[entries]]
    links = 1 + np.arange(len(entries))
    some = 1 + len(entries) + np.arange(len(chosen))
    terms: list[Term] = [
        (np.zeros(len(z), np.int64), z, 1),
        (links, z[place], supply),
        (links, entries, -1),
        (some, z, -1),
        (some[place], entries, 1),
    ]
    if program.k > 1:
        opened = some + len(z)
        terms += [(opened, program.first_y + chosen, 1), (opened, z, -1)]
    height = 1 + len(entries) + (1 + (program.k > 1)) * len(z)
    least = np.where(np.arange(height) == 0, -INF, 0.0)
    return len(z), Rows.of(height, least, INF, *terms)


def _sum(columns: IntArray) -> Rows:
    """Return the row of a sum, free."""
    return Rows.of(1, -INF, INF, (np.zeros(len(columns), np.int64), columns, 1))


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
        given = self.known.counts[number], self._highs.getNumCol()
        new, rows = count_rows(self.program, *given)
        if new:
            none = np.zeros(0, np.int32)
            append_columns(self._highs, np.zeros(new), 1.0, none, none, 1)
        row = self._append(rows)[:1]
        self._soften(row, -1.0)
        self._soften(row, 1.0)
        self._count_rows[number] = int(row[0])

    def _append(self, rows: Rows) -> Ints:
        """Add rows; their numbers."""
        first = self._highs.getNumRow()
        append_rows(self._highs, rows)
        return np.arange(first, first + len(rows.lower))

    def _soften(self, rows: Ints, by: float) -> None:
        """Let each of these rows be broken, at a penalty for each time by so much."""
        dear = self._penalty * max(self.program.k, self.program.l)
        cost = np.full(len(rows), dear)
        append_columns(self._highs, cost, INF, np.arange(len(rows)), rows, by)

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
    types, every = whole.rows[0], np.arange(m)
    made = Columns(whole)
    short = made.add(m, penalty, INF, integer=False)
    long = made.add(m, penalty, INF, integer=False)
    elastic = types.plus((every, short, 1), (every, long, -1))
    return made.program([elastic, *whole.rows[1:]])
