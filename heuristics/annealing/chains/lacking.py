"""Steps from a pattern that lacks a row: it is filled, its rows move, or they part."""

from starmin.heuristics.annealing.annealing_state import NONE, State, wide
from starmin.heuristics.annealing.chains.chain_labels import (
    FILL,
    SCATTER,
    SOURCE,
    TAKEN,
    ChainLabels,
    on_chain,
)
from starmin.heuristics.annealing.chains.chain_steps import fits, label, set_end
from starmin.instances.loops.compiled import inner


@inner
def fill_lacking(
    s: State,
    w: ChainLabels,
    at: int,
    p: int,
    who: int,
    avoid: int,
    distance: float,
    best: float,
    slack: float,
) -> float:
    """Try each way on for the rows of a pattern; return the least distance of an end.

    They stay, or open another pattern that all of them fit, with one more row of any
    pattern; or they part and join open patterns. ``s`` and ``w`` are updated.

    ``at`` is the label of pattern ``p``, ``who`` the type of the row that has left it:
    -1 where the state says so itself. An orphan of type ``avoid`` must not come back to
    ``p``; -1 for none. ``distance`` and ``best`` are of the label, and of the best end
    so far; patterns may exceed the latter by ``slack`` which are looked at in vain.
    """
    rows, worth, rarest, apart = 0, 0.0, int(NONE), distance
    node = s.nodes.first_of_group[p]
    while node >= 0:
        t = wide(s.nodes.type[node])
        copies = s.nodes.copies[node] - (1 if t == who else 0)
        node = s.nodes.next_of_group[node]
        if copies == 0:
            continue
        rows += copies
        worth += copies * s.worth.price[t]
        if rarest < 0 or _patterns(s, t) < _patterns(s, rarest):
            rarest = t
        q = _cheapest(s, w, t, p, at)
        apart += copies * (s.patterns.cost[q] - s.worth.price[t]) if q >= 0 else 1e30
    if apart < best:
        best = apart
        set_end(w, at, int(SCATTER), p)
    for i in range(s.patterns.type_starts[rarest], s.patterns.type_starts[rarest + 1]):
        q = wide(s.patterns.type_patterns[i])
        paid = distance + rows * s.patterns.cost[q] - worth
        if paid - distance > 3 * slack and paid + s.patterns.cost[q] > best + (
            2 * slack + w.highest[q]
        ):
            break
        if q == p or (s.held.load[q] == 0 and _all_fit(s, w, p, who, q)):
            best = _add_row(s, w, at, p, q, avoid, paid, best, slack)
    return best


@inner
def _patterns(s: State, t: int) -> int:
    """Return how many patterns a type fits."""
    return int(s.patterns.type_starts[t + 1] - s.patterns.type_starts[t])


@inner
def _cheapest(s: State, w: ChainLabels, t: int, avoid: int, at: int) -> int:
    """Return the cheapest open pattern for a type that the chain leaves open, or -1."""
    for i in range(s.patterns.type_starts[t], s.patterns.type_starts[t + 1]):
        q = wide(s.patterns.type_patterns[i])
        if q != avoid and s.held.load[q] >= s.k and not on_chain(w, q, at):
            return int(q)
    return int(NONE)


@inner
def _all_fit(s: State, w: ChainLabels, p: int, who: int, q: int) -> bool:
    """Check that the rows of p, but one of type ``who``, fit q."""
    node = s.nodes.first_of_group[p]
    while node >= 0:
        t = wide(s.nodes.type[node])
        if (t != who or s.nodes.copies[node] > 1) and not fits(s, w, t, q):
            return False
        node = s.nodes.next_of_group[node]
    return True


@inner
def _add_row(
    s: State,
    w: ChainLabels,
    at: int,
    p: int,
    q: int,
    avoid: int,
    paid: float,
    best: float,
    slack: float,
) -> float:
    """Add a row to those of p in q, from any pattern; return the least distance."""
    orphanage = len(s.patterns.cost)
    for i in range(s.patterns.starts[q], s.patterns.starts[q + 1]):
        t = wide(w.by_price[i])
        all_in = paid + s.patterns.cost[q] - s.worth.price[t]
        if all_in > best + slack:
            break
        node = s.nodes.first_of_type[t]
        while node >= 0:
            source = wide(s.nodes.group[node])
            node = s.nodes.next_of_type[node]
            if source == p or (source == orphanage and t == avoid and q == p):
                continue
            reached = all_in
            if source != orphanage and s.held.load[source] > s.k:
                reached -= s.patterns.cost[source] - s.worth.price[t]
            elif source != orphanage:
                reached -= s.held.excess[source]
            if reached >= best or s.held.load[source] == 0 or on_chain(w, source, at):
                continue
            if source == orphanage or s.held.load[source] > s.k:
                best = reached
                set_end(w, at, int(FILL), q)
                w.end[TAKEN], w.end[SOURCE] = t, source
            elif s.held.load[source] == s.k:
                label(w, source, reached, at, q, t)
    return best
