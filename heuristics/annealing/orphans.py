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
    orphanage = len(s.patterns.cost)
    touched, change = _count_orphans(s)
    best, width = 0, max(s.params.width, s.params.rows_tried // max(s.k, s.l))
    while best >= 0 and s.nodes.first_of_group[orphanage] >= 0 and not crowded(s):
        best, gain = int(NONE), 0
        for _ in range(width):
            q = _most_gain(s, touched)
            if q < 0 or (s.scratch.gain[q] <= gain and s.scratch.number[q] >= s.k):
                break
            s.scratch.gain[q] = -s.scratch.gain[q]
            if np.random.random() < s.params.skipped:
                continue
            mark = s.log.size[0]
            found = -fill(s, q, int(ORPHANS), 0.0)
            if found > gain and lack(s, q) <= 0:
                best, gain = q, found
            take_back(s, mark)
        for i in range(touched):
            s.scratch.gain[s.scratch.touched[i]] = abs(
                s.scratch.gain[s.scratch.touched[i]]
            )
        if best >= 0:
            mark = s.log.size[0]
            change += fill(s, best, int(ORPHANS), 0.0)
            for i in range(mark, s.log.size[0]):
                if s.log.sources[i] == orphanage:
                    _count(s, wide(s.log.types[i]), -s.log.copies[i], touched)
            s.scratch.number[best] = 0
    for i in range(touched):
        s.scratch.number[s.scratch.touched[i]] = s.scratch.gain[
            s.scratch.touched[i]
        ] = 0
    while s.nodes.first_of_group[orphanage] >= 0:
        if change > budget or crowded(s):
            return NEVER
        node = s.nodes.first_of_group[orphanage]
        t = wide(s.nodes.type[node])
        p = cheapest_open(s, t, int(NONE))
        if p < 0:
            return NEVER
        copies = min(s.nodes.copies[node], room(s, p, s.worth.value[t]))
        change += copies * (s.patterns.cost[p] - s.scratch.fall[t])
        shift(s, t, orphanage, p, copies)
    return int(change)


@inner
def _count_orphans(s: State) -> tuple[int, int]:
    """Count for each closed pattern what the orphans would gain in it.

    Returns how many patterns are listed in ``touched`` of the scratch, and what all
    orphans pay in the cheapest open patterns.
    """
    touched, pay, node = np.int64(0), 0, s.nodes.first_of_group[len(s.patterns.cost)]
    while node >= 0:
        t, copies = wide(s.nodes.type[node]), s.nodes.copies[node]
        p = cheapest_open(s, t, int(NONE))
        last = s.patterns.type_patterns[s.patterns.type_starts[t + 1] - 1]
        s.scratch.fall[t] = s.patterns.cost[p] if p >= 0 else s.patterns.cost[last] + 1
        pay += copies * s.scratch.fall[t]
        touched = _count(s, t, copies, touched)
        node = s.nodes.next_of_group[node]
    return int(touched), pay


@inner
def _count(s: State, t: int, copies: int, touched: int) -> int:
    """Add the gain of copies of t in closed patterns; return how many are listed."""
    for i in range(s.patterns.type_starts[t], s.patterns.type_starts[t + 1]):
        p = wide(s.patterns.type_patterns[i])
        if s.patterns.cost[p] >= s.scratch.fall[t]:
            break
        if s.held.load[p] > 0 or s.scratch.mark[p]:
            continue
        if s.scratch.number[p] == 0 and copies > 0:
            s.scratch.touched[touched] = p
            touched += 1
        s.scratch.number[p] += copies
        s.scratch.gain[p] += copies * (s.scratch.fall[t] - s.patterns.cost[p])
    return touched


@inner
def _most_gain(s: State, touched: int) -> int:
    """Return the listed pattern in which orphans gain most, or -1."""
    chosen, most = int(NONE), 0
    for i in range(touched):
        p = wide(s.scratch.touched[i])
        if s.scratch.number[p] > 0 and s.scratch.gain[p] > most:
            chosen, most = p, s.scratch.gain[p]
    return chosen
