"""Sets of columns whose reduced cost is small: all that a cheaper mask can show."""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.rules.choices import Choices
from starmin.models.rules.minima import RARE, code_at, sum_costs
from starmin.models.rules.price_function import PriceFunction

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
        costs = program.costs * function.unit.per_cost
        once = program.once * function.unit.per_cost
        least = function.values
        highest = least + slack
        asked = _Asked(program.choices, costs, once, prices, least, highest)
        room = np.zeros((2, int(program.sets.max(initial=1))), np.int64)
        starts = np.zeros(len(program) + 1, np.int64)
        offsets, found = program.axes.offsets, np.zeros((2, 0), np.int64)
        ends = np.flatnonzero(np.diff(np.cumsum(program.sets) // _SETS_A_TIME)) + 1
        parts = list(pairwise([0, *ends.tolist(), len(program)]))

        def each(found: Ints) -> None:
            for first, last in parts:
                check_time()
                _list(asked, room, offsets, starts, found, first, last)

        each(found)
        np.cumsum(starts, out=starts)
        if starts[-1] > most:
            return None
        found = np.zeros((2, int(starts[-1])), np.int64)
        each(found)
        return cls(starts, found[0], found[1])


class _Asked(NamedTuple):
    """Which sets are listed: those of a type from its least to its highest cost."""

    choices: Choices
    costs: Ints
    once: int
    prices: Ints
    least: Ints
    highest: Ints


@compiled
def _list(
    asked: _Asked,
    work: Ints,
    offsets: Ints,
    starts: Ints,
    listed: Ints,
    first: int,
    last: int,
) -> None:
    """Count the sets of some types to ``starts``, or write them if there is room."""
    choices, costs, once, prices, least, highest = asked
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
