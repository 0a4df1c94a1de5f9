"""Changes of a state: copies of a type are put into a pattern, taken, moved, undone."""

from starmin.heuristics.annealing.annealing_state import State, wide
from starmin.heuristics.dealt_rows.move_log import note
from starmin.heuristics.dealt_rows.nodes import add, copies_at, remove
from starmin.instances.loops.compiled import inner


@inner
def put(s: State, t: int, p: int, copies: int) -> None:
    """Add copies of row type ``t`` to pattern ``p``; ``s`` is updated."""
    add(s.nodes, t, p, copies)
    s.held.load[p] += copies
    if p == len(s.patterns.cost):
        return
    s.held.excess[p] += copies * (s.patterns.cost[p] - s.worth.price[t])
    if s.l > 1:
        v = s.worth.value[t]
        s.held.tally[p, v] += copies
        if s.held.tally[p, v] > s.held.top[p]:
            s.held.top[p], s.held.ties[p] = s.held.tally[p, v], 1
        elif s.held.tally[p, v] == s.held.top[p]:
            s.held.ties[p] += 1


@inner
def take(s: State, t: int, p: int, copies: int) -> None:
    """Remove copies of type ``t`` from pattern ``p``, which has as many.

    ``s`` is updated.
    """
    remove(s.nodes, t, p, copies)
    s.held.load[p] -= copies
    if p == len(s.patterns.cost):
        return
    s.held.excess[p] -= copies * (s.patterns.cost[p] - s.worth.price[t])
    if s.l > 1:
        v = s.worth.value[t]
        was_top = s.held.tally[p, v] == s.held.top[p]
        s.held.tally[p, v] -= copies
        if was_top:
            s.held.ties[p] -= 1
            if s.held.ties[p] == 0:
                _find_top(s, p)


@inner
def _find_top(s: State, p: int) -> None:
    """Recount the most copies of one value, and how many values have as many."""
    s.held.top[p], s.held.ties[p] = 0, 0
    if s.held.load[p] == 0:
        return
    for copies in s.held.tally[p]:
        if copies > s.held.top[p]:
            s.held.top[p], s.held.ties[p] = copies, 1
        elif copies == s.held.top[p] and copies > 0:
            s.held.ties[p] += 1


@inner
def shift(s: State, t: int, p: int, q: int, copies: int) -> None:
    """Move copies of a type from pattern p to q, and note it in the log.

    ``s`` is updated.
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
    return bool(s.log.size[0] + 2 * len(s.nodes.type) > len(s.log.types))


@inner
def move_row(s: State, t: int, p: int, q: int) -> bool:
    """Move a row of type t from p to q; whether p has one."""
    has = copies_at(s.nodes, t, p) > 0
    if has:
        shift(s, t, p, q, 1)
    return bool(has)


@inner
def logged_change(s: State) -> int:
    """Return by how much the moves in the log change the cost."""
    change, orphanage = 0, len(s.patterns.cost)
    for i in range(s.log.size[0]):
        p, q = s.log.sources[i], s.log.targets[i]
        change -= s.log.copies[i] * s.patterns.cost[p] if p != orphanage else 0
        change += s.log.copies[i] * s.patterns.cost[q] if q != orphanage else 0
    return int(change)


@inner
def leaves_release(s: State) -> bool:
    """Check that no row lacks a place, and patterns in the log have k rows or none."""
    for i in range(s.log.size[0]):
        p, q = s.log.sources[i], s.log.targets[i]
        if 0 < s.held.load[p] < s.k or 0 < s.held.load[q] < s.k:
            return False
    return bool(s.held.load[len(s.patterns.cost)] == 0)
