"""Exchanges of blocks along chains of rows, in turns with other searches of parts."""

import time
from dataclasses import dataclass, replace

import numpy as np

from heuristics.annealing.start import seed_moves
from heuristics.annealing.state import Floats, Ints, Small
from heuristics.diving.group_order import mean_places
from heuristics.large_neighbourhood.chain_moves import exchange_along_chains
from heuristics.large_neighbourhood.chain_search import empty_search
from heuristics.large_neighbourhood.chain_state import COST, block_state
from instances import BoolArray
from instances.runs.stop import stopping
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR
from models.pricing.pattern_pool import PatternPool

_HOT, _COLD = 0.3, 0.1  # temperatures, in stars
_MOVES = 3  # at most, for each group
_BATCH = 50  # moves between two looks at the clock
_SHARE, _LEAST, _MOST = 0.04, 4.0, 60.0  # of the time that is left, seconds for a part


@dataclass(frozen=True, eq=False)
class BlockPart:
    """Some groups of a release to improve by moves of blocks.

    Attributes
    ----------
    free
        The types no other part may move meanwhile: none, for each moves copies of its
        own groups.
    chosen
        By pattern of the pool, whether its group is one of them.
    incidences
        Of the pool, those of ``patterns``.
    patterns, values, prices
        What rows can be groups of; the sensitive value and the worth of each type.
    loads
        The groups, as copies by incidence of ``patterns``.
    k, l
        The requirement.
    star
        What a star costs.
    limit
        Seconds.
    seed
        Of the moves.
    """

    free: BoolArray
    chosen: BoolArray
    incidences: Ints
    patterns: Patterns
    values: Small
    prices: Floats
    loads: Ints
    k: int
    l: int
    star: float
    limit: float
    seed: int

    def solve(self) -> tuple[Ints, float]:
        """The cheapest loads that are found, and the seconds that took."""
        started = time.perf_counter()
        state = block_state(
            self.patterns, self.values, self.prices, self.k, self.l, self.loads
        )
        search = empty_search(state)
        seed_moves(self.seed)
        least, best = state.heads[COST], self.loads
        moves = most = _MOVES * int(np.count_nonzero(state.size))
        while moves > 0 and not stopping():
            if (spent := time.perf_counter() - started) >= self.limit:
                break
            progress = max(spent / self.limit, 1 - moves / most)
            warm = _HOT * (_COLD / _HOT) ** progress
            exchange_along_chains(state, search, _BATCH, warm * self.star, self.star)
            moves -= _BATCH
            if state.heads[COST] <= least:
                least, best = state.heads[COST], state.copies.copy()
        return best, time.perf_counter() - started


class ChainOperator:
    """Improves a diverse release by exchanges of blocks.

    Chains (``heuristics.large_neighbourhood.ejection_chains``) lead anywhere, so parts
    are as large as they can be: all groups, dealt out to those that are solved side by
    side. Groups that are alike are in the same part, in an order that is drawn anew. A
    part may open a pattern that another one has: groups rendered alike are one group
    then, and diverse still. One that costs as much as before is taken, too: the next
    moves are others.

    Parameters
    ----------
    pool
        The patterns and prices. One sensitive column.
    k, l
        The requirement, l > 1.
    useful
        The incidences that rows may move to.
    rng
        Source of the parts and of the seeds.
    slots
        Parts that are solved side by side.
    """

    complete = False  # no part proves that nothing is cheaper

    def __init__(
        self,
        pool: PatternPool,
        k: int,
        l: int,
        useful: BoolArray,
        rng: np.random.Generator,
        slots: int = 1,
    ) -> None:
        self.pool, self.k, self.l, self.useful, self.rng = pool, k, l, useful, rng
        self.slots, self.star = slots, pool.patterns.star
        self._taken = np.zeros(len(pool.patterns), bool)  # by parts not merged yet
        self._parts = 0  # how many these are

    def propose(
        self, loads: Ints, remaining: float, busy: BoolArray | None = None
    ) -> BlockPart | None:
        """An equal share of the groups that no part has; None if there is none."""
        patterns, types = self.pool.patterns, self.pool.types
        used = np.zeros(len(patterns), bool)
        used[patterns.pattern[loads > 0]] = True
        groups = np.flatnonzero(used & ~self._taken)
        if len(groups) == 0 or self._parts >= self.slots:
            return None
        places = mean_places(types.codes, patterns, loads, self.rng)
        order = groups[np.argsort(places[groups])]
        chosen = np.zeros_like(used)
        chosen[order[: -(-len(order) // (self.slots - self._parts))]] = True
        self._taken |= chosen
        self._parts += 1
        mine = np.where(chosen[patterns.pattern], loads, 0)
        counts = np.bincount(patterns.types, mine, minlength=len(types))
        there = counts > 0
        keep = (self.useful | (mine > 0)) & there[patterns.types]
        incidences = np.flatnonzero(keep)
        some = patterns.thin(keep)
        return BlockPart(
            np.zeros(len(types), bool),
            chosen,
            incidences,
            replace(
                some,
                types=(np.cumsum(there) - 1)[some.types].astype(np.int32),
                counts=counts[there].astype(np.int64),
            ),
            types.sensitive[there, 0],
            self.pool.prices[there] / DENOMINATOR,
            mine[incidences],
            self.k,
            self.l,
            self.star,
            min(max(_SHARE * remaining, _LEAST), _MOST, remaining),
            int(self.rng.integers(2**31)),
        )

    def merge(self, loads: Ints, part: BlockPart, found: Ints, seconds: float) -> Ints:
        """The loads with the groups found for a part: they cost no more."""
        self._taken &= ~part.chosen
        self._parts -= 1
        after = loads.copy()
        after[part.incidences] += found - part.loads
        return after
