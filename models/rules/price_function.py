r"""The bound that prices of items prove, and a supergradient of it.

With a price :math:`\pi_{ti}` for a row of type t that shows item i,

.. math::
    L(\pi) = \sum_t s_t \min_S \Big(c(S) + \sum_{i \in S} \pi_{ti}\Big)
             - \sum_i \max(0, f_i), \qquad
    f_i = \max \Big\{\sum_t \pi_{ti} u_t : 0 \le u_t \le s_t,\
                     \sum_t u_t \ge k_i \Big\}

over sets S that show no rare item. The rows that show an item are none, or such a u; so
the cost of any mask, which is the sum over its rows of cost and prices less the sum
over its items of :math:`\sum_t \pi_{ti} u_t`, is :math:`L(\pi)` or more. All numbers
are whole, in a unit in which no sum leaves 64 bits.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from starmin.instances import NotSupportedError
from starmin.instances.arrays import Ints
from starmin.models.rules.item_earnings import Fills, item_fills
from starmin.models.rules.minima import codes_of, row_minima, show_items
from starmin.models.rules.rule_program import RuleProgram

MOST_BITS = 12  # of a price behind the point
MOST_ROWS = 256  # that lose all: no price is above what they lose together
LEAST_WORK = 16_384  # sets and entries of a thread: less is done before it is woken
_MOST_SET = 44  # bits of what a row pays for any set, far below RARE
_MOST_SUM = 61  # bits of the sum over all rows


@dataclass(frozen=True)
class RuleUnit:
    """What prices of items are whole numbers of."""

    per_cost: int  # so many units are one unit of the objective: a power of 2
    most: int  # no price is above this in size

    @classmethod
    def of(cls, program: RuleProgram) -> "RuleUnit":
        """Choose the finest unit, of 1/4,096 at most, whose sums fit 64 bits.

        NotSupportedError where there is none.
        """
        row = max(1, program.most_of_row)
        entries = max(1, int(np.diff(program.choices.starts).max(initial=1)))
        of_set = (entries * MOST_ROWS * row).bit_length()
        of_all = of_set + int(program.types.copies.sum()).bit_length()
        bits = min(MOST_BITS, _MOST_SET - of_set, _MOST_SUM - of_all)
        if bits < 0:
            raise NotSupportedError(
                "Expected costs whose sums over the rows fit 64 bits; divide the "
                "weights by a common number."
            )
        return cls(1 << bits, MOST_ROWS * row << bits)


class PriceFunction:
    """The bound of prices, with room for what is computed on the way.

    Types and items are divided among the threads of ``pool`` where there are many;
    None: there are none. ``unit`` is that of prices and of the bound, and ``constant``
    the part of the bound that rows pay in columns that are not open. Of the last
    prices, ``codes`` is by type the set that it shows, and ``shown`` and ``used`` are
    by entry of ``program.choices.item`` the rows that show it, and those in the best
    fill.

    Examples
    --------
    >>> from starmin.instances import STARS, Combinations, Table
    >>> rows = [["0", "x"], ["0", "y"], ["0", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> function = PriceFunction(RuleProgram.of(table, Combinations(2, 2), STARS))
    >>> function(function.none) / function.unit.per_cost
    2.0
    """

    def __init__(
        self, program: RuleProgram, pool: Executor | None = None, workers: int = 1
    ) -> None:
        self.program, self.unit = program, RuleUnit.of(program)
        self._pool, entries = pool, len(program.choices.item)
        self.values, self.places, self.codes = np.zeros((3, len(program)), np.int64)
        self.shown, self.used = np.zeros((2, entries), np.int64)
        self.copies = program.copies[program.owner]
        self.starts, self.entries = program.entries
        sizes = np.diff(self.starts)
        self.items = np.flatnonzero(sizes)
        work = int(program.sets.sum()) + entries
        workers = min(workers, 1 + work // LEAST_WORK)
        self._types = _cuts(program.sets, workers)
        self._items = _cuts(sizes[self.items], workers)
        room = int(program.sets.max(initial=1))
        self.work = [np.zeros((2, room), np.int64) for _ in range(workers)]
        need = int(program.need[self.items].max(initial=1))
        heap = min(need, int(sizes.max(initial=1))) + 1
        self._heaps = [np.zeros(heap, np.int64) for _ in range(workers)]
        self._costs = program.costs * self.unit.per_cost
        self.constant = self.unit.per_cost * (
            program.fixed + int(program.base_costs @ program.copies)
        )

    @property
    def none(self) -> Ints:
        """Prices of 0."""
        return np.zeros(len(self.shown), np.int64)

    def __call__(self, prices: Ints) -> int:
        """Return the bound of prices, in the unit; no cost is less."""
        minima = self.solve_types(prices)
        parts = range(len(self._heaps))
        fills = self._map(lambda part: self._fill(prices, part), parts)
        return self.constant + minima - sum(fills)

    def solve_types(self, prices: Ints) -> int:
        """Find the cheapest set of each type; return the sum of what is not fixed."""
        program = self.program
        self._map(lambda part: self._minima(prices, part), range(len(self.work)))
        return int(self.values @ program.copies)

    def _minima(self, prices: Ints, part: int) -> int:
        program, (first, last) = self.program, self._types[part]
        once, work = program.once * self.unit.per_cost, self.work[part]
        found = self.values, self.places
        given = program.choices, self._costs, once, prices, first, last, work, *found
        row_minima(*given)
        codes_of(
            program.choices, self.places, program.axes.offsets, first, last, self.codes
        )
        show_items(program.choices, self.codes, program.copies, first, last, self.shown)
        return last - first

    def _fill(self, prices: Ints, part: int) -> int:
        first, last = self._items[part]
        given = self.starts, self.entries, self.program.need, prices, self.copies
        fills = Fills(*given, self.shown, self._heaps[part], self.used)
        return int(item_fills(fills, self.items, first, last))

    def _map(self, call: Callable[[int], int], parts: range) -> list[int]:
        if self._pool is None or len(parts) == 1:
            return [call(part) for part in parts]
        return list(self._pool.map(call, parts))

    def bound(self, value: int) -> int:
        """Return what a value in the unit says of costs: rounded up."""
        return -(-value // self.unit.per_cost)


def _cuts(sizes: Ints, parts: int) -> Sequence[tuple[int, int]]:
    """Cut a list into parts whose sizes come to about the same."""
    ends = np.cumsum(sizes)
    whole = int(sizes.sum())
    at = [int(np.searchsorted(ends, whole * p / parts)) for p in range(1, parts)]
    cuts = [0, *at, len(sizes)]
    return list(pairwise(cuts))
