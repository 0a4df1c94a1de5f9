"""The operator of ejection chains: it improves shares of the groups of a release."""

from dataclasses import dataclass, replace

import numpy as np

from starmin.heuristics.annealing.start import seed_moves
from starmin.heuristics.diving.group_order import mean_places
from starmin.heuristics.ejection_chains.breadth_first import empty_search
from starmin.heuristics.ejection_chains.chain_params import CHAIN_PARAMS, ChainParams
from starmin.heuristics.ejection_chains.chain_state import COST, state_of_loads
from starmin.heuristics.ejection_chains.exchange_moves import exchange_along_chains
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.runs.gate import clock
from starmin.instances.runs.stop import stopping
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.pattern_pool import PatternPool


@dataclass(frozen=True, eq=False)
class ChainNeighbourhood:
    """Some groups of a release, to be improved by moves along ejection chains."""

    # the types that no other neighbourhood may move meanwhile: none, for each moves
    # copies of its own groups
    free: Bools
    chosen: Bools  # by pattern of the pool, whether its group is one of them
    incidences: Ints  # of the pool, those of ``patterns``
    patterns: Patterns  # what rows can be groups of
    values: Int32s  # values, prices: the sensitive value and the price of each type
    prices: Floats
    loads: Ints  # the groups, as copies by incidence of ``patterns``
    k: int  # k, l: the requirement
    l: int
    star: float  # what a star costs
    limit: float  # seconds
    seed: int  # of the moves
    params: ChainParams = CHAIN_PARAMS

    def solve(self) -> tuple[Ints, float]:
        """Search for cheaper loads.

        Returns the cheapest that are found, and the seconds that took.
        """
        started = clock()
        state = state_of_loads(
            self.patterns,
            self.values,
            self.prices,
            self.k,
            self.l,
            self.loads,
            self.params.along,
        )
        search = empty_search(state)
        seed_moves(self.seed)
        least, best = state.heads[COST], self.loads
        params = self.params
        moves = most = params.moves * int(np.count_nonzero(state.size))
        while moves > 0 and not stopping():
            if (spent := clock() - started) >= self.limit:
                break
            progress = max(spent / self.limit, 1 - moves / most)
            warm = params.hot * (params.cold / params.hot) ** progress
            exchange_along_chains(
                state, search, params.batch, warm * self.star, self.star
            )
            moves -= params.batch
            if state.heads[COST] <= least:
                least, best = state.heads[COST], state.copies.copy()
        return best, clock() - started


class ChainOperator:
    """Improves a diverse release by moves along ejection chains.

    Chains (``starmin.heuristics.ejection_chains.insertion``) lead anywhere, so
    neighbourhoods are as large as they can be: all groups, dealt out to the ``slots``
    that are solved at the same time. Groups that are alike are in the same
    neighbourhood, in an order that is drawn anew. A neighbourhood may open a pattern
    that another one has: groups rendered alike are one group then, and diverse still.
    Loads that cost as much as before are taken, too: the next moves are others.

    The pool has one sensitive column, and the requirement l > 1. ``useful`` are the
    incidences that rows may move to.
    """

    complete = False  # No neighbourhood proves that nothing is cheaper.

    def __init__(
        self,
        pool: PatternPool,
        k: int,
        l: int,
        useful: Bools,
        rng: np.random.Generator,
        slots: int = 1,
        params: ChainParams = CHAIN_PARAMS,
    ) -> None:
        self.params = params
        self.pool, self.k, self.l, self.useful, self.rng = pool, k, l, useful, rng
        self.slots, self.star = slots, pool.patterns.star
        self._taken = np.zeros(len(pool.patterns), bool)  # Not merged yet.
        self._parts = 0  # How many neighbourhoods have them.

    def propose(
        self, loads: Ints, remaining: float, busy: Bools | None = None
    ) -> ChainNeighbourhood | None:
        """Return an equal share of the groups not taken; None if there is none."""
        params, patterns, types = self.params, self.pool.patterns, self.pool.types
        used = np.zeros(len(patterns), bool)
        used[patterns.pattern[loads > 0]] = True
        groups = np.flatnonzero(used & ~self._taken)
        if len(groups) == 0 or self._parts >= self.slots:
            return None
        places = mean_places(types.codes, patterns, loads, self.rng)
        order = groups[np.argsort(places[groups], kind="stable")]
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
        return ChainNeighbourhood(
            np.zeros(len(types), bool),
            chosen,
            incidences,
            replace(
                some,
                types=(np.cumsum(there) - 1)[some.types].astype(np.int32),
                counts=counts[there].astype(np.int64),
            ),
            types.sensitive[there, 0],
            self.pool.worth[there],
            mine[incidences],
            self.k,
            self.l,
            self.star,
            min(max(params.share * remaining, params.least), params.most, remaining),
            int(self.rng.integers(2**31)),
            params,
        )

    def merge(
        self, loads: Ints, part: ChainNeighbourhood, found: Ints, seconds: float
    ) -> Ints:
        """Return the loads with the groups found for a part: they cost no more.

        ``loads`` are copies by incidence, of the release as it is; ``found`` are those
        that were found for ``part``, in ``seconds``.
        """
        self._taken &= ~part.chosen
        self._parts -= 1
        after = loads.copy()
        after[part.incidences] += found - part.loads
        return after
