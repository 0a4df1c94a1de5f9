"""Moves of the local search, drawn at random; what costs too much is taken back."""

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import most_increase
from starmin.heuristics.annealing.annealing_state import (
    NONE,
    lack,
    reassign,
    room,
    take_back,
    wide,
)
from starmin.heuristics.annealing.dealt_rows import copies_at
from starmin.heuristics.local_search.local_search_state import MASKS, State, width
from starmin.heuristics.local_search.pattern_index import (
    cheapest_open,
    cost_of,
    fits,
    group_at,
    join,
)
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.pattern_fills import highest_cap
from starmin.models.price_unit import ANY_COST

# A change in cost that is never accepted.
NEVER = ANY_COST


@inner
def dissolve(s: State, g: int) -> int:
    """Move all rows of a group to the cheapest open ones; return the change in cost."""
    most = s.params.wide * (s.k + s.l)
    if width(s, g, most) > most:
        return NEVER
    total = 0
    while s.nodes.first_of_group[g] != NONE:
        node = s.nodes.first_of_group[g]
        t, copies = wide(s.nodes.type[node]), s.nodes.copies[node]
        h = cheapest_open(s, t, g)
        if h == NONE:
            return NEVER
        total += reassign(s, t, g, h, min(copies, room(s, h, s.worth.value[t])))
    return total


@inner
def open_group(
    s: State, g: int, allowed: float, sources: int, rng: np.random.Generator
) -> int:
    """Move to a group the rows that cost less in it; return the change in cost.

    Groups with too few rows left get others, or dissolve, or get their rows back. It
    gives up above ``allowed``; rows come from ``sources`` groups at most.
    """
    mark = s.log.size[0]
    total = _gather(s, g, sources, rng)
    end = s.log.size[0]
    if end == mark:
        return NEVER
    if lack(s, g) > 0:
        total += _refill(s, g, rng)
    if s.l > 1 and lack(s, g) > 0:
        total += _trim(s, g, mark, end)
    if s.held.load[g] == 0 or lack(s, g) > 0:
        return NEVER
    for i in range(mark, end):
        h = wide(s.log.sources[i])
        if lack(s, h) > 0:
            total += _mend(s, h, g, mark, end, rng)
        if total > allowed:
            return NEVER
    return int(total)


@inner
def _window(s: State, g: int, rng: np.random.Generator) -> tuple[int, int]:
    """Draw a stretch of the shortest list that has all types which fit a group."""
    number = len(s.types.posted) - 2
    for j in range(s.types.codes.shape[1]):
        if not s.patterns.mask[g] >> j & 1:
            other = s.types.places[j] + s.types.codes[s.patterns.rep[g], j]
            size = s.types.posted[other + 1] - s.types.posted[other]
            if size < s.types.posted[number + 1] - s.types.posted[number]:
                number = other
    low, high = s.types.posted[number], s.types.posted[number + 1]
    if high - low > s.params.listed:
        low += np.int64(rng.random() * (high - low - s.params.listed + 1))
        high = low + s.params.listed
    return low, high


@inner
def _gather(s: State, g: int, sources: int, rng: np.random.Generator) -> int:
    """Move to a group rows that cost less in it; return the change in cost."""
    low, high = _window(s, g, rng)
    picked, distinct, last = 0, 0, NONE
    for i in range(low, high):
        t = wide(s.types.posts[i])
        if not fits(s, t, g):
            continue
        node = s.nodes.first_of_type[t]
        while node != NONE:
            h = s.nodes.group[node]
            if s.patterns.cost[h] > s.patterns.cost[g] and not s.patterns.locked[h]:
                if h != last:
                    distinct, last = distinct + 1, h
                if distinct <= sources and rng.random() > s.params.skipped:
                    s.picked[picked] = node
                    picked += 1
            node = s.nodes.next_of_type[node]
    total = 0
    for i in range(picked):
        node = s.picked[i]
        t, h = wide(s.nodes.type[node]), wide(s.nodes.group[node])
        total += reassign(s, t, h, g, s.nodes.copies[node])
    return total


@inner
def _refill(s: State, g: int, rng: np.random.Generator) -> int:
    """Move to a group the rows it lacks that others can spare; return the change."""
    low, high = _window(s, g, rng)
    missing, total, picked = lack(s, g), 0, 0
    top = s.held.top[g]
    for i in range(low, high):
        t = wide(s.types.posts[i])
        if not fits(s, t, g) or (s.l > 1 and s.held.tally[g, s.worth.value[t]] == top):
            continue
        node = s.nodes.first_of_type[t]
        while node != NONE:
            h = s.nodes.group[node]
            if s.held.load[h] > s.k and h != g and not s.patterns.locked[h]:
                s.picked[picked] = node
                picked += 1
            node = s.nodes.next_of_type[node]
    for _ in range(min(picked, s.params.tries)):
        if missing == 0:
            break
        node = _costliest(s, picked)
        picked -= 1
        t, h = wide(s.nodes.type[node]), wide(s.nodes.group[node])
        copies = min(missing, s.held.load[h] - s.k, s.nodes.copies[node])
        if s.l > 1:
            copies = min(copies, top - s.held.tally[g, s.worth.value[t]])
        if copies <= 0:
            continue
        mark = s.log.size[0]
        change = reassign(s, t, h, g, copies)
        if s.l > 1 and lack(s, h) > 0:
            take_back(s, mark)
            continue
        total += change
        missing -= copies
    return total


@inner
def _costliest(s: State, picked: int) -> int:
    """Remove the node of the group with the highest cost from the list; return it."""
    at = 0
    for i in range(1, picked):
        g, h = s.nodes.group[s.picked[i]], s.nodes.group[s.picked[at]]
        if s.patterns.cost[g] > s.patterns.cost[h]:
            at = i
    node = s.picked[at]
    s.picked[at] = s.picked[picked - 1]
    return int(node)


@inner
def _trim(s: State, g: int, mark: int, end: int) -> int:
    """Give back rows of values that are too frequent; return the change in cost."""
    tally = s.held.tally[g]
    most = highest_cap(tally, 0, s.l)
    total = 0
    for i in range(end - 1, mark - 1, -1):
        t, h = wide(s.log.types[i]), wide(s.log.sources[i])
        copies = min(s.log.copies[i], tally[s.worth.value[t]] - most)
        if copies > 0:
            total += reassign(s, t, g, h, copies)
    return total


@inner
def _mend(
    s: State, h: int, g: int, mark: int, end: int, rng: np.random.Generator
) -> int:
    """Repair a group that gave rows to g; return the change in cost.

    It gets rows back, unless others for it, or other places for its own, are cheaper.
    """
    start = s.log.size[0]
    returned = _give_back(s, h, g, mark, end)
    if lack(s, h) > 0 or lack(s, g) > 0 or s.held.load[g] == 0:
        returned = NEVER
    take_back(s, start)
    other = dissolve(s, h) if rng.random() < s.params.broken else _refill(s, h, rng)
    if other < returned and lack(s, h) <= 0 and lack(s, g) <= 0:
        return int(other)
    take_back(s, start)
    return NEVER if returned == NEVER else int(_give_back(s, h, g, mark, end))


@inner
def _give_back(s: State, h: int, g: int, mark: int, end: int) -> int:
    """Give back what h lacks, for l > 1 all that it gave; return the change in cost."""
    total = 0
    for i in range(end - 1, mark - 1, -1):
        if s.log.sources[i] != h or s.log.targets[i] != g:
            continue
        missing, t = lack(s, h), wide(s.log.types[i])
        if s.l == 1 and missing <= 0:
            break
        copies = min(s.log.copies[i], copies_at(s.nodes, t, g))
        if s.l == 1:  # else it may need rows of other values instead
            copies = min(copies, missing)
        if copies > 0:
            total += reassign(s, t, g, h, copies)
    return total


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
    draw, mask, d = rng.random(), s.patterns.mask[g], s.types.codes.shape[1]
    if draw < s.params.by_mask:
        cheaper = _cheaper(s, s.patterns.cost[g])
        mask = s.patterns.masks[np.int64(rng.random() * cheaper)]
    elif draw < s.params.by_mask + s.params.by_companion:
        mask = join(s, t, _companion(s, t, rng))
    else:
        mask &= ~(1 << np.int64(rng.random() * d))
        if draw > 1 - s.params.stars_another:
            mask |= 1 << np.int64(rng.random() * d)
    if mask & ~s.types.starrable or cost_of(s, mask) >= s.patterns.cost[g]:
        return NONE
    return int(mask)


@inner
def _cheaper(s: State, cost: int) -> int:
    """Return how many masks in use cost less."""
    low, high = 0, s.patterns.heads[MASKS]
    while low < high:
        middle = (low + high) // 2
        if cost_of(s, s.patterns.masks[middle]) < cost:
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

    ``temperature`` is the mean increase in cost that is accepted. With ``lock`` the
    groups of each move are locked, so that it can be taken back by itself. Returns
    where in the log each move begins that was not taken back.
    """
    starts, moves = np.empty(proposals, np.int64), 0
    for _ in range(proposals):
        if s.log.size[0] * 4 > len(s.log.types):
            break
        t = np.int64(rng.random() * len(s.nodes.first_of_type))
        g = wide(s.nodes.group[random_node(s, t, rng)])
        if s.patterns.cost[g] == 0 or s.patterns.locked[g]:
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
                s.patterns.locked[s.log.sources[i]] = True
                s.patterns.locked[s.log.targets[i]] = True
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
    if h == NONE or s.patterns.locked[h]:
        return NEVER
    return int(open_group(s, h, allowed, sources, rng))
