"""Moves of the local search, drawn at random; what costs too much is taken back."""

import numpy as np

from starmin.heuristics.acceptance.metropolis import most_increase
from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.local_search.local_changes import take_back
from starmin.heuristics.local_search.local_search_state import MASKS, NONE, State
from starmin.heuristics.local_search.openings import NEVER, dissolve, open_group
from starmin.heuristics.local_search.pattern_index import cost_of, group_at, join
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner


@inner
def random_node(s: State, t: int, rng: np.random.Generator) -> int:
    """Draw one of the nodes of a type."""
    nodes, node = 0, s.nodes.first_of_type[t]
    chosen = node
    while node != NONE:
        nodes += 1
        if rng.random() * nodes < 1:
            chosen = node
        node = s.nodes.next_of_type[node]
    return int(chosen)


@inner
def some_mask(s: State, t: int, g: int, rng: np.random.Generator) -> int:
    """Draw a mask under which type t pays less than in group g; -1 if none is found."""
    draw, mask, d = rng.random(), s.groups.mask[g], s.types.codes.shape[1]
    if draw < s.params.by_mask:
        cheaper = _cheaper(s, s.groups.cost[g])
        mask = s.groups.masks[np.int64(rng.random() * cheaper)]
    elif draw < s.params.by_mask + s.params.by_companion:
        mask = join(s, t, _companion(s, t, rng))
    else:
        mask &= ~(1 << np.int64(rng.random() * d))
        if draw > 1 - s.params.stars_another:
            mask |= 1 << np.int64(rng.random() * d)
    if mask & ~s.types.starrable or cost_of(s, mask) >= s.groups.cost[g]:
        return NONE
    return int(mask)


@inner
def _cheaper(s: State, cost: int) -> int:
    """Return how many masks in use cost less."""
    low, high = 0, s.groups.heads[MASKS]
    while low < high:
        middle = (low + high) // 2
        if cost_of(s, s.groups.masks[middle]) < cost:
            low = middle + 1
        else:
            high = middle
    return int(low)


@inner
def _companion(s: State, t: int, rng: np.random.Generator) -> int:
    """Draw some types that share a column with t; return the nearest of them."""
    best, least = t, NEVER
    for _ in range(s.params.companions):
        j = np.int64(rng.random() * s.types.codes.shape[1])
        number = s.types.places[j] + s.types.codes[t, j]
        low, high = s.types.posted[number], s.types.posted[number + 1]
        u = wide(s.types.posts[low + np.int64(rng.random() * (high - low))])
        cost = cost_of(s, join(s, t, u))
        if u != t and cost < least:
            best, least = u, cost
    return int(best)


@compiled
def propose(
    s: State,
    proposals: int,
    temperature: float,
    sources: int,
    lock: bool,
    rng: np.random.Generator,
) -> Ints:
    """Propose moves and take back those that cost too much.

    ``s`` is updated, and ``temperature`` is the mean increase in cost that is accepted,
    in the unit of costs. For ``sources`` see ``open_group``. With ``lock`` the groups
    of each move are locked, so that it can be taken back by itself. Returns where in
    the log each move begins that was not taken back.
    """
    starts, moves = np.empty(proposals, np.int64), 0
    for _ in range(proposals):
        if s.log.size[0] * 4 > len(s.log.types):
            break
        t = np.int64(rng.random() * len(s.nodes.first_of_type))
        g = wide(s.nodes.group[random_node(s, t, rng)])
        if s.groups.cost[g] == 0 or s.groups.locked[g]:
            continue
        mark = s.log.size[0]
        allowed = most_increase(temperature, rng.random())
        if _move(s, t, g, allowed, sources, rng) > allowed:
            take_back(s, mark)
            continue
        starts[moves] = mark
        moves += 1
        if lock:
            for i in range(mark, s.log.size[0]):
                s.groups.locked[s.log.sources[i]] = s.groups.locked[
                    s.log.targets[i]
                ] = True
    return starts[:moves]


@inner
def _move(
    s: State, t: int, g: int, allowed: float, sources: int, rng: np.random.Generator
) -> int:
    """Make one move that a row of type t in group g suggests; return the change."""
    if rng.random() < s.params.dissolved:
        return int(dissolve(s, g))
    mask = some_mask(s, t, g, rng)
    h = NONE if mask == NONE else group_at(s, t, mask)
    if h == NONE or s.groups.locked[h]:
        return NEVER
    return int(open_group(s, h, allowed, sources, rng))
