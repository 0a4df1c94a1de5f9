"""Exchanges of blocks along chains of rows, in turns with other searches of parts."""

import time
from dataclasses import dataclass

import numpy as np

from heuristics.block_moves import exchange_blocks
from heuristics.block_search import empty_search
from heuristics.block_state import COST, block_state
from heuristics.descent_start import seed_moves
from heuristics.descent_state import Floats, Ints, Small
from instances import BoolArray
from models.bounds.prices import DENOMINATOR
from models.pattern_pool import PatternPool
from models.patterns import Patterns

_HOT, _COLD = 0.3, 0.1  # temperatures, in stars
_MOVES = 3  # at most, for each group
_BATCH = 50  # moves between two looks at the clock
_SHARE, _LEAST, _MOST = 0.04, 4.0, 60.0  # of the time that is left, seconds for a part


@dataclass(frozen=True, eq=False)
class BlockPart:
    """A whole release to improve by moves of blocks.

    Attributes
    ----------
    free
        The types no other part may move meanwhile: none, for it is merged as a whole.
    incidences
        Of the pool, those of ``patterns``.
    patterns, values, prices
        What rows can be groups of; the sensitive value and the worth of each type.
    loads
        The release, as copies by incidence of ``patterns``.
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
        while moves > 0 and (spent := time.perf_counter() - started) < self.limit:
            progress = max(spent / self.limit, 1 - moves / most)
            warm = _HOT * (_COLD / _HOT) ** progress
            exchange_blocks(state, search, _BATCH, warm * self.star, self.star)
            moves -= _BATCH
            if state.heads[COST] <= least:
                least, best = state.heads[COST], state.copies.copy()
        return best, time.perf_counter() - started


class BlockParts:
    """Improves all of a diverse release by exchanges of blocks.

    Chains (``heuristics.block_chains``) lead anywhere, so a release is not parted:
    those found side by side are rivals, and the cheapest is taken. One that costs as
    much as before is taken, too: the next moves are others then.

    Parameters
    ----------
    pool
        The patterns and prices. One sensitive column.
    k, l
        The requirement, l > 1.
    useful
        The incidences that rows may move to.
    rng
        Source of the seeds.
    """

    complete = False  # no part proves that nothing is cheaper

    def __init__(
        self,
        pool: PatternPool,
        k: int,
        l: int,
        useful: BoolArray,
        rng: np.random.Generator,
    ) -> None:
        self.pool, self.k, self.l, self.useful, self.rng = pool, k, l, useful, rng
        patterns = pool.patterns
        self.cost = patterns.cost[patterns.pattern]
        self.star = patterns.star

    def propose(
        self, loads: Ints, remaining: float, busy: BoolArray | None = None
    ) -> BlockPart:
        """The release, which other searches must not change meanwhile."""
        keep = self.useful | (loads > 0)
        incidences = np.flatnonzero(keep)
        return BlockPart(
            np.zeros(len(self.pool.types), bool),
            incidences,
            self.pool.patterns.thin(keep),
            self.pool.types.sensitive[:, 0],
            self.pool.prices / DENOMINATOR,
            loads[incidences],
            self.k,
            self.l,
            self.star,
            min(max(_SHARE * remaining, _LEAST), _MOST, remaining),
            int(self.rng.integers(2**31)),
        )

    def merge(
        self, loads: Ints, part: BlockPart, found: Ints, seconds: float
    ) -> Ints | None:
        """The loads that were found, unless those known now cost less."""
        after = np.zeros_like(loads)
        after[part.incidences] = found
        return after if (after - loads) @ self.cost <= 0 else None
