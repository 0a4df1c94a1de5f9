"""Whole prices and multipliers, and the bound that they prove in a part of the tree."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from starmin.instances import NotSupportedError, Run
from starmin.instances.arrays import Bools, Ints
from starmin.models.lagrangian_relaxation.pattern_fills import (
    GroupConditions,
    Heights,
    fill_values,
)
from starmin.models.pattern_ilp.split_counts import Decision, Facts, Known, Split, terms
from starmin.models.pattern_ilp.tree_relaxation import Point
from starmin.models.pattern_program.pattern_program import PatternProgram
from starmin.models.price_unit import INFEASIBLE, exact_sum

# Many small denominators divide these, and vertices of the relaxation have such: then
# rounding loses nothing. The last one suits all costs that prices are made for.
_UNITS = 720_720, 27_720, 2_520, 60, 1
_ROWS = 32  # that lose all, as a price
_LARGEST = 2**59  # All sums of products stay below this.


class TreeUnit(NamedTuple):
    """What prices and multipliers of a tree are whole numbers of.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Table
    >>> table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> unit = TreeUnit.of(Run(table, KAnonymity(2)))
    >>> unit.per_cost, unit.most_price > 10**10
    (720720, True)
    """

    per_cost: int  # so many units are one of the objective
    # a price, in the unit of the objective, up to which no sum wraps in 64 bits; it
    # leaves room for the multipliers of cuts
    most_price: int

    @classmethod
    def of(cls, run: Run) -> "TreeUnit":
        """Choose the finest unit in which a price may be what 32 rows lose, or more.

        Raises NotSupportedError where there is none.
        """
        n, whole = run.table.n, run.objective.whole(run.table)
        for unit in _UNITS:
            room = _LARGEST - unit * (whole + n)
            found = room // (16 * unit * n)
            if found * n >= _ROWS * whole:
                return cls(unit, found)
        raise NotSupportedError("Expected costs whose sums fit 64 bits as prices.")


def fits(run: Run, least: int, prices: int, multipliers: int) -> bool:
    """Check whether no sum wraps with prices and multipliers up to these.

    ``least`` is the least size of a group. ``prices`` is the largest price, and
    ``multipliers`` the sum over all cuts and counts of the largest multiplier: both in
    size, and in the unit of the tree.
    """
    n, whole = run.table.n, run.objective.whole(run.table)
    highest = prices + multipliers * (least + 1)
    return highest * n + TreeUnit.of(run).per_cost * (whole + n) < _LARGEST


@dataclass(frozen=True, eq=False)
class Multipliers:
    """A price for each type, multipliers for some cuts and counts, in ``TreeUnit``.

    Multipliers of counts may be negative.
    """

    prices: Ints
    cuts: dict[int, int]
    counts: dict[int, int] = field(default_factory=dict)

    def fit(self, run: Run, least: int) -> bool:
        """Check whether no sum wraps with them."""
        highest = max(int(self.prices.max()), -int(self.prices.min()))
        multipliers = sum(self.cuts.values()) + sum(map(abs, self.counts.values()))
        return fits(run, least, highest, multipliers)


class Prover:
    """Computes what multipliers prove, in whole numbers.

    Multipliers refer to the cuts and counts that are ``known``; ``unit`` is how many of
    the units of the tree are one of the objective.

    Notes
    -----
    A cut ``sum y - sum imports / r <= q`` with the multiplier m, times r, makes every
    copy that one of its patterns imports cheaper by m, every such pattern that is open
    dearer by m r, and costs m r q at once. A count with the multiplier m makes dearer
    by m what it counts; m times its upper limit is paid back, or its lower limit if m
    is negative.
    """

    def __init__(self, program: PatternProgram, known: Known, unit: int) -> None:
        self.program, self.known, self._unit = program, known, unit
        asked = program.k, program.l, program.distinct
        self._groups = GroupConditions(program.patterns, *asked, program.sensitive)
        self._cuts: dict[int, tuple[Ints, int, int]] = {}
        self._rows = int(program.patterns.counts.sum())

    def whole(self, point: Point) -> Multipliers:
        """Round the duals of a point."""
        shares = {c: m / self._cut(c)[1] for c, m in point.cuts.items()}
        return Multipliers(
            np.rint(point.prices * self._unit).astype(np.int64),
            self._rounded(shares),
            self._rounded(point.counts),
        )

    def bound(self, multipliers: Multipliers, facts: Facts) -> int | None:
        """Return what no release that agrees with the facts costs less than.

        In the unit of the tree; None where there is no such release.
        """
        program, heights = self.program, facts.heights
        total, reduced, opening = self._terms(multipliers)
        counted = terms(program.patterns, self.known.counts, multipliers.counts)
        for c, m in multipliers.counts.items():
            least, most = facts.limits.get(c, (0, INFEASIBLE))
            total -= m * (min(most, self._rows) if m > 0 else least)
        reduced += counted.charged
        opening += counted.opening
        values = fill_values(self._groups, reduced, heights)
        must, fails = heights.least > 0, values >= INFEASIBLE
        if (must & fails).any():
            return None
        if counted.touch.any():
            given = self._groups, reduced, heights, counted.touched
            avoiding = fill_values(*given)
            values = np.minimum(values + counted.touch, avoiding)
        values = np.where(fails, 0, values + opening)
        values = np.where(must, values, np.minimum(values, 0))
        return total + exact_sum(values[heights.most > 0])

    def useful(self, multipliers: Multipliers, goal: int) -> Bools:
        """Mark the incidences that a release which costs less than the goal may use.

        ``goal`` is in the unit of the tree. Of each incidence, the multipliers bound
        what a release with it costs.
        """
        program = self.program
        patterns, need = program.patterns, program.least_size
        total, reduced, opening = self._terms(multipliers)
        values = fill_values(self._groups, reduced, Heights.free(len(patterns)))
        fails = values >= INFEASIBLE
        worth = np.minimum(np.where(fails, 0, values + opening), 0)
        # Beyond all that a pattern may cost more slack says no more.
        rest = min(goal - total - exact_sum(worth), INFEASIBLE)
        slack = rest - opening + worth
        forced = _forced(program, reduced, need) < slack[patterns.pattern]
        open_ = ~fails & (values < slack)
        alive = forced & open_[patterns.pattern]
        copies = np.where(alive, patterns.counts[patterns.types], 0)
        support = np.add.reduceat(copies, patterns.starts[:-1])
        return np.asarray(alive & (support >= need)[patterns.pattern])

    def _terms(self, multipliers: Multipliers) -> tuple[int, Ints, Ints]:
        """Return the constant, reduced costs, and what it costs to open patterns."""
        patterns = self.program.patterns
        total = int(multipliers.prices @ patterns.counts)
        reduced = patterns.cost[patterns.pattern] * self._unit
        reduced -= multipliers.prices[patterns.types]
        opening = np.zeros(len(patterns), np.int64)
        for c, m in multipliers.cuts.items():
            imported, r, q = self._cut(c)
            reduced[imported] -= m
            opening[self.known.cuts[c].patterns] += m * r
            total -= m * r * q
        return total, reduced, opening

    def _rounded(self, shares: dict[int, float]) -> dict[int, int]:
        """Return shares in the unit of the tree, without those that are 0."""
        rounded = {c: round(share * self._unit) for c, share in shares.items()}
        return {c: share for c, share in rounded.items() if share}

    def _cut(self, number: int) -> tuple[Ints, int, int]:
        """Return the incidences that a cut counts as imports, its r and its q."""
        if number not in self._cuts:
            cut, patterns = self.known.cuts[number], self.program.patterns
            limits = cut.limits(patterns, self.program.least_size)
            self._cuts[number] = cut.imports(patterns), *limits
        return self._cuts[number]


def _forced(program: PatternProgram, reduced: Ints, need: int) -> Ints:
    """Return for each incidence what ``need`` copies or more cost at least with it.

    Diversity is left out of account.
    """
    patterns = program.patterns
    order = np.lexsort((reduced, patterns.pattern))
    cost, copies = reduced[order], patterns.counts[patterns.types[order]]
    starts = patterns.starts[:-1]
    before = np.cumsum(copies) - copies
    before -= before[starts][patterns.pattern]
    gainful = np.add.reduceat(np.where(cost < 0, copies, 0), starts)
    taken = np.clip(np.maximum(gainful, need)[patterns.pattern] - before, 0, copies)
    least = np.add.reduceat(cost * taken, starts)
    last = np.maximum.reduceat(np.where(taken > 0, cost, -INFEASIBLE), starts)
    exchanged = np.where(gainful <= need, np.maximum(last, 0), 0)
    forced = np.empty_like(reduced)
    forced[order] = least[patterns.pattern] + np.maximum(
        0, cost - exchanged[patterns.pattern]
    )
    return forced


# The tree of a branch and bound whose leaves are proofs.


@dataclass(eq=False)
class Node:
    """A part of all releases: those with heights and counts within bounds."""

    # those on the path; of a pattern or a count the last one is valid
    decisions: tuple[Decision, ...]
    # with prices; those of the parent until better ones are known
    multipliers: Multipliers
    # what they prove, in the unit of the tree; infinite if there is no such release
    bound: float
    split: Split | None = None  # at most so much in the first child, more in the second
    children: tuple["Node", ...] = field(default=())

    def facts(self, patterns: int) -> Facts:
        """Return what holds."""
        heights, limits = Heights.free(patterns), dict[int, tuple[int, int]]()
        for number, least, most, counted in self.decisions:
            if counted:
                limits[number] = least, most
            else:
                heights.least[number], heights.most[number] = least, most
        return Facts(heights, limits)

    def sides(self, split: Split) -> tuple[tuple[Decision, ...], ...]:
        """Return the decisions of both children of a split."""
        number, g, counted = split
        least, most = next(
            (
                (each.least, each.most)
                for each in reversed(self.decisions)
                if (each.number, each.counted) == (number, counted)
            ),
            (0, INFEASIBLE),
        )
        return tuple(
            (*self.decisions, Decision(number, low, high, counted))
            for low, high in ((least, g), (g + 1, most))
        )
