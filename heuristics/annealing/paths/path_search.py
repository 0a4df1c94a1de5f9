"""Find the cheapest alternating path by which a row without a pattern gets a place."""

from starmin.heuristics.annealing.annealing_state import NONE, State, wide
from starmin.heuristics.annealing.paths.path_labels import (
    AT,
    JOINED,
    QUEUED,
    SEARCH,
    SOURCE,
    TAKEN,
    Labels,
    on_path,
)
from starmin.heuristics.annealing.paths.queue import ROUNDING, next_label, push
from starmin.instances.loops.compiled import inner


@inner
def find_path(
    s: State, w: Labels, root: int, budget: float, slack: float, steps: int
) -> bool:
    """Find a path for an orphan of a type; it is left in the labels.

    From the orphan, of type ``root``, on, a row without a pattern either joins an open
    pattern, or opens one together with a row that its pattern can spare or with another
    orphan: the path ends. Or it opens one with a row of a pair, or takes the place of a
    row of a pair: that breaks the pair up, and its other row goes on (the alternating
    paths of matchings). At good prices hardly any step costs much less than nothing, so
    the nearest label is the next to go on from (Dijkstra), from ``steps`` labels at
    most.

    The path may add ``budget`` to the cost, less the price of the orphan, and patterns
    may exceed that by ``slack`` which are looked at in vain: a row may pay more than
    its price where its partner pays less. ``w`` is updated. Returns whether there is a
    path.
    """
    w.heads[SEARCH] += 1
    w.heads[QUEUED] = 0
    best, at, exposed, distance = budget, len(s.patterns.cost), root, 0.0
    for _ in range(steps):
        best = _expand(s, w, root, at, exposed, distance, best, slack)
        at = next_label(w, best)
        if at < 0:
            break
        exposed, distance = wide(w.exposed[at]), w.distance[at]
    return best < budget


@inner
def _expand(
    s: State,
    w: Labels,
    root: int,
    at: int,
    exposed: int,
    distance: float,
    best: float,
    slack: float,
) -> float:
    """Try each pattern for the exposed row of a label; return the least distance."""
    for i in range(
        s.patterns.type_starts[exposed], s.patterns.type_starts[exposed + 1]
    ):
        q = wide(s.patterns.type_patterns[i])
        paid = distance + s.patterns.cost[q] - s.worth.price[exposed]
        if paid > best + 2 * slack:
            break
        if s.held.load[q] == 0:
            if paid + s.patterns.cost[q] - w.highest[q] <= best + slack:
                best = _open(s, w, root, at, q, paid, best, slack)
        elif not on_path(w, q, at):
            if paid < best:
                best = paid
                _end(w, at, q, int(NONE), int(NONE))
            if s.held.load[q] == 2:
                _displace(s, w, at, exposed, q, distance, best)
    return best


@inner
def _displace(
    s: State, w: Labels, at: int, exposed: int, q: int, distance: float, best: float
) -> None:
    """Label the pair of q, where one of its rows may give its place to the exposed."""
    node = s.nodes.first_of_group[q]
    while node >= 0:
        t = wide(s.nodes.type[node])
        reached = distance - s.worth.price[exposed] + s.worth.price[t]
        if t != exposed and reached < best:
            _label(w, q, reached, at, q, int(NONE), t)
        node = s.nodes.next_of_group[node]


@inner
def _open(
    s: State,
    w: Labels,
    root: int,
    at: int,
    q: int,
    paid: float,
    best: float,
    slack: float,
) -> float:
    """Open q with one more row, from any pattern; return the least distance."""
    orphanage = len(s.patterns.cost)
    for i in range(s.patterns.starts[q], s.patterns.starts[q + 1]):
        t = wide(w.by_price[i])
        both = paid + s.patterns.cost[q] - s.worth.price[t]
        if both > best + slack:
            break
        node = s.nodes.first_of_type[t]
        while node >= 0:
            p, copies = wide(s.nodes.group[node]), s.nodes.copies[node]
            node = s.nodes.next_of_type[node]
            if p == orphanage:
                if both < best and (t != root or copies > 1):
                    best = both
                    _end(w, at, q, t, p)
                continue
            reached = both - s.patterns.cost[p] + s.worth.price[t]
            if s.held.load[p] > 2:
                if reached < best and not on_path(w, p, at):
                    best = reached
                    _end(w, at, q, t, p)
                continue
            mate = _mate(s, p, t)
            reached += s.worth.price[mate] - s.patterns.cost[p]
            if reached < best and not on_path(w, p, at):
                _label(w, p, reached, at, q, t, mate)
    return best


@inner
def _mate(s: State, p: int, t: int) -> int:
    """Return the type that is in p together with a row of type t."""
    node = s.nodes.first_of_group[p]
    if s.nodes.type[node] == t and s.nodes.copies[node] == 1:
        node = s.nodes.next_of_group[node]
    return int(s.nodes.type[node])


@inner
def _end(w: Labels, at: int, q: int, taken: int, source: int) -> None:
    """Note where the best path ends."""
    w.end[AT], w.end[JOINED], w.end[TAKEN], w.end[SOURCE] = at, q, taken, source


@inner
def _label(
    w: Labels, p: int, distance: float, at: int, q: int, taken: int, exposed: int
) -> None:
    """Label p, where that is nearer than before; a label that is done stays."""
    search = w.heads[SEARCH]
    nearer = distance < w.distance[p] - ROUNDING
    if w.reached[p] == search and (w.done[p] == search or not nearer):
        return
    w.reached[p], w.distance[p], w.parent[p] = search, distance, at
    w.joined[p], w.taken[p], w.exposed[p] = q, taken, exposed
    push(w, distance, p)
