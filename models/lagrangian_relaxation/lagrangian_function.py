"""The Lagrangian function, which is the price bound, and its supergradient."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from starmin.instances import RowTypes
from starmin.instances.arrays import Ints
from starmin.instances.runs.workers.threads import Team
from starmin.models.lagrangian_relaxation.diverse_sets import sort_by_value
from starmin.models.lagrangian_relaxation.pricing_data import (
    Memory,
    PricingData,
    Workspace,
    blocks_of,
    pricing_data,
    workspace,
)
from starmin.models.lagrangian_relaxation.pricing_k import solve_pricing_k
from starmin.models.lagrangian_relaxation.pricing_l import solve_pricing_l
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, MOST_SUM


class LagrangianFunction:
    """The bound that prices prove, and a supergradient, for many prices in turn.

    Keeps from one call to the next what it learned of the patterns. These are priced in
    blocks, by whoever is free: ``team``, or the caller alone where it is None. All that
    blocks add up is whole numbers, so the order is nothing.

    ``l`` applies to the first sensitive column. ``members`` are those of the patterns,
    for l > 1 in order of their sensitive values; with ``count_choices``, for l > 1,
    ``chosen`` adds up how many copies of each the best choices had so far. ``outside``
    is for k-anonymity: the least reduced cost in each pattern of a copy that is of no
    member, however many there are; INFEASIBLE where there are none. ``unit`` is that of
    the prices.
    """

    def __init__(
        self,
        patterns: Patterns,
        types: RowTypes,
        k: int,
        l: int,
        count_choices: bool = False,
        outside: Ints | None = None,
    ) -> None:
        self.unit = patterns.unit
        self.data = pricing_data(patterns, types, k, l, outside)
        if l > 1:
            values = self.data.values
            by_value = sort_by_value(
                patterns.starts, patterns.types, values, int(values.max()) + 1
            )
            self.data = self.data._replace(members=by_value)
        self.members = self.data.members
        self.chosen = np.zeros(len(self.members) if count_choices else 0, np.int64)
        self.team: Team | None = None
        self._workspaces = {0: workspace(self.data)}
        count = len(patterns)
        self._memory = Memory(np.zeros(count, np.int64), np.ones(count, np.int64))
        self._blocks = [
            (self.data.block(at), self._memory.block(at))
            for at in blocks_of(self.data.starts)
        ]
        self._risen = 0
        self._last: Ints | None = None

    def __call__(self, prices: Ints) -> tuple[int, Ints]:
        """Return the bound in units of ``PriceUnit``, and its supergradient.

        The supergradient is what the copies of each type are short of in the best
        choices: negative where they take more than there are.
        """
        self.unit.expect(prices)
        if self._last is not None:
            self._risen += max(0, int((prices - self._last).max()))
        if self._risen > MOST_SUM:  # begins anew before it wraps
            looks = self._memory.next_look
            looks[looks < INFEASIBLE] = 0
            self._risen = 0
        self._last = prices
        counts = self.data.counts
        short: dict[int, Ints] = {0: counts.copy()}  # by who works
        gains = [0] * len(self._blocks)

        def solve(worker: int, number: int) -> None:
            if worker not in short:
                short[worker] = np.zeros(len(counts), np.int64)
            if worker not in self._workspaces:
                self._workspaces[worker] = workspace(self.data)
            data, memory = self._blocks[number]
            room = self._workspaces[worker]
            gains[number] = self._gain(data, prices, memory, room, short[worker])

        if self.team is None:
            for number in range(len(gains)):
                solve(0, number)
        else:
            self.team.share(len(gains), solve)
        supergradient = short.pop(0)
        for each in short.values():
            supergradient += each
        return int(prices @ counts) + sum(gains), supergradient

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Have patterns priced by whoever is free."""
        with Team() as team:
            self.team = team
            try:
                yield
            finally:
                self.team = None

    def _gain(
        self,
        data: PricingData,
        prices: Ints,
        memory: Memory,
        room: Workspace,
        supergradient: Ints,
    ) -> int:
        """Return what the choices of a block are worth; take them off what is left."""
        given = data, prices, self._risen, memory, room, supergradient
        if data.l == 1:
            return self.unit.total(solve_pricing_k(*given))
        return self.unit.total(solve_pricing_l(*given, self.chosen))


def proven_value(
    counting: Patterns, types: RowTypes, k: int, l: int, prices: Ints
) -> int:
    """Return the bound of prices, given all patterns that count there.

    Arguments are those of ``LagrangianFunction``, in units of ``PriceUnit`` like the
    result; there may be no patterns.
    """
    if len(counting) == 0:
        return int(prices @ types.counts)
    return LagrangianFunction(counting, types, k, l)(prices)[0]
