"""Moves of the local search, drawn at random; what costs too much is taken back."""

import numba
import numpy as np

from heuristics.local_search.openings import NEVER, dissolve, open_group
from heuristics.local_search.pattern_index import group_at, join, price
from heuristics.local_search.state import MASKS, NONE, USED, Ints, State, take_back

_DISSOLVED = 0.03  # share of the moves


@numba.njit(cache=True)
def random_node(s: State, t: int, rng: np.random.Generator) -> int:
    """One of the nodes of a type."""
    nodes, node = 0, s.first_of_type[t]
    chosen = node
    while node != NONE:
        nodes += 1
        if rng.random() * nodes < 1:
            chosen = node
        node = s.next_of_type[node]
    return int(chosen)


@numba.njit(cache=True)
def some_mask(s: State, t: int, g: int, rng: np.random.Generator) -> int:
    """A mask under which type t pays less than in group g; -1 if none was drawn."""
    draw, mask, d = rng.random(), s.mask[g], s.codes.shape[1]
    if draw < 0.5:
        cheaper = _cheaper(s, s.cost[g])
        mask = s.masks[np.int64(rng.random() * cheaper)]
    elif draw < 0.75:
        mask = join(s, t, _companion(s, t, rng))
    else:
        mask &= ~(1 << np.int64(rng.random() * d))
        if draw > 0.85:
            mask |= 1 << np.int64(rng.random() * d)
    if mask & ~s.starrable or price(s, mask) >= s.cost[g]:
        return NONE
    return int(mask)


@numba.njit(cache=True)
def _cheaper(s: State, cost: int) -> int:
    """How many masks in use have a lower price."""
    low, high = 0, s.heads[MASKS]
    while low < high:
        middle = (low + high) // 2
        if price(s, s.masks[middle]) < cost:
            low = middle + 1
        else:
            high = middle
    return int(low)


@numba.njit(cache=True)
def _companion(s: State, t: int, rng: np.random.Generator) -> int:
    """A type that shares a column with t: the nearest of some."""
    best, least = t, NEVER
    for _ in range(8):
        j = np.int64(rng.random() * s.codes.shape[1])
        number = s.places[j] + s.codes[t, j]
        low, high = s.posted[number], s.posted[number + 1]
        u = s.posts[low + np.int64(rng.random() * (high - low))]
        cost = price(s, join(s, t, u))
        if u != t and cost < least:
            best, least = u, cost
    return int(best)


@numba.njit(cache=True)
def propose(
    s: State,
    proposals: int,
    temperature: float,
    sources: int,
    lock: bool,
    rng: np.random.Generator,
) -> Ints:
    """Propose moves; those that cost too much are taken back.

    Parameters
    ----------
    sources
        See ``open_group``.
    lock
        Lock the groups of each move, so that it can be taken back by itself.

    Returns
    -------
    array
        Where in the log each move begins that was not taken back.
    """
    starts, moves = np.empty(proposals, np.int64), 0
    for _ in range(proposals):
        if s.heads[USED] * 4 > len(s.log_type):
            break
        t = np.int64(rng.random() * len(s.first_of_type))
        g = s.node_group[random_node(s, t, rng)]
        if s.cost[g] == 0 or s.locked[g]:
            continue
        mark = s.heads[USED]
        allowed = -temperature * np.log(1 - rng.random())
        if _move(s, t, g, allowed, sources, rng) > allowed:
            take_back(s, mark)
            continue
        starts[moves] = mark
        moves += 1
        if lock:
            for i in range(mark, s.heads[USED]):
                s.locked[s.log_from[i]] = s.locked[s.log_to[i]] = True
    return starts[:moves]


@numba.njit(cache=True)
def _move(
    s: State, t: int, g: int, allowed: float, sources: int, rng: np.random.Generator
) -> int:
    """One move that a row of type t in group g suggests; the change in cost."""
    if rng.random() < _DISSOLVED:
        return int(dissolve(s, g))
    mask = some_mask(s, t, g, rng)
    h = NONE if mask == NONE else group_at(s, t, mask)
    if h == NONE or s.locked[h]:
        return NEVER
    return int(open_group(s, h, allowed, sources, rng))
