"""The part of the program of rules that some sets and items make, as arrays."""

import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.relaxation.set_pool import SetPool
from starmin.models.solvers.interior_point import solve_interior
from starmin.models.solvers.program import INF, Program, Rows


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
        self,
        function: PriceFunction,
        pool: SetPool,
        asked: Bools,
        linked: Bools,
        lack: float,
        loose: float,
    ) -> None:
        self._function, self._lack, self._loose = function, lack, loose
        self._owners, self._codes, self._costs = pool.types, pool.codes, pool.costs
        program, choices = function.program, function.program.choices
        sets, entries = pool.pairs(asked)
        kept = np.bincount(pool.types, minlength=len(program)) > 1
        kept[pool.types[sets]] = True
        self._types = np.flatnonzero(kept)
        self._sets = np.flatnonzero(kept[pool.types])
        self._items, item = np.unique(choices.item[entries], return_inverse=True)
        own = linked[entries]
        self._links, link = np.unique(entries[own], return_inverse=True)
        column = np.searchsorted(self._sets, sets)
        of_type = np.searchsorted(self._types, pool.types[self._sets])
        numbers = np.arange(len(self._sets)), np.arange(len(self._items))
        first = len(self._sets)  # of the columns that open items
        copies = np.asarray(program.copies[self._types], np.float64)
        need = program.need[self._items]
        lacks = numbers[1] + first + len(need)
        of_link = np.arange(len(self._links))
        self._rows = (
            Rows(of_type, numbers[0], np.ones(first), copies, copies),
            Rows(
                np.concatenate([item, numbers[1], numbers[1]]),
                np.concatenate([column, numbers[1] + first, lacks]),
                np.concatenate([np.ones(len(item)), -need, np.ones(len(need))]),
                np.zeros(len(need)),
                np.full(len(need), INF),
            ),
            Rows(
                np.concatenate([link, of_link, of_link]),
                np.concatenate(
                    [
                        column[own],
                        first + np.searchsorted(self._items, choices.item[self._links]),
                        first + 2 * len(need) + of_link,
                    ]
                ),
                np.concatenate(
                    [
                        np.ones(len(link)),
                        -program.copies[program.owner[self._links]],
                        -np.ones(len(self._links)),
                    ]
                ),
                np.full(len(self._links), -INF),
                np.zeros(len(self._links)),
            ),
        )

    def program(self) -> Program:
        """Return the relaxation."""
        program = self._function.program
        of_links = program.copies[program.owner[self._links]]
        copies = program.copies[self._owners[self._sets]]
        need = program.need[self._items]
        cost = np.concatenate(
            [
                self._costs[self._sets],
                np.zeros(len(need)),
                np.full(len(need), self._lack),
                np.full(len(self._links), self._loose),
            ]
        )
        upper = np.concatenate([copies, np.ones(len(need)), need, of_links])
        whole = np.zeros(len(cost), bool)
        return Program(
            cost, np.zeros(len(cost)), upper.astype(float), whole, self._rows
        )

    def solve(self, seconds: float) -> tuple[Floats, Floats] | None:
        """Return a solution of the relaxation and its dual values; None: no time.

        It may take so many ``seconds``.
        """
        if not len(self._sets):
            return np.zeros(0), np.zeros(0)
        return solve_interior(self.program(), seconds)

    def value(self, point: Floats) -> float:
        """Return what a point costs, with what it breaks."""
        rows = float(self._costs @ self.rows_of(point))
        lacks = len(self._sets) + len(self._items)
        loose = lacks + len(self._items)
        lacking = self._lack * float(point[lacks:loose].sum())
        return rows + lacking + self._loose * self.loose(point)

    def loose(self, point: Floats) -> float:
        """Return how many rows show an item as if it were open."""
        return float(point[len(self._sets) + 2 * len(self._items) :].sum())

    def prices(self, dual: Floats) -> Ints:
        """Return the prices that dual values are, in the unit of the function."""
        choices, unit = self._function.program.choices, self._function.unit
        first, last = len(self._types), len(self._types) + len(self._items)
        of_items = np.zeros(len(self._function.program.need))
        of_items[self._items] = dual[first:last]
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
        first = len(self._sets)
        share[self._items] = point[first : first + len(self._items)]
        return share

    def codes(self, point: Floats) -> Ints:
        """Return what the copies of open types hide at a whole point."""
        rows = np.rint(self.rows_of(point)).astype(np.int64)
        return np.repeat(self._codes, rows)

    def rounded(self, point: Floats) -> Floats:
        """Return a point at which all copies of each type have its largest set."""
        program, rows = self._function.program, point[: len(self._sets)]
        order = np.lexsort((-rows, self._owners[self._sets]))
        _, first = np.unique(self._owners[self._sets[order]], return_index=True)
        largest = order[first]
        whole = np.zeros(len(point))
        whole[largest] = program.copies[self._owners[self._sets[largest]]]
        return whole
