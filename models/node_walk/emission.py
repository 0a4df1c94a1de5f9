"""What the walk notes of a pattern that it has found: loops."""

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import inner
from starmin.models.node_walk.node_walk_data import (
    BEGIN,
    CHEAPEST,
    COST,
    END,
    FULL,
    INCIDENCES,
    LEVEL,
    MATCHED,
    NO_ROOM_FOUND,
    PATTERNS,
    NodeWalk,
)
from starmin.models.node_walk.walk_fills import dearest

_AMPLE = 4  # times k rows of a pattern are listed beside those that it leaves little


@inner
def emit(w: NodeWalk, frame: Ints) -> None:
    begin, end, cost = frame[BEGIN], frame[END], frame[COST]
    if w.mode == CHEAPEST:
        for i in range(begin, end):
            t = w.members[i]
            w.prices[t] = min(w.prices[t], cost)
        w.state[LEVEL] -= 1
        return
    number, used = w.state[PATTERNS], w.state[INCIDENCES]
    if used + end - begin > len(w.types) or number == len(w.cost):
        w.state[FULL] = NO_ROOM_FOUND
        return
    size = 0
    if w.mode == MATCHED:
        size = _emit_matched(w, begin, end, cost, used)
    else:
        for i in range(begin, end):
            w.types[used + size] = w.members[i]
            size += 1
    w.starts[number] = used
    w.cost[number] = cost
    w.lows[number] = w.chosen
    w.highs[number] = w.chosen_high
    w.state[PATTERNS] += 1
    w.state[INCIDENCES] += size
    w.state[LEVEL] -= 1


@inner
def _emit_matched(w: NodeWalk, begin: int, end: int, cost: int, used: int) -> int:
    """Lower what is left to members; list these and the dearest ones, which they earn.

    Others that fit matter only where prices become much different.
    """
    _, earned, last = dearest(w, begin, end)
    size, copies = 0, 0
    for i in range(begin, end):
        t = w.members[i]
        left = cost - earned + max(w.prices[t], last)
        if left < w.least[t] or copies < _AMPLE * w.k:
            w.types[used + size] = t
            size += 1
        copies += w.counts[t]
        w.least[t] = min(w.least[t], left)
    return size
