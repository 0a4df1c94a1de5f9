"""How far the rows of a pattern are from what the requirement asks."""

from starmin.heuristics.annealing.annealing_state import State, wide
from starmin.instances.loops.compiled import inner


@inner
def lack(s: State, p: int) -> int:
    """Return how many rows, of values not its most frequent, a pattern lacks."""
    if s.held.load[p] == 0:
        return 0
    return (
        int(max(s.k, s.l * s.held.top[p]) - s.held.load[p])
        if s.l > 1
        else s.k - s.held.load[p]
    )


@inner
def spare(s: State, p: int, v: int) -> int:
    """Return how many rows of value v a pattern can give away and stay a group."""
    if s.l == 1:
        return int(s.held.load[p] - s.k)
    top = s.held.top[p]
    if s.held.tally[p, v] == top and s.held.ties[p] == 1:
        top = 0
        for w in range(s.held.tally.shape[1]):
            if w != v and s.held.tally[p, w] > top:
                top = s.held.tally[p, w]
    return int(s.held.load[p] - max(s.k, s.l * top))


@inner
def room(s: State, p: int, v: int) -> int:
    """Return how many rows of value v an open pattern can take and stay a group."""
    if s.l == 1:
        return 1 << 40
    return int((s.held.load[p] - s.l * s.held.tally[p, v]) // (s.l - 1))


@inner
def cheapest_open(s: State, t: int, avoid: int) -> int:
    """Return the cheapest open pattern that can take a row of type t; -1 if none."""
    for i in range(s.patterns.type_starts[t], s.patterns.type_starts[t + 1]):
        p = wide(s.patterns.type_patterns[i])
        if s.held.load[p] > 0 and p != avoid and room(s, p, s.worth.value[t]) > 0:
            return int(p)
    return -1
