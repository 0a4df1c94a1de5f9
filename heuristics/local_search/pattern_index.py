"""The index of patterns: groups are found by the pattern that they are published as."""

import numpy as np

from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.local_search.local_changes import put, room, take
from starmin.heuristics.local_search.local_search_state import (
    GROUPS,
    MASKS,
    NODES,
    NONE,
    State,
)
from starmin.instances.loops.compiled import compiled, inner

# A hash constant: the odd fraction of the golden ratio, in 61 bits.
_ODD = 0x1E3779B97F4A7C15


@inner
def cost_of(s: State, mask: int) -> int:
    """Return what a row costs under a mask."""
    if s.once:
        return 1 if mask else 0
    total = 0
    for j in range(len(s.weights)):
        if mask >> j & 1:
            total += s.weights[j]
    return total


@inner
def join(s: State, t: int, u: int) -> int:
    """Return the mask of the columns in which two types differ."""
    mask = 0
    for j in range(s.codes.shape[1]):
        if s.codes[t, j] != s.codes[u, j]:
            mask |= 1 << j
    return mask


@inner
def fits(s: State, t: int, g: int) -> bool:
    """Check whether the pattern of a group matches a type."""
    mask, rep = s.mask[g], s.rep[g]
    for j in range(s.codes.shape[1]):
        if not mask >> j & 1 and s.codes[t, j] != s.codes[rep, j]:
            return False
    return True


@inner
def pattern_key(s: State, t: int, mask: int) -> int:
    """Return a number that equal patterns share."""
    key = mask * _ODD
    for j in range(s.codes.shape[1]):
        if not mask >> j & 1:
            key += s.salt[s.places[j] + s.codes[t, j]]
    return int(key ^ (key >> 29))


@inner
def _place(s: State, t: int, mask: int, key: int) -> int:
    """Return where in the lookup the group of a pattern is, or would be."""
    last = len(s.lookup) - 1
    at = key & last
    while s.lookup[at] != NONE:
        g = wide(s.lookup[at])
        if s.key[g] == key and s.mask[g] == mask and fits(s, t, g):
            break
        at = (at + 1) & last
    return int(at)


@inner
def find(s: State, t: int, mask: int) -> int:
    """Return the group whose pattern is that of type t under ``mask``, or -1."""
    return int(s.lookup[_place(s, t, mask, pattern_key(s, t, mask))])


@inner
def group_at(s: State, t: int, mask: int) -> int:
    """Return the group of type t under ``mask``, made if need be; -1 if none can be."""
    key = pattern_key(s, t, mask)
    at = _place(s, t, mask, key)
    if s.lookup[at] != NONE or s.heads[GROUPS] == 0:
        return int(s.lookup[at])
    s.heads[GROUPS] -= 1
    g = s.free_groups[s.heads[GROUPS]]
    s.mask[g], s.rep[g], s.key[g], s.cost[g] = mask, t, key, cost_of(s, mask)
    s.lookup[at] = g
    _note_mask(s, mask, s.cost[g])
    return int(g)


@inner
def _note_mask(s: State, mask: int, cost: int) -> None:
    """Add a mask to those in use, the cheapest first."""
    count = s.heads[MASKS]
    for i in range(count):
        if s.masks[i] == mask:
            return
    if count == len(s.masks):
        return
    at = count
    while at > 0 and cost_of(s, s.masks[at - 1]) > cost:
        s.masks[at] = s.masks[at - 1]
        at -= 1
    s.masks[at] = mask
    s.heads[MASKS] = count + 1


@inner
def cheapest_open(s: State, t: int, avoid: int) -> int:
    """Return the cheapest open group that can take a row of type t; -1 if none."""
    for i in range(s.heads[MASKS]):
        g = find(s, t, s.masks[i])
        if g == NONE or s.load[g] == 0 or s.locked[g]:
            continue
        if g != avoid and room(s, g, s.value[t]) > 0:
            return int(g)
    return NONE


@compiled
def tidy(s: State) -> int:
    """Narrow all patterns to their rows, join groups with the same one, free others.

    Forgets the log and all locks. Returns the cost.
    """
    s.lookup[:] = NONE
    s.heads[GROUPS] = s.heads[MASKS] = s.log.size[0] = 0
    s.locked[:] = False
    total = 0
    for g in range(len(s.load)):
        if s.load[g] > 0:
            _narrow(s, g)
            total += s.load[g] * s.cost[g]
            at = _place(s, wide(s.rep[g]), s.mask[g], s.key[g])
            if s.lookup[at] == NONE:
                s.lookup[at] = g
                _note_mask(s, s.mask[g], s.cost[g])
            else:
                _move_all(s, g, wide(s.lookup[at]))
        if s.load[g] == 0:
            s.free_groups[s.heads[GROUPS]] = g
            s.heads[GROUPS] += 1
    return int(total)


@inner
def _narrow(s: State, g: int) -> None:
    """Star only the columns in which the rows of a group differ."""
    node = s.first_of_group[g]
    rep, mask = wide(s.node_type[node]), 0
    while node != NONE:
        mask |= join(s, rep, wide(s.node_type[node]))
        node = s.next_of_group[node]
    s.rep[g], s.mask[g] = rep, mask
    s.key[g], s.cost[g] = pattern_key(s, rep, mask), cost_of(s, mask)


@inner
def _move_all(s: State, g: int, h: int) -> None:
    """Move all rows of g to h, without a note in the log."""
    while s.first_of_group[g] != NONE:
        node = s.first_of_group[g]
        t, copies = wide(s.node_type[node]), s.node_copies[node]
        take(s, t, g, copies)
        put(s, t, h, copies)


@compiled
def deal(s: State, group: np.ndarray, types: np.ndarray, copies: np.ndarray) -> int:
    """Put copies of types into the groups of an empty state; return the cost.

    Parameters
    ----------
    s
        The state. Updated.
    group, types, copies
        The group, the type and the number of copies of each node. The groups come in
        ascending order and need not be without gaps.
    """
    g, last = NONE, NONE
    for i in range(len(group)):
        if group[i] != last:
            s.heads[GROUPS] -= 1
            g, last = wide(s.free_groups[s.heads[GROUPS]]), group[i]
        put(s, wide(types[i]), g, copies[i])
    assert s.heads[NODES] != NONE
    return int(tidy(s))
