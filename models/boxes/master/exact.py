"""What prices prove in whole numbers without limit, and prices that prove more.

Where losses are fine, loops leave bits out, and prices from floating point are off by
more than one unit of the objective. Here the program of a node is solved again with
what is left of its costs, times a large factor, so that each solution has some thirty
bits more (iterative refinement).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.instances import Objective, Table
from starmin.models.boxes.master.master import Duals, Relaxation
from starmin.models.boxes.master.side_constraints import PILES
from starmin.models.boxes.walk.box_data import DISTINCT, PLAIN, BoxColumn, GroupRule
from starmin.models.boxes.walk.search import BoxPool, Groups

# What costs of boxes are whole numbers of, so that sums with prices fit 64 bits.

# Constants that steer ``box_program``.


@dataclass(frozen=True)
class BoxParams:
    """How boxes and cuts are looked for, and how nodes are split."""

    boxes: int = 2_000  # that join at once: the start, and each look at all boxes
    cuts: int = 15  # that join at once; 0: none do
    # little, patience: so many rounds of cuts may each close less than this share of
    # the gap
    little: float = 0.01
    patience: int = 4
    tree_rounds: int = 2  # rounds of cuts at a node
    tried: int = 12  # splits of a node that are tried before one is taken
    most_left: int = 200_000  # boxes that may be left for the tree
    rounded: int = 20  # releases that a point of the root is rounded to
    # program_share, program_seconds: of the time, for a program of the groups at hand
    program_share: float = 0.1
    program_seconds: float = 10.0
    price_share: float = 0.1  # of the time, for dual ascent, whose prices come first
    # where the gap is a larger share of the value, such a program comes before each
    # round of cuts
    wide: float = 0.05


DEFAULTS = BoxParams()


_BITS = 51  # of a row's loss times the square of the rows: sums stay below 2^62
_FINE = 6  # bits that exact prices have at least beyond those that rounding takes


class BoxUnit(NamedTuple):
    """Costs in the unit of the objective, multiplied by a number, without last bits.

    *Exact* numbers have all bits. Loops compute without the last ones; where costs have
    some of these, a bound of theirs is off by less than ``rough``.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> unit = BoxUnit.of(table, Objective(), GroupRule.of(2, 1, 1, rows=2))
    >>> unit.per_cost == 1 << 49, unit.shift, unit.bound(3 << 48)
    (True, 0, 2)
    """

    per_cost: int  # what exact costs are multiplied by
    shift: int  # how many bits loops leave out: none unless losses are fine
    # by how much sums over all groups may be off for that; 0 where all these are 0
    rough: int
    whole: int  # what a row can lose at most, in numbers of loops

    @classmethod
    def of(cls, table: Table, objective: Objective, rule: GroupRule) -> "BoxUnit":
        """Choose the finest unit for a problem."""
        row = max(1, objective.whole(table) // table.n)
        size = row * table.n**2
        per_cost = max(1, (1 << _BITS) // size)
        # Prices are rounded, one for each row: that is to be less than a unit.
        finer = max(0, (table.n << _FINE).bit_length() - per_cost.bit_length())
        if size < 1 << _BITS:
            return cls(per_cost << finer, finer, 0, row * per_cost)
        shift = (size >> _BITS).bit_length()
        # What prices prove counts the cheapest group as often as there may be groups.
        # Each column of each row counts, both ends.
        rough = 2 * max(2 * table.n, table.n // rule.least * rule.most) * (table.d + 1)
        return cls(1 << finer, shift + finer, rough, max(1, row >> shift))

    def coarse(self, exact: int) -> int:
        """Return an exact number without its last bits."""
        return exact >> self.shift

    def exact_goal(self, value: int) -> int:
        """Return what proves that nothing costs less than a value, exactly."""
        return (value - 1) * self.per_cost + 1

    def goal(self, value: int) -> int:
        """Return what has to be proven in loops before it can be proven exactly."""
        return -self.coarse(-self.exact_goal(value)) - self.rough

    def exact(self, bound: int) -> int:
        """Return what a bound that loops found proves exactly."""
        return (bound - self.rough) << self.shift

    def bound(self, exact: int) -> int:
        """Return what an exact bound says in the unit of the objective."""
        return max(0, -(-exact // self.per_cost))


# The cheapest groups of boxes at prices of any size.


class ExactFills:
    """Finds what ``starmin.models.boxes.walk.box_fills`` finds, in whole numbers.

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
        for each in self._rule.classes():
            group = self._of_class(members, forced, cost, each)
            if group is not None:
                found.append((group, self._worth(group, cost) - gain * each[2]))
        return min(found, key=lambda each: each[1], default=None)

    def _worth(self, group: dict[int, int], cost: int) -> int:
        return sum(c * (cost - self._prices[t]) for t, c in group.items())

    def _of_class(
        self, members: list[int], forced: list[int], cost: int, of: tuple[int, int, int]
    ) -> dict[int, int] | None:
        """Return the cheapest group of a class of ``GroupRule``."""
        (least, most, height), group = of, dict.fromkeys(forced, 1)
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
        values = {self._value[t] for t in group}
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


_ROUNDS = 8
_EXACT_BITS = 18  # of prices that a round adds
_EXACT_FINE = 30  # bits behind the point of what a linear program says
_NEAR = 1e-3  # boxes worth more than this share of a row's loss stay above 0
_MOST = 1e7  # what is left of costs is cut off here


class ExactDuals(NamedTuple):
    """Prices of types and multipliers of sets, of any size."""

    prices: list[int]
    multipliers: list[int]


class ExactProgram:
    """The program over boxes with exact costs, those of ``columns`` of the table.

    ``relaxation`` is the program that loops solve, and ``unit`` what they leave out.
    """

    def __init__(
        self, columns: Sequence[BoxColumn], unit: BoxUnit, relaxation: Relaxation
    ) -> None:
        self._columns, self.unit, self.relaxation = columns, unit, relaxation
        self._costs: dict[int, int] = {}

    def duals(self, coarse: Duals) -> ExactDuals:
        """Return duals that loops found as exact ones."""
        shift = self.unit.shift
        prices = [price << shift for price in coarse.prices.tolist()]
        return ExactDuals(prices, [m << shift for m in coarse.multipliers.tolist()])

    def refine(self, coarse: Duals, goal: int) -> tuple[int, ExactDuals]:
        """Return what a node proves, and by which duals; more by others if need be.

        ``coarse`` are the duals of its converged program, and ``goal`` is what is to be
        proven.
        """
        relaxation = self.relaxation
        coarse = coarse.padded(len(relaxation.sets))
        duals = self.duals(coarse)
        near = self._near(coarse)
        best = -(1 << 4096), duals
        relaxation.master.hold_tight(coarse.multipliers < 0)
        try:
            for step in range(_ROUNDS):
                relaxation.run.check_time()
                worth, short = self._worth(duals, near)
                bound = self._base(duals) + relaxation.most_groups * worth
                best = max(best, (bound, duals), key=lambda each: each[0])
                if bound >= goal:
                    break
                if short is not None:
                    relaxation.add_groups(short)
                changed = self._corrected(duals, step)
                if changed is None or changed == duals:
                    break
                duals = changed
        finally:
            relaxation.master.restore()
        return best

    def _near(self, coarse: Duals) -> list[int]:
        """Return the boxes that may be worth less than 0."""
        limit = max(_NEAR * self.relaxation.whole, self.unit.rough)
        return np.flatnonzero(self.relaxation.worth(coarse) < limit).tolist()

    def _cost(self, box: int) -> int:
        if box not in self._costs:
            pool = self.relaxation.pool
            ends = pool.lows[box].tolist(), pool.highs[box].tolist()
            places = zip(self._columns, *ends, strict=True)
            self._costs[box] = sum(int(c.cost(a, b)) for c, a, b in places)
        return self._costs[box]

    def _base(self, duals: ExactDuals) -> int:
        """Return what duals prove where no box is worth less than 0."""
        relaxation = self.relaxation
        copies: list[int] = relaxation.data.counts.tolist()
        total = sum(p * s for p, s in zip(duals.prices, copies, strict=True))
        sides: tuple[list[int], list[int]]
        sides = relaxation.least.tolist(), relaxation.most.tolist()
        for m, least, most in zip(duals.multipliers, *sides, strict=True):
            total += m * (least if m > 0 else most)
        return total

    def _worth(self, duals: ExactDuals, boxes: list[int]) -> tuple[int, Groups | None]:
        """Return the least worth of boxes, at most 0, and groups worth less than 0."""
        relaxation, least = self.relaxation, 0
        used = [(s, m) for s, m in enumerate(duals.multipliers) if m]
        sets, share = relaxation.sets, relaxation.sets.share
        coefficients = sets.coefficients
        fills = ExactFills(relaxation.pool, duals.prices)
        tallied = sets.tallied(duals.multipliers)
        short: list[tuple[int, dict[int, int]]] = []
        for box in boxes:
            all_charged = [(m * int(coefficients[s, box]), share[s]) for s, m in used]
            gain = sum(m for m, by in all_charged if by == PILES)
            own = fills
            if box in tallied:  # whose rows are charged beside
                weights = [(m, tally.weight.tolist()) for m, tally in tallied[box]]
                charged = [
                    price + sum(m * weight[t] for m, weight in weights)
                    for t, price in enumerate(duals.prices)
                ]
                own = ExactFills(relaxation.pool, charged)
            found = own.group(box, self._cost(box), gain)
            if found is None:
                continue
            group, worth = found
            worth -= sum(m for m, by in all_charged if by > PILES)
            worth -= sum(m * tally.constant for m, tally in tallied.get(box, []))
            if worth < 0:
                least = min(least, worth)
                short.append((box, group))
        return least, _as_groups(short)

    def _corrected(self, duals: ExactDuals, step: int) -> ExactDuals | None:
        """Solve with what is left of the costs; return duals with what that adds."""
        relaxation = self.relaxation
        left, rows = self._left(duals), int(relaxation.data.counts.sum())
        # Rounding left out so much at first; then a step has not come to the last bits.
        rough = (rows << self.unit.shift) >> (_EXACT_BITS * step)
        scale = max(1, rough, -min(left, default=0))
        costs = np.array([min(_MOST, each / scale) for each in left])
        point = relaxation.master.solve_with(costs, _MOST, relaxation.run.remaining)
        if point is None:
            return None
        added = [_times(scale, x) for x in point.prices.tolist()]
        prices = [p + a for p, a in zip(duals.prices, added, strict=True)]
        added = [_times(scale, x) for x in point.multipliers.tolist()]
        new = [m + a for m, a in zip(duals.multipliers, added, strict=True)]
        lower = zip(new, relaxation.least.tolist(), strict=True)
        return ExactDuals(prices, [m if least > 0 else min(0, m) for m, least in lower])

    def _left(self, duals: ExactDuals) -> list[int]:
        """Return what the groups of the program pay above their prices."""
        relaxation = self.relaxation
        groups = relaxation.master.groups()
        used = [(s, m) for s, m in enumerate(duals.multipliers) if m]
        coefficients = relaxation.sets.of_groups(groups)
        starts, types = groups.starts.tolist(), groups.types.tolist()
        copies, found = groups.copies.tolist(), []
        for g, box in enumerate(groups.box.tolist()):
            cost = self._cost(box)
            paid = sum(
                copies[i] * (cost - duals.prices[types[i]])
                for i in range(starts[g], starts[g + 1])
            )
            found.append(paid - sum(m * int(coefficients[s, g]) for s, m in used))
        return found


def _times(scale: int, number: float) -> int:
    """Return a multiple of a whole number of any size, rounded down."""
    finely = int(number * 2**_EXACT_FINE)
    return finely * scale >> _EXACT_FINE


def _as_groups(found: list[tuple[int, dict[int, int]]]) -> Groups | None:
    """Return groups by box as one list; None where there are none."""
    if not found:
        return None
    sizes = [len(group) for _, group in found]
    types = [t for _, group in found for t in group]
    copies = [c for _, group in found for c in group.values()]
    return Groups(
        np.array([box for box, _ in found], np.int64),
        np.cumsum([0, *sizes]).astype(np.int64),
        np.array(types, np.int32),
        np.array(copies, np.int64),
    )
