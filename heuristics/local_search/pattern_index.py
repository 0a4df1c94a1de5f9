"""The index of patterns: groups are found by the pattern that they are published as."""

import numpy as np

from starmin.heuristics.annealing.dealt_rows import NONE, move_all, put, room, wide
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
    mask, rep = s.groups.mask[g], s.groups.rep[g]
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
    last = len(s.groups.lookup) - 1
    at = key & last
    while s.groups.lookup[at] != NONE:
        g = wide(s.groups.lookup[at])
        if s.groups.key[g] == key and s.groups.mask[g] == mask and fits(s, t, g):
            break
        at = (at + 1) & last
    return int(at)


@inner
def find(s: State, t: int, mask: int) -> int:
    """Return the group whose pattern is that of type t under ``mask``, or -1."""
    return int(s.groups.lookup[_place(s, t, mask, pattern_key(s, t, mask))])


@inner
def group_at(s: State, t: int, mask: int) -> int:
    """Return the group of type t under ``mask``, made if need be; -1 if none can be."""
    key = pattern_key(s, t, mask)
    at = _place(s, t, mask, key)
    if s.groups.lookup[at] != NONE or s.groups.heads[GROUPS] == 0:
        return int(s.groups.lookup[at])
    s.groups.heads[GROUPS] -= 1
    g = s.groups.free[s.groups.heads[GROUPS]]
    s.groups.mask[g], s.groups.rep[g], s.groups.key[g] = mask, t, key
    s.cost[g] = cost_of(s, mask)
    s.groups.lookup[at] = g
    _note_mask(s, mask, s.cost[g])
    return int(g)


@inner
def _note_mask(s: State, mask: int, cost: int) -> None:
    """Add a mask to those in use, the cheapest first."""
    count = s.groups.heads[MASKS]
    for i in range(count):
        if s.groups.masks[i] == mask:
            return
    if count == len(s.groups.masks):
        return
    at = count
    while at > 0 and cost_of(s, s.groups.masks[at - 1]) > cost:
        s.groups.masks[at] = s.groups.masks[at - 1]
        at -= 1
    s.groups.masks[at] = mask
    s.groups.heads[MASKS] = count + 1


@inner
def cheapest_open(s: State, t: int, avoid: int) -> int:
    """Return the cheapest open group that can take a row of type t; -1 if none."""
    for i in range(s.groups.heads[MASKS]):
        g = find(s, t, s.groups.masks[i])
        if g == NONE or s.held.load[g] == 0 or s.groups.locked[g]:
            continue
        if g != avoid and room(s, g, s.worth.value[t]) > 0:
            return int(g)
    return NONE


@compiled
def tidy(s: State) -> int:
    """Narrow patterns to their rows, join those alike, forget the log; return costs."""
    s.groups.lookup[:] = NONE
    s.groups.heads[GROUPS] = s.groups.heads[MASKS] = s.log.size[0] = 0
    s.groups.locked[:] = False
    total = 0
    for g in range(len(s.held.load)):
        if s.held.load[g] > 0:
            _narrow(s, g)
            total += s.held.load[g] * s.cost[g]
            at = _place(s, wide(s.groups.rep[g]), s.groups.mask[g], s.groups.key[g])
            if s.groups.lookup[at] == NONE:
                s.groups.lookup[at] = g
                _note_mask(s, s.groups.mask[g], s.cost[g])
            else:
                move_all(s, g, wide(s.groups.lookup[at]))
                s.log.size[0] = 0
        if s.held.load[g] == 0:
            s.groups.free[s.groups.heads[GROUPS]] = g
            s.groups.heads[GROUPS] += 1
    return int(total)


@inner
def _narrow(s: State, g: int) -> None:
    """Star only the columns in which the rows of a group differ."""
    node = s.nodes.first_of_group[g]
    rep, mask = wide(s.nodes.type[node]), 0
    while node != NONE:
        mask |= join(s, rep, wide(s.nodes.type[node]))
        node = s.nodes.next_of_group[node]
    s.groups.rep[g], s.groups.mask[g] = rep, mask
    s.groups.key[g], s.cost[g] = pattern_key(s, rep, mask), cost_of(s, mask)


@compiled
def deal(s: State, group: np.ndarray, types: np.ndarray, copies: np.ndarray) -> int:
    """Put copies of types into the groups of an empty state; return the cost.

    The arrays are by node; groups come in ascending order and may have gaps.
    """
    g, last = NONE, NONE
    for i in range(len(group)):
        if group[i] != last:
            s.groups.heads[GROUPS] -= 1
            g, last = wide(s.groups.free[s.groups.heads[GROUPS]]), group[i]
        put(s, wide(types[i]), g, copies[i])
    assert s.nodes.free[0] != NONE
    return int(tidy(s))
