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
from starmin.models.rules.choices import Choices
from starmin.models.rules.price_function import NearSets, PriceFunction
from starmin.models.rules.price_loops import Pays, code_at, least_place
from starmin.models.rules.set_pool import SetPool, list_near, shown_by
from starmin.models.solvers.linear_solver import solve_interior
from starmin.models.solvers.program import INF, Columns, Rows

# Dual values of a pool of sets, repaired where sets outside the pool are cheaper.
#
# Dual values pay many rows for joining a class of which a pool has few: each of these
# rows would be cheaper outside the pool, by little, and all together by much. An item
# needs k rows only. So a row that is not in the pool with it may be paid less, until
# its cheapest set is one of the pool, and what that adds to the fill of the item is
# no more than what k rows lose.

_MOST_SETS = 64  # of a type, whose items are paid less, one after the other


def repaired(pool: SetPool, prices: Ints) -> Ints:
    """Return prices by which fewer types have a set that is cheaper than all of a pool.

    Of what the cheapest set of the pool does not show, prices below 0 are raised;
    ``prices`` stays as it is.
    """
    function, found = pool.function, prices.copy()
    given = function.program.choices, function.pays, *pool.cheapest(prices)
    _repair(*given, function.work[0], found)
    return found


@compiled
def _repair(
    choices: Choices, pays: Pays, least: Ints, codes: Ints, work: Ints, prices: Ints
) -> None:
    for t in range(len(least)):
        for _ in range(_MOST_SETS):
            place = least_place(choices, pays, prices, t, work)
            gap = least[t] - work[0, place]
            if gap <= 0:
                break
            code, paid = code_at(choices, t, place, pays.offsets), 0
            for e in range(choices.starts[t], choices.starts[t + 1]):
                care, want = choices.care[e], choices.want[e]
                if code & care == want and codes[t] & care != want:
                    paid -= min(prices[e], 0)
            if paid == 0:
                break
            share = min(1.0, gap / paid)
            for e in range(choices.starts[t], choices.starts[t + 1]):
                care, want = choices.care[e], choices.want[e]
                if code & care == want and codes[t] & care != want and prices[e] < 0:
                    prices[e] = min(0, prices[e] + int(np.ceil(-prices[e] * share)))


# The part of the program of rules that some sets and items make, as arrays.


class ProgramPart:
    """Sets of a pool, and the items that are asked of them.

    Types with one set, which shows nothing that is asked, are left out. ``asked`` says
    by item whether nobody or enough rows may show it, ``linked`` by entry whether its
    item counts as open as far as rows of the entry show it.

    ``lack`` is what it costs that an item lacks a row, and ``loose`` that a row shows
    an item as if it were open. So much are prices at most below 0 or above: without
    bounds those of the few sets of a type are as good at any height, and move far each
    time.
    """

    def __init__(
        self, pool: SetPool, asked: Bools, linked: Bools, lack: float, loose: float
    ) -> None:
        self._function, self._lack, self._loose = pool.function, lack, loose
        self._owners, self._codes, self._costs = pool.types, pool.codes, pool.costs
        program, choices = pool.program, pool.program.choices
        sets, entries = pool.pairs(asked)
        kept = np.bincount(pool.types, minlength=len(program)) > 1
        kept[pool.types[sets]] = True
        types, self._sets = np.flatnonzero(kept), np.flatnonzero(kept[pool.types])
        self._items, item = np.unique(choices.item[entries], return_inverse=True)
        own = linked[entries]
        self._links, link = np.unique(entries[own], return_inverse=True)
        copies, need = program.copies[types], program.need[self._items]
        of_links = program.copies[program.owner[self._links]]
        owners, made = pool.types[self._sets], Columns()
        costs, most = pool.costs[self._sets], program.copies[owners]
        self._rows_of_set = made.add(len(owners), costs, most, integer=False)
        self._open = made.add(len(need), integer=False)
        self._lacking = made.add(len(need), lack, need, integer=False)
        self._loosely = made.add(len(of_links), loose, of_links, integer=False)
        column, each = np.searchsorted(self._sets, sets), np.arange(len(need))
        of_link, self._first = np.arange(len(of_links)), len(types)
        opens = self._open[np.searchsorted(self._items, choices.item[self._links])]
        dealt = np.searchsorted(types, owners), self._rows_of_set, 1
        asks = (each, self._open, -need), (each, self._lacking, 1)
        shows = (of_link, opens, -of_links), (of_link, self._loosely, -1)
        rows = (
            Rows.of(len(copies), copies, copies, dealt),
            Rows.of(len(need), 0, INF, (item, column, 1), *asks),
            Rows.of(len(of_links), -INF, 0, (link, column[own], 1), *shows),
        )
        self._program = made.program(rows)

    def solve(self, seconds: float) -> tuple[Floats, Floats] | None:
        """Return a solution of the relaxation and its dual values; None: no time."""
        if not len(self._sets):
            return np.zeros(0), np.zeros(0)
        return solve_interior(self._program, seconds)

    def value(self, point: Floats) -> float:
        """Return what a point costs, with what it breaks."""
        rows = float(self._costs @ self.rows_of(point))
        lacking = self._lack * float(point[self._lacking].sum())
        return rows + lacking + self._loose * self.loose(point)

    def loose(self, point: Floats) -> float:
        """Return how many rows show an item as if it were open."""
        return float(point[self._loosely].sum())

    def prices(self, dual: Floats) -> Ints:
        """Return the prices that dual values are, in the unit of the function."""
        choices, unit = self._function.program.choices, self._function.unit
        last = self._first + len(self._items)
        of_items = np.zeros(len(self._function.program.need))
        of_items[self._items] = dual[self._first : last]
        prices = np.where(choices.item < 0, 0.0, -of_items[choices.item])
        prices[self._links] -= dual[last:]
        whole = np.rint(prices * unit.per_cost)
        whole = np.clip(whole, -unit.most, unit.most)
        return np.asarray(whole, np.int64)

    def rows_of(self, point: Floats) -> Floats:
        """Return how many rows have each set of the pool at a point."""
        rows = self._function.program.copies[self._owners].astype(float)
        rows[self._sets] = point[: len(self._sets)]
        return rows

    def open_share(self, point: Floats) -> Floats:
        """Return by item how far it is open at a point; what is not asked is open."""
        share = np.ones(len(self._function.program.need))
        share[self._items] = point[self._open]
        return share

    def codes(self, point: Floats) -> Ints:
        """Return what open types hide if all copies of each have its largest set."""
        copies, rows = self._function.program.copies, point[: len(self._sets)]
        owners = self._owners[self._sets]
        order = np.lexsort((-rows, owners))
        largest = order[np.unique(owners[order], return_index=True)[1]]
        whole = np.zeros(len(point))
        whole[largest] = copies[owners[largest]]
        return np.repeat(self._codes, np.rint(self.rows_of(whole)).astype(np.int64))


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
        self.pool = SetPool(function, first)
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
            costs = self._star * _LACK, self._star * self._loose
            part = ProgramPart(self.pool, self._asked, self._linked, *costs)
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
        better = repaired(self.pool, prices)
        for way in _WAYS:
            tried = start + np.rint(way * (better - start)).astype(np.int64)
            if (value := function(tried)) > self.value:
                self.value, self.best = value, tried
                break
        wide = round(_WIDE_SLACK * star), _WIDE * self._most
        added = self.pool.add_cheaper(better, *wide, self._asked)
        near = round(_SLACK * star), self._most
        return added + self.pool.add_cheaper(prices, *near, self._asked)

    def codes(self) -> Ints | None:
        """Return what copies of open types hide; None where nothing was solved.

        That is the largest set of each type, so some items are shown by too few rows.
        """
        if self._last is None:
            return None
        part, point = self._last
        return part.codes(point)

    def _keep_to(self, part: ProgramPart, point: Floats) -> bool:
        """Take the rows that a solution breaks into the program, if any."""
        program, choices, pool = self.program, self.program.choices, self.pool
        rows, every = part.rows_of(point), np.ones(len(program.need), bool)
        some = rows > 0
        sets, entries = shown_by(choices, pool.types[some], pool.codes[some], every)
        shown = np.bincount(entries, rows[some][sets], len(choices.item))
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
