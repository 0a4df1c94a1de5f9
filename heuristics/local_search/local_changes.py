"""Changes of a state: copies of a type are put into a group, taken, moved, undone."""

from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.annealing.move_log import note
from starmin.heuristics.local_search.local_search_state import NODES, NONE, State
from starmin.instances.loops.compiled import compiled, inner


@inner
def put(s: State, t: int, g: int, copies: int) -> None:
    """Add copies of a type to a group.

    Parameters
    ----------
    s
        The state. Updated.
    t
        The row type.
    g
        The group.
    copies
        How many copies.
    """
    node = s.first_of_type[t]
    while node != NONE and s.node_group[node] != g:
        node = s.next_of_type[node]
    if node == NONE:
        node = s.heads[NODES]
        s.heads[NODES] = s.next_of_type[node]
        s.node_type[node], s.node_group[node] = t, g
        s.next_of_type[node] = s.first_of_type[t]
        s.first_of_type[t] = node
        after = s.first_of_group[g]
        s.next_of_group[node], s.last_of_group[node] = after, NONE
        if after != NONE:
            s.last_of_group[after] = node
        s.first_of_group[g] = node
        s.width[g] += 1
    s.node_copies[node] += copies
    s.load[g] += copies
    if s.l > 1:
        s.tally[g, s.value[t]] += copies


@inner
def take(s: State, t: int, g: int, copies: int) -> None:
    """Remove copies of a type from a group, which has as many.

    Parameters
    ----------
    s
        The state. Updated.
    t
        The row type.
    g
        The group.
    copies
        How many copies.
    """
    node, before = s.first_of_type[t], NONE
    while s.node_group[node] != g:
        node, before = s.next_of_type[node], node
    s.node_copies[node] -= copies
    s.load[g] -= copies
    if s.l > 1:
        s.tally[g, s.value[t]] -= copies
    if s.node_copies[node] > 0:
        return
    after, ahead = s.next_of_group[node], s.last_of_group[node]
    if after != NONE:
        s.last_of_group[after] = ahead
    if ahead != NONE:
        s.next_of_group[ahead] = after
    else:
        s.first_of_group[g] = after
    if before != NONE:
        s.next_of_type[before] = s.next_of_type[node]
    else:
        s.first_of_type[t] = s.next_of_type[node]
    s.next_of_type[node] = s.heads[NODES]
    s.heads[NODES] = node
    s.width[g] -= 1


@inner
def shift(s: State, t: int, g: int, h: int, copies: int) -> int:
    """Move copies of a type from group g to h, note it; return the change in cost.

    Parameters
    ----------
    s
        The state. Updated.
    t
        The row type.
    g, h
        The groups that the copies leave, and that they join.
    copies
        How many copies.
    """
    note(s.log, t, g, h, copies)
    take(s, t, g, copies)
    put(s, t, h, copies)
    return int(copies * (s.cost[h] - s.cost[g]))


@inner
def take_back(s: State, mark: int) -> None:
    """Undo all moves that were noted since the log had ``mark`` of them."""
    undo(s, mark, s.log.size[0])
    s.log.size[0] = mark


@compiled
def undo(s: State, low: int, high: int) -> None:
    """Undo the moves from ``low`` up to ``high`` of the log, the last one first."""
    for i in range(high - 1, low - 1, -1):
        t = wide(s.log.types[i])
        take(s, t, wide(s.log.targets[i]), s.log.copies[i])
        put(s, t, wide(s.log.sources[i]), s.log.copies[i])


@inner
def held(s: State, t: int, g: int) -> int:
    """Return how many copies of a type are in a group."""
    node = s.first_of_type[t]
    while node != NONE and s.node_group[node] != g:
        node = s.next_of_type[node]
    return 0 if node == NONE else int(s.node_copies[node])


@inner
def lack(s: State, g: int) -> int:
    """Return how many rows, of values not its most frequent, a group lacks."""
    if s.load[g] == 0:
        return 0
    least = s.k if s.l == 1 else max(s.k, s.l * s.tally[g].max())
    return int(max(0, least - s.load[g]))


@inner
def room(s: State, g: int, v: int) -> int:
    """Return how many rows of value v a group can take."""
    if s.l == 1:
        return 1 << 40
    return int((s.load[g] - s.l * s.tally[g, v]) // (s.l - 1))
