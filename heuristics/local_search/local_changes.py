"""Changes of a state: copies of a type are put into a group, taken, moved, undone."""

from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.dealt_rows.move_log import note
from starmin.heuristics.dealt_rows.nodes import add, remove
from starmin.heuristics.local_search.local_search_state import State
from starmin.instances.loops.compiled import compiled, inner


@inner
def put(s: State, t: int, g: int, copies: int) -> None:
    """Add copies of row type ``t`` to group ``g``; ``s`` is updated."""
    s.held.width[g] += add(s.nodes, t, g, copies)
    s.held.load[g] += copies
    if s.l > 1:
        s.held.tally[g, s.types.value[t]] += copies


@inner
def take(s: State, t: int, g: int, copies: int) -> None:
    """Remove copies of type ``t`` from group ``g``, which has as many.

    ``s`` is updated.
    """
    s.held.width[g] -= remove(s.nodes, t, g, copies)
    s.held.load[g] -= copies
    if s.l > 1:
        s.held.tally[g, s.types.value[t]] -= copies


@inner
def shift(s: State, t: int, g: int, h: int, copies: int) -> int:
    """Move copies of a type from group g to h, note it; return the change in cost.

    ``s`` is updated.
    """
    note(s.log, t, g, h, copies)
    take(s, t, g, copies)
    put(s, t, h, copies)
    return int(copies * (s.groups.cost[h] - s.groups.cost[g]))


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
def lack(s: State, g: int) -> int:
    """Return how many rows, of values not its most frequent, a group lacks."""
    if s.held.load[g] == 0:
        return 0
    least = s.k if s.l == 1 else max(s.k, s.l * s.held.tally[g].max())
    return int(max(0, least - s.held.load[g]))


@inner
def room(s: State, g: int, v: int) -> int:
    """Return how many rows of value v a group can take."""
    if s.l == 1:
        return 1 << 40
    return int((s.held.load[g] - s.l * s.held.tally[g, v]) // (s.l - 1))
