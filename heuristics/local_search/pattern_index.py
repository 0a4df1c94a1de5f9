"""The index of patterns: groups are found by the pattern that they are published as."""

import numpy as np

from starmin.heuristics.annealing.annealing_state import NONE, move_all, put, room, wide
from starmin.heuristics.local_search.local_search_state import GROUPS, MASKS, State
from starmin.instances.loops.compiled import compiled, inner

# A hash constant: the odd fraction of the golden ratio, in 61 bits.
_ODD = 0x1E3779B97F4A7C15


@inner
def cost_of(s: State, mask: int) -> int:
    """Return what a row costs under a mask."""
    if s.types.once:
        return 1 if mask else 0
    total = 0
    for j in range(len(s.types.weights)):
        if mask >> j & 1:
            total += s.types.weights[j]
    return total


@inner
def join(s: State, t: int, u: int) -> int:
    """Return the mask of the columns in which two types differ."""
    mask = 0
    for j in range(s.types.codes.shape[1]):
        if s.types.codes[t, j] != s.types.codes[u, j]:
            mask |= 1 << j
    return mask


@inner
def fits(s: State, t: int, g: int) -> bool:
    """Check whether the pattern of a group matches a type."""
    mask, rep = s.patterns.mask[g], s.patterns.rep[g]
    for j in range(s.types.codes.shape[1]):
        if not mask >> j & 1 and s.types.codes[t, j] != s.types.codes[rep, j]:
            return False
    return True


@inner
def pattern_key(s: State, t: int, mask: int) -> int:
    """Return a number that equal patterns share."""
    key = mask * _ODD
    for j in range(s.types.codes.shape[1]):
        if not mask >> j & 1:
            key += s.types.salt[s.types.places[j] + s.types.codes[t, j]]
    return int(key ^ (key >> 29))


@inner
def _place(s: State, t: int, mask: int, key: int) -> int:
    """Return where in the lookup the group of a pattern is, or would be."""
    last = len(s.patterns.lookup) - 1
    at = key & last
    while s.patterns.lookup[at] != NONE:
        g = wide(s.patterns.lookup[at])
        if s.patterns.key[g] == key and s.patterns.mask[g] == mask and fits(s, t, g):
            break
        at = (at + 1) & last
    return int(at)


@inner
def find(s: State, t: int, mask: int) -> int:
    """Return the group whose pattern is that of type t under ``mask``, or -1."""
    return int(s.patterns.lookup[_place(s, t, mask, pattern_key(s, t, mask))])


@inner
def group_at(s: State, t: int, mask: int) -> int:
    """Return the group of type t under ``mask``, made if need be; -1 if none can be."""
    key = pattern_key(s, t, mask)
    at = _place(s, t, mask, key)
    if s.patterns.lookup[at] != NONE or s.patterns.heads[GROUPS] == 0:
        return int(s.patterns.lookup[at])
    s.patterns.heads[GROUPS] -= 1
    g = s.patterns.free[s.patterns.heads[GROUPS]]
    s.patterns.mask[g], s.patterns.rep[g], s.patterns.key[g] = mask, t, key
    s.patterns.cost[g] = cost_of(s, mask)
    s.patterns.lookup[at] = g
    _note_mask(s, mask, s.patterns.cost[g])
    return int(g)


@inner
def _note_mask(s: State, mask: int, cost: int) -> None:
    """Add a mask to those in use, the cheapest first."""
    count = s.patterns.heads[MASKS]
    for i in range(count):
        if s.patterns.masks[i] == mask:
            return
    if count == len(s.patterns.masks):
        return
    at = count
    while at > 0 and cost_of(s, s.patterns.masks[at - 1]) > cost:
        s.patterns.masks[at] = s.patterns.masks[at - 1]
        at -= 1
    s.patterns.masks[at] = mask
    s.patterns.heads[MASKS] = count + 1


@inner
def cheapest_open(s: State, t: int, avoid: int) -> int:
    """Return the cheapest open group that can take a row of type t; -1 if none."""
    for i in range(s.patterns.heads[MASKS]):
        g = find(s, t, s.patterns.masks[i])
        if g == NONE or s.held.load[g] == 0 or s.patterns.locked[g]:
            continue
        if g != avoid and room(s, g, s.worth.value[t]) > 0:
            return int(g)
    return NONE


@compiled
def tidy(s: State) -> int:
    """Narrow patterns to their rows, join those alike, forget the log; return costs."""
    s.patterns.lookup[:] = NONE
    s.patterns.heads[GROUPS] = s.patterns.heads[MASKS] = s.log.size[0] = 0
    s.patterns.locked[:] = False
    total = 0
    for g in range(len(s.held.load)):
        if s.held.load[g] > 0:
            _narrow(s, g)
            total += s.held.load[g] * s.patterns.cost[g]
            at = _place(
                s, wide(s.patterns.rep[g]), s.patterns.mask[g], s.patterns.key[g]
            )
            if s.patterns.lookup[at] == NONE:
                s.patterns.lookup[at] = g
                _note_mask(s, s.patterns.mask[g], s.patterns.cost[g])
            else:
                move_all(s, g, wide(s.patterns.lookup[at]))
        if s.held.load[g] == 0:
            s.patterns.free[s.patterns.heads[GROUPS]] = g
            s.patterns.heads[GROUPS] += 1
    return int(total)


@inner
def _narrow(s: State, g: int) -> None:
    """Star only the columns in which the rows of a group differ."""
    node = s.nodes.first_of_group[g]
    rep, mask = wide(s.nodes.type[node]), 0
    while node != NONE:
        mask |= join(s, rep, wide(s.nodes.type[node]))
        node = s.nodes.next_of_group[node]
    s.patterns.rep[g], s.patterns.mask[g] = rep, mask
    s.patterns.key[g], s.patterns.cost[g] = pattern_key(s, rep, mask), cost_of(s, mask)


@compiled
def deal(s: State, group: np.ndarray, types: np.ndarray, copies: np.ndarray) -> int:
    """Put copies of types into the groups of an empty state; return the cost.

    The arrays are by node; groups come in ascending order and may have gaps.
    """
    g, last = NONE, NONE
    for i in range(len(group)):
        if group[i] != last:
            s.patterns.heads[GROUPS] -= 1
            g, last = wide(s.patterns.free[s.patterns.heads[GROUPS]]), group[i]
        put(s, wide(types[i]), g, copies[i])
    assert s.nodes.free[0] != NONE
    return int(tidy(s))
