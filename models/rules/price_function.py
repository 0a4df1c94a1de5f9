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

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from starmin.instances import NotSupportedError
from starmin.instances.arrays import Floats, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.rules.choices import Choices
from starmin.models.rules.price_loops import (
    RARE,
    Fills,
    Pays,
    cheapest_sets,
    code_at,
    item_fills,
    sum_costs,
)
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

    Types and items are divided among the threads of ``pool`` where there are many.
    ``unit`` is that of prices, of the bound, and of ``pays``; ``constant`` is the part
    of the bound that rows pay in columns that are not open. Of the last prices,
    ``codes`` is by type the set that it shows, and ``shown`` and ``used`` are by entry
    of ``program.choices.item`` the rows that show it, and those in the best fill.
    ``work`` is room for the sets of a type, by thread.

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
        self.threads, entries = (pool, workers), len(program.choices.item)
        self.values, self.codes = np.zeros((2, len(program)), np.int64)
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
        unit = self.unit.per_cost
        paid = program.costs * unit, program.once * unit
        self.pays = Pays(*paid, program.axes.offsets, program.copies)
        fixed = program.fixed + int(program.base_costs @ program.copies)
        self.constant = unit * fixed

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
        self._map(lambda part: self._minima(prices, part), range(len(self.work)))
        return int(self.values @ self.program.copies)

    def _minima(self, prices: Ints, part: int) -> int:
        given = self.program.choices, self.pays, prices, *self._types[part]
        cheapest_sets(*given, self.work[part], self.values, self.codes, self.shown)
        return part

    def _fill(self, prices: Ints, part: int) -> int:
        first, last = self._items[part]
        given = self.starts, self.entries, self.program.need, prices, self.copies
        fills = Fills(*given, self.shown, self._heaps[part], self.used)
        return int(item_fills(fills, self.items, first, last))

    def _map(self, call: Callable[[int], int], parts: range) -> list[int]:
        pool, _ = self.threads
        if pool is None or len(parts) == 1:
            return [call(part) for part in parts]
        return list(pool.map(call, parts))

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


# Sets of columns whose reduced cost is small: all that a cheaper mask can show.

_SETS_A_TIME = 2**24  # between looks at the clock


class NearSets(NamedTuple):
    """What open types may show at little more than their least cost under prices."""

    starts: Ints  # by open type: where its sets begin
    codes: Ints  # by set: the bits that it hides
    over: Ints  # by set: its reduced cost, in the unit of prices

    @classmethod
    def of(
        cls,
        function: PriceFunction,
        prices: Ints,
        slack: int | Ints,
        most: int,
        check_time: Callable[[], None] = lambda: None,
    ) -> "NearSets | None":
        """List the sets whose reduced cost is at most ``slack``; None: over ``most``.

        ``slack`` is in the unit of the function, and by type where it is not the same:
        below 0, nothing of a type is listed. ``check_time`` raises where no time is
        left.
        """
        program = function.program
        function.solve_types(prices)
        least, room = function.values, function.work[0]
        asked = program.choices, function.pays, prices, least, least + slack
        starts, found = np.zeros(len(program) + 1, np.int64), np.zeros((2, 0), np.int64)
        ends = np.flatnonzero(np.diff(np.cumsum(program.sets) // _SETS_A_TIME)) + 1
        parts = list(pairwise([0, *ends.tolist(), len(program)]))

        def each(found: Ints) -> None:
            for first, last in parts:
                check_time()
                _list(*asked, room, starts, found, first, last)

        each(found)
        np.cumsum(starts, out=starts)
        if starts[-1] > most:
            return None
        found = np.zeros((2, int(starts[-1])), np.int64)
        each(found)
        return cls(starts, found[0], found[1])


@compiled
def _list(
    choices: Choices,
    pays: Pays,
    prices: Ints,
    least: Ints,
    highest: Ints,
    work: Ints,
    starts: Ints,
    listed: Ints,
    first: int,
    last: int,
) -> None:
    """Count the sets of some types to ``starts``, or write them if there is room.

    Of a type those are listed from its least to its highest cost.
    """
    costs, once, offsets, _ = pays
    for t in range(first, last):
        if highest[t] < least[t]:
            continue
        sets = sum_costs(choices, costs, prices, t, work)
        found = 0
        for place in range(sets):
            value = work[0, place]
            if once and (place or choices.base[t] != 0):
                value += once
            if value > highest[t] or value >= RARE // 2:
                continue
            if listed.shape[1]:
                listed[0, starts[t] + found] = code_at(choices, t, place, offsets)
                listed[1, starts[t] + found] = value - least[t]
            found += 1
        if listed.shape[1] == 0:
            starts[t + 1] = found


# The subgradient method on prices of items.


@dataclass(frozen=True)
class PriceStepParams:
    """Constants of the steps (running means as of Kingma and Ba 2015)."""

    # first, last: the first step in mean costs of a star, and the last one as a share
    # of it
    first: float = 0.12
    last: float = 0.02
    steps: int = 1500  # of a whole round; fewer where the time is short
    # mean, square: weight of the past in the means of supergradients and of their
    # squares
    mean: float = 0.95
    square: float = 0.98
    # added to the root of the mean square; the larger it is, the less a price moves
    # whose supergradient is small
    least: float = 0.2
    # idle, gain: the round ends where so many steps gain less than this share of the
    # bound
    idle: int = 200
    gain: float = 2e-6


class PriceSteps:
    """Prices, the best bound that they proved, and steps that raise it.

    ``best`` are the best prices so far and ``value`` is their bound, in the unit of the
    function.
    """

    params = PriceStepParams()

    def __init__(self, function: PriceFunction) -> None:
        self.function = function
        self.best = function.none
        self.value = function(self.best)
        entries = len(self.best)
        self._state = np.zeros((3, entries))
        self._scale = function.program.mean_star_cost

    def improve(self, seconds: float, told: Callable[[int], bool]) -> None:
        """Take a round of steps, large ones first, in so many seconds at most.

        ``told`` is called now and then with the best bound; a false answer ends the
        round.
        """
        params, function = self.params, self.function
        started = time.perf_counter()
        before = self.value
        for step in range(1, params.steps + 1):
            done = max(
                step / params.steps,
                (time.perf_counter() - started) / max(seconds, 1e-9),
            )
            if done >= 1:
                break
            length = self._scale * params.first * params.last**done
            whole = self._move(length)
            value = function(whole)
            if value > self.value:
                self.value, self.best = value, whole.copy()
            if step % params.idle == 0:
                if self.value - before < params.gain * abs(self.value):
                    break
                before = self.value
            if step % 16 == 0 and not told(function.bound(self.value)):
                break

    def begin(self, prices: Ints) -> None:
        """Go on from some prices, in the unit of the function."""
        self._state[0] = prices / self.function.unit.per_cost
        if (value := self.function(prices)) > self.value:
            self.value, self.best = value, prices

    def _move(self, length: float) -> Ints:
        function, params = self.function, self.params
        whole = np.empty(self._state.shape[1], np.int64)
        constants = np.array([length, params.mean, params.square, params.least])
        rows, unit = (function.shown, function.used, function.copies), function.unit
        _move(self._state, *rows, constants, whole, unit.per_cost, unit.most)
        return whole


@compiled
def _move(
    state: Floats,
    shown: Ints,
    used: Ints,
    copies: Ints,
    constants: Floats,
    whole: Ints,
    per_cost: int,
    most: int,
) -> None:
    """Move prices along smoothed supergradients, and write them as whole numbers.

    A supergradient says, as a share of the rows of an entry, how many more show it than
    are in the best fill.
    """
    step, past, past_square, least = constants
    prices, mean, square = state
    for e in range(len(prices)):
        found = (shown[e] - used[e]) / copies[e]
        mean[e] = past * mean[e] + (1 - past) * found
        square[e] = past_square * square[e] + (1 - past_square) * found * found
        prices[e] += step * mean[e] / (np.sqrt(square[e]) + least)
        number = np.rint(prices[e] * per_cost)
        whole[e] = int(min(max(number, -most), most))
