"""Changes of a state: copies of a type are put into a pattern, taken, moved, undone."""

from starmin.heuristics.annealing.annealing_state import FREE, State, wide
from starmin.heuristics.annealing.move_log import note
from starmin.instances.loops.compiled import inner


@inner
def put(s: State, t: int, p: int, copies: int) -> None:
    """Add copies of a type to a pattern.

    Parameters
    ----------
    s
        The state. Updated.
    t
        The row type.
    p
        The pattern.
    copies
        How many copies.
    """
    node = s.first_of_type[t]
    while node >= 0 and s.node_pattern[node] != p:
        node = s.next_of_type[node]
    if node < 0:
        node = s.heads[FREE]
        s.heads[FREE] = s.next_of_type[node]
        s.node_type[node], s.node_pattern[node], s.node_copies[node] = t, p, 0
        s.next_of_type[node] = s.first_of_type[t]
        s.first_of_type[t] = node
        after = s.first_of_pattern[p]
        s.next_of_pattern[node], s.last_of_pattern[node] = after, -1
        if after >= 0:
            s.last_of_pattern[after] = node
        s.first_of_pattern[p] = node
    s.node_copies[node] += copies
    s.load[p] += copies
    if p == len(s.cost):
        return
    s.excess[p] += copies * (s.cost[p] - s.price[t])
    if s.l > 1:
        v = s.value[t]
        s.tally[p, v] += copies
        if s.tally[p, v] > s.top[p]:
            s.top[p], s.ties[p] = s.tally[p, v], 1
        elif s.tally[p, v] == s.top[p]:
            s.ties[p] += 1


@inner
def take(s: State, t: int, p: int, copies: int) -> None:
    """Remove copies of a type from a pattern, which has as many.

    Parameters
    ----------
    s
        The state. Updated.
    t
        The row type.
    p
        The pattern.
    copies
        How many copies.
    """
    node, before = s.first_of_type[t], -1
    while s.node_pattern[node] != p:
        node, before = s.next_of_type[node], node
    s.node_copies[node] -= copies
    s.load[p] -= copies
    if s.node_copies[node] == 0:
        after, ahead = s.next_of_pattern[node], s.last_of_pattern[node]
        if after >= 0:
            s.last_of_pattern[after] = ahead
        if ahead >= 0:
            s.next_of_pattern[ahead] = after
        else:
            s.first_of_pattern[p] = after
        if before >= 0:
            s.next_of_type[before] = s.next_of_type[node]
        else:
            s.first_of_type[t] = s.next_of_type[node]
        s.next_of_type[node] = s.heads[FREE]
        s.heads[FREE] = node
    if p == len(s.cost):
        return
    s.excess[p] -= copies * (s.cost[p] - s.price[t])
    if s.l > 1:
        v = s.value[t]
        was_top = s.tally[p, v] == s.top[p]
        s.tally[p, v] -= copies
        if was_top:
            s.ties[p] -= 1
            if s.ties[p] == 0:
                _find_top(s, p)


@inner
def _find_top(s: State, p: int) -> None:
    """Recount the most copies of one value, and how many values have as many."""
    s.top[p], s.ties[p] = 0, 0
    if s.load[p] == 0:
        return
    for copies in s.tally[p]:
        if copies > s.top[p]:
            s.top[p], s.ties[p] = copies, 1
        elif copies == s.top[p] and copies > 0:
            s.ties[p] += 1


@inner
def shift(s: State, t: int, p: int, q: int, copies: int) -> None:
    """Move copies of a type from pattern p to q, and note it in the log.

    Parameters
    ----------
    s
        The state. Updated.
    t
        The row type.
    p, q
        The patterns that the copies leave, and that they join.
    copies
        How many copies.
    """
    note(s.log, t, p, q, copies)
    take(s, t, p, copies)
    put(s, t, q, copies)


@inner
def take_back(s: State, mark: int) -> None:
    """Undo all moves that were noted since the log had ``mark`` of them."""
    for i in range(s.log.size[0] - 1, mark - 1, -1):
        t = wide(s.log.types[i])
        take(s, t, wide(s.log.targets[i]), s.log.copies[i])
        put(s, t, wide(s.log.sources[i]), s.log.copies[i])
    s.log.size[0] = mark


@inner
def crowded(s: State) -> bool:
    """Check whether the log may lack room for a step, which moves no node twice."""
    return bool(s.log.size[0] + 2 * len(s.node_type) > len(s.log.types))


@inner
def move_row(s: State, t: int, p: int, q: int) -> bool:
    """Move a row of type t from p to q; whether p has one."""
    node = s.first_of_type[t]
    while node >= 0 and s.node_pattern[node] != p:
        node = s.next_of_type[node]
    if node >= 0:
        shift(s, t, p, q, 1)
    return bool(node >= 0)


@inner
def logged_change(s: State) -> int:
    """Return by how much the moves in the log change the cost."""
    change, orphanage = 0, len(s.cost)
    for i in range(s.log.size[0]):
        p, q = s.log.sources[i], s.log.targets[i]
        change -= s.log.copies[i] * s.cost[p] if p != orphanage else 0
        change += s.log.copies[i] * s.cost[q] if q != orphanage else 0
    return int(change)


@inner
def leaves_release(s: State) -> bool:
    """Check that no row lacks a place, and patterns in the log have k rows or none."""
    for i in range(s.log.size[0]):
        p, q = s.log.sources[i], s.log.targets[i]
        if 0 < s.load[p] < s.k or 0 < s.load[q] < s.k:
            return False
    return bool(s.load[len(s.cost)] == 0)
