"""Orphans, rows that lost their pattern in a move, find places in other patterns."""

import numpy as np

from starmin.heuristics.annealing.annealing_changes import crowded, shift, take_back
from starmin.heuristics.annealing.annealing_state import NONE, State, wide
from starmin.heuristics.annealing.eligibility import cheapest_open, lack, room
from starmin.heuristics.annealing.repair import NEVER, ORPHANS, fill
from starmin.instances.loops.compiled import inner


@inner
def place_orphans(s: State, budget: float) -> int:
    """Open patterns for orphans while that pays, then send the rest to open patterns.

    Returns the change in cost; NEVER where it exceeds ``budget`` or rows are left over.
    """
    orphanage = len(s.cost)
    touched, change = _count_orphans(s)
    best, width = 0, max(s.params.width, s.params.rows_tried // max(s.k, s.l))
    while best >= 0 and s.first_of_pattern[orphanage] >= 0 and not crowded(s):
        best, gain = int(NONE), 0
        for _ in range(width):
            q = _most_gain(s, touched)
            if q < 0 or (s.gain[q] <= gain and s.number[q] >= s.k):
                break
            s.gain[q] = -s.gain[q]
            if np.random.random() < s.params.skipped:
                continue
            mark = s.log.size[0]
            found = -fill(s, q, int(ORPHANS), 0.0)
            if found > gain and lack(s, q) <= 0:
                best, gain = q, found
            take_back(s, mark)
        for i in range(touched):
            s.gain[s.touched[i]] = abs(s.gain[s.touched[i]])
        if best >= 0:
            mark = s.log.size[0]
            change += fill(s, best, int(ORPHANS), 0.0)
            for i in range(mark, s.log.size[0]):
                if s.log.sources[i] == orphanage:
                    _count(s, wide(s.log.types[i]), -s.log.copies[i], touched)
            s.number[best] = 0
    for i in range(touched):
        s.number[s.touched[i]] = s.gain[s.touched[i]] = 0
    while s.first_of_pattern[orphanage] >= 0:
        if change > budget or crowded(s):
            return NEVER
        node = s.first_of_pattern[orphanage]
        t = wide(s.node_type[node])
        p = cheapest_open(s, t, int(NONE))
        if p < 0:
            return NEVER
        copies = min(s.node_copies[node], room(s, p, s.value[t]))
        change += copies * (s.cost[p] - s.fall[t])
        shift(s, t, orphanage, p, copies)
    return int(change)


@inner
def _count_orphans(s: State) -> tuple[int, int]:
    """Count for each closed pattern what the orphans would gain in it.

    Returns
    -------
    touched, pay
        How many patterns are listed in ``s.touched``, and what all orphans pay in the
        cheapest open patterns.
    """
    touched, pay, node = np.int64(0), 0, s.first_of_pattern[len(s.cost)]
    while node >= 0:
        t, copies = wide(s.node_type[node]), s.node_copies[node]
        p = cheapest_open(s, t, int(NONE))
        last = s.type_patterns[s.type_starts[t + 1] - 1]
        s.fall[t] = s.cost[p] if p >= 0 else s.cost[last] + 1
        pay += copies * s.fall[t]
        touched = _count(s, t, copies, touched)
        node = s.next_of_pattern[node]
    return int(touched), pay


@inner
def _count(s: State, t: int, copies: int, touched: int) -> int:
    """Add the gain of copies of t in closed patterns; return how many are listed."""
    for i in range(s.type_starts[t], s.type_starts[t + 1]):
        p = wide(s.type_patterns[i])
        if s.cost[p] >= s.fall[t]:
            break
        if s.load[p] > 0 or s.mark[p]:
            continue
        if s.number[p] == 0 and copies > 0:
            s.touched[touched] = p
            touched += 1
        s.number[p] += copies
        s.gain[p] += copies * (s.fall[t] - s.cost[p])
    return touched


@inner
def _most_gain(s: State, touched: int) -> int:
    """Return the listed pattern in which orphans gain most, or -1."""
    chosen, most = int(NONE), 0
    for i in range(touched):
        p = wide(s.touched[i])
        if s.number[p] > 0 and s.gain[p] > most:
            chosen, most = p, s.gain[p]
    return chosen
