"""Rows of some groups of a diverse release, dealt anew by themselves."""

from dataclasses import dataclass

import numpy as np

from starmin.heuristics.annealing.annealing_state import State, empty_state
from starmin.heuristics.annealing.pattern_moves import anneal_batches, settle
from starmin.heuristics.annealing.start import (
    deal_greedily,
    deal_loads,
    most_nodes,
    seed_moves,
)
from starmin.heuristics.diving.dive import Clock, Dive
from starmin.heuristics.diving.dive_params import DIVING_PARAMS, DivingParams
from starmin.heuristics.diving.pilot_method import Each, pilot_dive
from starmin.instances import RowTypes
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.runs.gate import clock
from starmin.instances.runs.stop import stopping
from starmin.models.patterns.patterns import Patterns


@dataclass(frozen=True, eq=False)
class GroupDive:
    """Some groups of a release: their rows are a table of their own."""

    kind: int  # by which rule they were chosen
    free: Bools  # the types, of the whole, with rows in these groups
    incidences: Ints  # of the whole, those of ``patterns``
    # patterns, types: what the rows can be groups of; types without rows here are left
    # out
    patterns: Patterns
    types: RowTypes
    loads: Ints  # the groups, as copies by incidence of ``patterns``
    prices: Floats  # the price of each type, in the unit of costs
    k: int  # k, l: the requirement
    l: int
    dive: bool  # whether the groups are forgotten, or only improved by moves
    window: int  # number of steps that the averages of a plain dive are taken over
    width: int  # ways in which each stage of the dive is tried; 1 for a plain one
    limit: float  # seconds
    seed: int  # of the moves
    params: DivingParams = DIVING_PARAMS

    def solve(self, each: Each = map) -> tuple[Ints, float]:
        """Deal the same rows anew, or improve their groups by moves.

        ``each`` is how the ways of a stage are tried
        (``starmin.heuristics.diving.pilot_method``). Returns the loads that are found
        for the same rows, and the seconds that took.
        """
        started = clock()

        def left(share: float = 1.0) -> float:
            if stopping():
                return 0.0
            return share * self.limit - (clock() - started)

        params, star = self.params.groups, self.patterns.star
        loads = self.loads
        if self.dive:
            loads = self._dive(lambda: left(params.dive_share), each)
        state = self._state(loads)
        proposals = min(len(self.types), params.proposals)
        while proposals > 0 and left() > 0:
            anneal_batches(state, 1, params.batch, params.cold * star)
            proposals -= params.batch
        return self._loads(state), clock() - started

    def _dive(self, clock: Clock, each: Each) -> Ints:
        """Dive for all rows: plainly, or with a look ahead."""
        patterns, prices, faster = self.patterns, self.prices, self._faster()
        dive = Dive(
            patterns, self.types, self.k, self.l, patterns.star, self.params.dive
        )
        if self.width == 1:
            return dive(patterns.counts, prices, self.window, faster, clock)
        return pilot_dive(
            dive,
            patterns.counts,
            prices,
            faster,
            clock,
            self.width,
            each,
            self.params.pilot,
        )

    def cost(self, loads: Ints) -> int:
        """Return what these loads cost."""
        return int(loads @ self.patterns.cost[self.patterns.pattern])

    def _faster(self) -> float:
        """Return how many times as fast as the rows the reserves may fall."""
        params, counts = self.params.groups, self.patterns.counts
        rows = float(counts.sum())
        most = float(np.bincount(self.types.sensitive[:, 0], counts).max())
        if rows > params.many and self.l * most > params.tight * rows:
            return params.careful
        return params.faster

    def _state(self, loads: Ints) -> State:
        """Return the state of these groups; other rows are dealt greedily."""
        patterns = self.patterns
        state = empty_state(
            patterns,
            self.types.sensitive[:, 0],
            self.prices,
            self.k,
            self.l,
            most_nodes(patterns),
        )
        used = np.flatnonzero(loads)
        members = patterns.types[used]
        deal_loads(state, patterns.pattern[used].astype(np.int64), members, loads[used])
        rest = patterns.counts.copy()
        np.subtract.at(rest, members, loads[used])
        if rest.any():
            deal_greedily(state, rest)
        settle(state)
        seed_moves(self.seed)
        return state

    def _loads(self, state: State) -> Ints:
        """Return the copies by incidence that a state holds."""
        patterns, m = self.patterns, len(self.types)
        keys = patterns.pattern.astype(np.int64) * m + patterns.types
        order = np.argsort(keys)
        used = np.flatnonzero(state.nodes.copies > 0)  # Freed nodes keep none.
        wanted = state.nodes.group[used].astype(np.int64) * m + state.nodes.type[used]
        loads = np.zeros(len(keys), np.int64)
        loads[order[np.searchsorted(keys[order], wanted)]] = state.nodes.copies[used]
        return loads
