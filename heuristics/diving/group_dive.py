"""Rows of some groups of a diverse release, dealt anew by themselves."""

import time
from dataclasses import dataclass

import numpy as np

from heuristics.annealing.moves import anneal, settle
from heuristics.annealing.start import deal_greedily, deal_loads, most_nodes, seed_moves
from heuristics.annealing.state import State, empty_state
from heuristics.diving.dive import Dive, Floats, Ints
from heuristics.diving.pilot_method import Each, pilot_dive
from instances import BoolArray, RowTypes
from instances.runs.stop import stopping
from models.patterns.patterns import Patterns

# How much faster than rows the reserves of values may fall; of many rows, where a
# value is nearly as frequent as may be.
_FASTER, _CAREFUL = 8.0, 1.25
_MANY, _TIGHT = 20_000, 0.9
_COLD = 0.02  # temperature of moves, in stars
_PROPOSALS = 5_000  # moves, at most one for each type
_BATCH = 500  # moves between two looks at the clock
_DIVE_SHARE = 0.8  # of the seconds of a part


@dataclass(frozen=True, eq=False)
class GroupDive:
    """Some groups of a release: their rows are a table of their own.

    Attributes
    ----------
    kind
        By which rule they were chosen.
    free
        The types, of the whole, with rows in these groups.
    incidences
        Of the whole, those of ``patterns``.
    patterns, types
        What the rows can be groups of; types without rows here are left out.
    loads
        The groups, as copies by incidence of ``patterns``.
    prices
        What the types are worth, in stars.
    k, l
        The requirement.
    dive
        Whether the groups are forgotten, or only improved by moves.
    fills
        That a plain dive goes by at a time; others try several.
    width
        Ways in which each stage of the dive is tried; 1 for a plain one.
    limit
        Seconds.
    seed
        Of the moves.
    """

    kind: int
    free: BoolArray
    incidences: Ints
    patterns: Patterns
    types: RowTypes
    loads: Ints
    prices: Floats
    k: int
    l: int
    dive: bool
    fills: int
    width: int
    limit: float
    seed: int

    def solve(self, each: Each = map) -> tuple[Ints, float]:
        """Loads that are found for the same rows, and the seconds that took.

        Parameters
        ----------
        each
            How the ways of a stage are tried (``heuristics.diving.pilot_method``).
        """
        started = time.perf_counter()

        def left(share: float = 1.0) -> float:
            if stopping():
                return 0.0
            return share * self.limit - (time.perf_counter() - started)

        loads = self.loads
        star = self.patterns.star
        if self.dive:
            dive = Dive(self.patterns, self.types, self.k, self.l, star)
            problem = (self.patterns.counts, self.prices)

            def clock() -> float:
                return left(_DIVE_SHARE)

            if self.width == 1:
                loads = dive(*problem, self.fills, self._faster(), clock)
            else:
                loads = pilot_dive(
                    dive, *problem, self._faster(), clock, self.width, each
                )
        state = self._state(loads)
        proposals = min(len(self.types), _PROPOSALS)
        while proposals > 0 and left() > 0:
            anneal(state, _BATCH, _COLD * star, star)
            settle(state)
            proposals -= _BATCH
        return self._loads(state), time.perf_counter() - started

    def cost(self, loads: Ints) -> int:
        """What these loads cost."""
        return int(loads @ self.patterns.cost[self.patterns.pattern])

    def _faster(self) -> float:
        counts = self.patterns.counts
        rows = float(counts.sum())
        most = float(np.bincount(self.types.sensitive[:, 0], counts).max())
        return _CAREFUL if rows > _MANY and self.l * most > _TIGHT * rows else _FASTER

    def _state(self, loads: Ints) -> State:
        """The groups, and the rows that none of them has dealt greedily."""
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
        patterns, m = self.patterns, len(self.types)
        keys = patterns.pattern.astype(np.int64) * m + patterns.types
        order = np.argsort(keys)
        used = np.flatnonzero(state.node_copies > 0)  # freed nodes keep none
        wanted = state.node_pattern[used].astype(np.int64) * m + state.node_type[used]
        loads = np.zeros(len(keys), np.int64)
        loads[order[np.searchsorted(keys[order], wanted)]] = state.node_copies[used]
        return loads
