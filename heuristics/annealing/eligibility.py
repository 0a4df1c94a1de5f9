"""How far the rows of a pattern are from what the requirement asks."""

from starmin.heuristics.annealing.annealing_state import State, wide
from starmin.instances.loops.compiled import inner


@inner
def lack(s: State, p: int) -> int:
    """Return how many rows, of values not its most frequent, a pattern lacks."""
    if s.load[p] == 0:
        return 0
    return int(max(s.k, s.l * s.top[p]) - s.load[p]) if s.l > 1 else s.k - s.load[p]


@inner
def spare(s: State, p: int, v: int) -> int:
    """Return how many rows of value v a pattern can give away and stay a group."""
    if s.l == 1:
        return int(s.load[p] - s.k)
    top = s.top[p]
    if s.tally[p, v] == top and s.ties[p] == 1:
        top = 0
        for w in range(s.tally.shape[1]):
            if w != v and s.tally[p, w] > top:
                top = s.tally[p, w]
    return int(s.load[p] - max(s.k, s.l * top))


@inner
def room(s: State, p: int, v: int) -> int:
    """Return how many rows of value v an open pattern can take and stay a group."""
    if s.l == 1:
        return 1 << 40
    return int((s.load[p] - s.l * s.tally[p, v]) // (s.l - 1))


@inner
def cheapest_open(s: State, t: int, avoid: int) -> int:
    """Return the cheapest open pattern that can take a row of type t; -1 if none."""
    for i in range(s.type_starts[t], s.type_starts[t + 1]):
        p = wide(s.type_patterns[i])
        if s.load[p] > 0 and p != avoid and room(s, p, s.value[t]) > 0:
            return int(p)
    return -1


@inner
def copies_in(s: State, t: int, p: int) -> int:
    """Return how many copies of type t are in pattern p."""
    node = s.first_of_type[t]
    while node >= 0 and s.node_pattern[node] != p:
        node = s.next_of_type[node]
    return int(s.node_copies[node]) if node >= 0 else 0
