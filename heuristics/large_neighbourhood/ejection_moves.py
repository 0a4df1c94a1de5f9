"""Moves along ejection chains: a pattern closes, another opens, rows are re-inserted.

A pattern gives up a *block*, l rows without which it still satisfies the requirement,
or all its rows; a new block of these rows opens in another pattern.
"""

from dataclasses import dataclass, replace

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import most_increase, seed_moves
from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.diving.dive import some_types
from starmin.heuristics.diving.group_neighbourhoods import Part, mean_places
from starmin.heuristics.large_neighbourhood.ejection_insertion import (
    Search,
    empty_search,
    insert_by_chain,
    insert_near,
    keep_changes,
    need,
    reachable_patterns,
    set_blocks,
    shift,
    take_back,
)
from starmin.heuristics.large_neighbourhood.ejection_state import (
    CHAIN_PARAMS,
    COST,
    STAMP,
    USED,
    WAITING,
    ChainParams,
    State,
    state_of_loads,
)
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.runs.search_control import clock, stopping
from starmin.models.pricing.pool_sources import PatternPool


@inner
def some_pattern(s: State, star: float) -> int:
    """Draw a pattern in use, those oftener whose rows pay much beyond their prices."""
    p = wide(0)
    for _ in range(s.params.draws):
        t = np.random.randint(len(s.value))
        i = s.starts[t] + np.random.randint(s.used_by_type[t])
        p = wide(s.pattern[s.by_type[i]])
        if np.random.random() < s.params.eager * (
            _excess(s, p) / star + s.params.least
        ):
            break
    return int(p)


@inner
def _excess(s: State, p: int) -> float:
    """Return what a row of p pays beyond its price, on average."""
    prices = 0.0
    for v in range(s.tally.shape[1]):
        begin = s.segments[p, v]
        for i in range(begin, begin + s.used_by_value[p, v]):
            incidence = s.by_value[i]
            prices += s.copies[incidence] * s.price[s.type[incidence]]
    return float(s.cost[p] - prices / s.size[p])


@inner
def give_up(s: State, p: int) -> int:
    """Take a block from p, all its rows if too few would stay; return how many wait."""
    before, rows = wide(s.size[p]), max(s.k, s.l)
    blocks = wide(s.blocks[p]) - 1
    set_blocks(s, p, blocks if blocks >= max(1, s.k // s.l) else 0)
    _trim(s, p)
    if s.size[p] < need(s, wide(s.blocks[p])):
        set_blocks(s, p, 0)
        _trim(s, p)
    while before - s.size[p] < rows and s.size[p] > need(s, wide(s.blocks[p])):
        send_away(s, p)
    return int(before - s.size[p])


@inner
def _trim(s: State, p: int) -> None:
    """Take random rows of the values that are too frequent from p."""
    for v in range(s.tally.shape[1]):
        while s.tally[p, v] > s.blocks[p]:
            i = s.segments[p, v] + np.random.randint(s.used_by_value[p, v])
            shift(s, wide(s.by_value[i]), -1)


@inner
def send_away(s: State, p: int) -> None:
    """Take a random row from p."""
    row = np.random.randint(s.size[p])
    for v in range(s.tally.shape[1]):
        if row >= s.tally[p, v]:
            row -= s.tally[p, v]
            continue
        i = s.segments[p, v]
        while row >= s.copies[s.by_value[i]]:
            row -= s.copies[s.by_value[i]]
            i += 1
        shift(s, wide(s.by_value[i]), -1)
        return


@compiled
def exchange_along_chains(
    s: State, f: Search, moves: int, temperature: float, star: float
) -> int:
    """Propose moves and take back those that cost too much; return the change in cost.

    ``temperature`` is the mean increase accepted, and ``star`` the mean cost of a star.
    """
    before = s.heads[COST]
    for _ in range(moves):
        allowed = most_increase(temperature, np.random.random())
        start = s.heads[COST]
        if _move(s, f, allowed, star) and s.heads[COST] - start <= allowed:
            keep_changes(s)
        else:
            take_back(s, 0)
    return int(s.heads[COST] - before)


@inner
def _move(s: State, f: Search, allowed: float, star: float) -> bool:
    """Move a block, or a row that can be spared; return whether no row is left."""
    p = some_pattern(s, star)
    if s.size[p] > need(s, wide(s.blocks[p])) and np.random.random() < s.params.spared:
        send_away(s, p)
    elif s.cost[p] == 0:
        return False
    else:
        rows = max(s.k, s.l)
        spare = give_up(s, p) - rows
        if spare >= 0:
            highest = s.cost[p] + allowed / rows
            _new_block(s, f, p, spare, highest, star)
    while s.heads[WAITING] > 0:
        if not insert_near(s, f, wide(s.waiting[0]), s.params.place_steps):
            return False
    return True


@inner
def _width(s: State) -> int:
    """Draw how many steps to look for patterns."""
    most = s.params.narrow
    while most < s.params.wide and np.random.random() < 0.5:
        most *= 2
    return most


@inner
def _new_block(
    s: State, f: Search, given_up: int, spare: int, highest: float, star: float
) -> None:
    """Open a block for the rows that wait, all but ``spare``, in a cheap pattern.

    Patterns are tried that each of the rows can get to by itself, cheap and near ones
    first. Whether all of them can at a time is seen when they do. The rows come from
    pattern ``given_up``; no pattern is tried that costs more than ``highest``.
    """
    most = _width(s)
    rows = s.waiting[: s.heads[WAITING]]
    rows = rows[np.argsort(-s.price[rows])]  # those with the highest price first
    listed = _candidates(s, f, rows, given_up, spare, highest, most)
    for i in range(listed):
        p = f.found[i]
        noise = s.params.noise * np.random.exponential()
        f.rank[i] = s.cost[p] / star + noise + f.depth[p] / len(rows)
    for _ in range(min(s.params.tries, listed)):
        best = np.argmin(f.rank[:listed])
        f.rank[best] = np.inf
        mark = wide(s.heads[USED])
        if _fill(s, f, wide(f.found[best]), rows, spare):
            return
        take_back(s, mark)


@inner
def _candidates(
    s: State,
    f: Search,
    rows: Int32s,
    given_up: int,
    spare: int,
    highest: float,
    most: int,
) -> int:
    """List the patterns that all rows but ``spare`` can get to; return how many."""
    listed, family = 0, s.heads[STAMP] + 1
    f.family[given_up] = family
    for searches in range(len(rows)):
        start = searches <= spare
        t = wide(rows[searches])
        found = reachable_patterns(s, f, t, family, start, listed, most)
        listed = 0
        for i in range(found):
            p = f.found[i]
            if f.hits[p] > searches - spare and s.cost[p] <= highest:
                f.found[listed] = p
                listed += 1
            else:
                f.family[p] = 0
        if listed == 0:
            return 0
    return listed


@inner
def _fill(s: State, f: Search, q: int, rows: Int32s, spare: int) -> bool:
    """Open a block in q by chains from all but ``spare`` rows; return whether it is."""
    set_blocks(s, q, max(wide(s.blocks[q]) + 1, s.k // s.l))
    i = 0
    while s.size[q] < need(s, wide(s.blocks[q])):
        while i < len(rows) and s.waits[rows[i]] == 0:
            i += 1
        if i == len(rows):
            return False
        if not insert_by_chain(s, f, wide(rows[i]), q, s.params.chain_steps):
            spare -= s.waits[rows[i]]
            if spare < 0:
                return False
            i += 1
    return True


@dataclass(frozen=True, eq=False)
class ChainNeighbourhood:
    """Some groups of a release, to be improved by moves along ejection chains."""

    # the types that no other neighbourhood may move meanwhile: none, for each moves
    # copies of its own groups
    free: Bools
    chosen: Bools  # by pattern of the pool, whether its group is one of them
    part: Part
    k: int  # k, l: the requirement
    l: int
    star: float  # what a star costs
    limit: float  # seconds
    seed: int  # of the moves
    params: ChainParams = CHAIN_PARAMS

    def solve(self) -> tuple[Ints, float]:
        """Search for cheaper loads; return the cheapest, and the seconds that took."""
        started = clock()
        pool, loads = self.part.pool, self.part.loads
        values = pool.types.sensitive[:, 0]
        given = pool.patterns, values, pool.worth, self.k, self.l, loads
        state = state_of_loads(*given, self.params.along)
        search = empty_search(state)
        seed_moves(self.seed)
        least, best = state.heads[COST], loads
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

    Chains (``ejection_insertion``) lead anywhere, so neighbourhoods are as large as
    they can be: all groups, dealt out to the ``slots`` that are solved at the same
    time. Groups that are alike are in the same neighbourhood, in an order that is drawn
    anew. A neighbourhood may open a pattern that another one has: groups rendered alike
    are one group then, and diverse still. Loads that cost as much as before are taken,
    too: the next moves are others.

    The pool has one sensitive column, l > 1. ``useful`` incidences may be moved to.
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
        places = mean_places(patterns, loads, self.rng)
        order = groups[np.argsort(places[groups], kind="stable")]
        chosen = np.zeros_like(used)
        chosen[order[: -(-len(order) // (self.slots - self._parts))]] = True
        self._taken |= chosen
        self._parts += 1
        mine = np.where(chosen[patterns.pattern], loads, 0)
        counts = np.bincount(patterns.types, mine, minlength=len(types))
        counts = counts.astype(np.int64)
        there = counts > 0
        keep = (self.useful | (mine > 0)) & there[patterns.types]
        incidences = np.flatnonzero(keep)
        some = patterns.among(there, incidences)
        some = replace(some, row_types=some_types(types, there, counts))
        given = self.pool, there, some, incidences, mine[incidences]
        return ChainNeighbourhood(
            *(np.zeros(len(types), bool), chosen, Part.of(*given)),
            *(self.k, self.l, self.star),
            min(max(params.share * remaining, params.least), params.most, remaining),
            int(self.rng.integers(2**31)),
            params,
        )

    def merge(
        self, loads: Ints, part: ChainNeighbourhood, found: Ints, seconds: float
    ) -> Ints:
        """Return the loads with the groups found for a part: they cost no more."""
        self._taken &= ~part.chosen
        self._parts -= 1
        return part.part.merged(loads, found)
