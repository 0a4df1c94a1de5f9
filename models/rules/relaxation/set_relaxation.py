r"""The linear relaxation of the program of rules, over sets that are generated.

Of the program of ``models.rules.rule_program`` a part is kept: some sets of each type,
the items that these would leave with too few rows, and of the rows

.. math:: \sum_{S \text{ shows } i} z_{tS} \le s_t y_i, \qquad
          \sum_t \sum_{S \text{ shows } i} z_{tS} + e_i \ge k_i y_i

those that a solution broke. A row that an item lacks costs a few stars. Dual values of
the first, less those of the second, are prices of ``models.rules.price_function``: they
prove what they prove there, whatever is left out, and name the sets that are cheaper
than those at hand. With all sets that matter, they prove the optimum of the relaxation.
"""

from collections.abc import Callable

import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.rules.near_sets import NearSets
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.relaxation.price_repair import repaired
from starmin.models.rules.relaxation.program_part import ProgramPart
from starmin.models.rules.relaxation.set_pool import SetPool, list_near, shown_by

# How much above the least sets cost, in mean costs of a star:
_FIRST_SLACK = 0.3  # the first ones,
_SLACK = 0.1  # generated ones,
_WIDE_SLACK = 1.0  # those of types that no repair of prices helps.
_WIDE = 3  # times as many of these show an item
_LOOSE = 3.0  # what a row costs at first that shows an item as if it were open
_GROWTH = 2.0  # of that
_NEAR = 0.004  # between bound and relaxation: then it grows
_WAYS = 1.0, 0.5, 0.25  # from the best prices to others
_LACK = 3.0  # what a row costs that an item lacks, in mean costs of a star
_BROKEN = 1e-5  # A row that is broken by less holds.
_CLOSE = 0.01  # of a star: what is not worth another step


class SetRelaxation:
    """A pool of sets, and the part of the program that it needs.

    ``prices``, in the unit of the function, are those to begin with; the sets ``first``
    are near under these. ``best`` are the best prices so far, and ``value`` is what
    they prove.
    """

    def __init__(self, function: PriceFunction, prices: Ints, first: NearSets) -> None:
        self.function, self.program = function, function.program
        self.best, self.value = prices, function(prices)
        self._star = self.program.mean_star_cost
        self._most = 1 + int(self.program.need.max(initial=1))
        self.pool = SetPool(self.program, first)
        choices, items = self.program.choices, len(self.program.need)
        every = np.ones(items, bool)
        cheapest = np.arange(len(self.program))
        owners, entries = shown_by(choices, cheapest, function.codes, every)
        rows = np.zeros(items, np.int64)
        np.add.at(rows, choices.item[entries], self.program.copies[owners])
        self._loose = _LOOSE
        self._asked: Bools = (rows > 0) & (rows < self.program.need)
        self._linked = np.zeros(len(choices.item), bool)
        self._linked[self.pool.pairs(every)[1]] = True
        self._last: tuple[ProgramPart, Floats] | None = None

    @classmethod
    def of(cls, function: PriceFunction, prices: Ints) -> "SetRelaxation":
        """Begin with what is near under some prices."""
        star = function.program.mean_star_cost * function.unit.per_cost
        slack = np.full(len(function.program), round(_FIRST_SLACK * star))
        function.solve_types(prices)
        return cls(function, prices, list_near(function, prices, slack))

    def improve(self, clock: Callable[[], float], told: Callable[[int], bool]) -> bool:
        """Solve, and add sets and rows, until nothing is missing.

        Returns whether the relaxation is solved: nothing is missing. ``clock`` returns
        the seconds left; ``told`` is called with the best bound, and a false answer
        ends it.
        """
        function, unit = self.function, self.function.unit.per_cost
        while clock() > 0:
            part = self._part()
            if (solution := part.solve(clock())) is None:
                return False
            point, dual = solution
            self._last = part, point
            missing = self._keep_to(part, point)
            added = self._move_to(part.prices(dual))
            if not told(function.bound(self.value)):
                return False
            cost = part.value(point) + self.program.fixed
            left = cost - self.value / unit
            tight = part.loose(point) <= _BROKEN
            if tight and not missing and (not added or left < _CLOSE * self._star):
                return True
            if not tight and (not added or left < _NEAR * cost):
                self._loose *= _GROWTH
        return False

    def _move_to(self, prices: Ints) -> int:
        """Take the best prices on the way to others; return how many sets these add.

        Dual values of few sets ask too much: they are repaired, and a part of the way
        may prove more.
        """
        function, start = self.function, self.best
        star = self._star * function.unit.per_cost
        better = repaired(function, self.pool, prices)
        for way in _WAYS:
            tried = start + np.rint(way * (better - start)).astype(np.int64)
            if (value := function(tried)) > self.value:
                self.value, self.best = value, tried
                break
        wide = round(_WIDE_SLACK * star), _WIDE * self._most
        added = self.pool.add_cheaper(function, better, *wide, self._asked)
        near = round(_SLACK * star), self._most
        return added + self.pool.add_cheaper(function, prices, *near, self._asked)

    def codes(self) -> Ints | None:
        """Return what copies of open types hide; None where nothing was solved.

        That is the largest set of each type, so some items are shown by too few rows.
        """
        if self._last is None:
            return None
        part, point = self._last
        return part.codes(part.rounded(point))

    def _part(self) -> ProgramPart:
        given = self.function, self.pool, self._asked, self._linked
        return ProgramPart(*given, self._star * _LACK, self._star * self._loose)

    def _keep_to(self, part: ProgramPart, point: Floats) -> bool:
        """Take the rows that a solution breaks into the program, if any."""
        program, choices, pool = self.program, self.program.choices, self.pool
        rows, shown = part.rows_of(point), np.zeros(len(choices.item))
        given = choices.starts, choices.item, choices.care, choices.want
        _show(*given, pool.types, pool.codes, rows, shown)
        entries = np.flatnonzero(shown > _BROKEN)
        items, copies = choices.item[entries], program.copies[program.owner[entries]]
        share = shown[entries] / copies
        total, largest = np.zeros((2, len(program.need)))
        np.add.at(total, items, shown[entries])
        np.maximum.at(largest, items, share)
        few = (total < largest * program.need - _BROKEN) & ~self._asked
        opened = part.open_share(point)[items]
        loose = entries[(share > opened + _BROKEN) & ~self._linked[entries]]
        self._asked |= few
        self._linked[loose] = True
        return bool(few.any()) or len(loose) > 0


@compiled
def _show(
    starts: Ints,
    item: Ints,
    care: Ints,
    want: Ints,
    types: Ints,
    codes: Ints,
    rows: Floats,
    shown: Floats,
) -> None:
    """Add by entry the rows that show it, where so many have each set."""
    for s in range(len(types)):
        if rows[s] <= 0:
            continue
        for e in range(starts[types[s]], starts[types[s] + 1]):
            if item[e] >= 0 and codes[s] & care[e] == want[e]:
                shown[e] += rows[s]
