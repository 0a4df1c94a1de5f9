"""Moves for small k: a group breaks up, and its rows go along ejection chains."""

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import most_increase
from starmin.heuristics.annealing.annealing_state import (
    NONE,
    State,
    leaves_release,
    logged_change,
    move_row,
    shift,
    take_back,
    wide,
)
from starmin.heuristics.annealing.left_over import (
    AT,
    FILL,
    HOW,
    JOIN,
    JOINED,
    QUEUED,
    SCATTER,
    SEARCH,
    SOURCE,
    SPARED,
    SPARED_FROM,
    TAKEN,
    ChainLabels,
    fits,
    label,
    on_chain,
    place_left_over,
    set_end,
)
from starmin.heuristics.annealing.path_moves import BEST, SLACK, next_label
from starmin.heuristics.annealing.pattern_moves import settle, some_pattern
from starmin.instances.loops.compiled import compiled, inner


@inner
def fill_lacking(
    s: State, w: ChainLabels, at: int, p: int, who: int, avoid: int, distance: float
) -> None:
    """Try each way on for the rows of a pattern.

    They stay, or open another pattern that all of them fit, with one more row of any
    pattern; or they part and join open patterns. ``s`` and ``w`` are updated.

    ``at`` is the label of pattern ``p``, ``who`` the type of the row that has left it:
    -1 where the state says so itself. An orphan of type ``avoid`` must not come back to
    ``p``. ``distance`` is that of the label.
    """
    best, slack = w.limits[BEST], w.limits[SLACK]
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
        set_end(w, at, int(SCATTER), p, apart)
    for i in range(s.patterns.type_starts[rarest], s.patterns.type_starts[rarest + 1]):
        q = wide(s.patterns.type_patterns[i])
        paid = distance + rows * s.patterns.cost[q] - worth
        if paid - distance > 3 * slack and paid + s.patterns.cost[q] > best + (
            2 * slack + w.highest[q]
        ):
            break
        if q == p or (s.held.load[q] == 0 and _all_fit(s, w, p, who, q)):
            _add_row(s, w, at, p, q, avoid, paid)
            best = w.limits[BEST]


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
    s: State, w: ChainLabels, at: int, p: int, q: int, avoid: int, paid: float
) -> None:
    """Add a row to those of p in q, from any pattern."""
    orphanage, best, slack = len(s.patterns.cost), w.limits[BEST], w.limits[SLACK]
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
                set_end(w, at, int(FILL), q, reached)
                w.end[TAKEN], w.end[SOURCE] = t, source
            elif s.held.load[source] == s.k:
                label(w, source, reached, at, q, t)


@inner
def find_chain(
    s: State, w: ChainLabels, lacks: bool, root: int, other: int, budget: float
) -> bool:
    """Find a chain and leave it in the labels ``w``; whether there is one.

    It begins at an orphan of type ``root`` or, where ``lacks``, at pattern ``root``,
    which lacks a row. A row that is left over joins a pattern or opens one, a pattern
    that lacks a row takes one: from patterns that can spare one, where the chain ends,
    or from one with just k rows, which then lacks one or leaves one over. The nearest
    label is the next to go on from (Dijkstra); at good prices hardly any step costs
    much less than nothing.

    ``other`` is the orphan's type where the chain begins at a pattern, and the pattern
    that lacks a row where it begins at an orphan; -1 for none. The chain may add
    ``budget`` to the cost, less the prices of rows without a place.
    """
    w.heads[SEARCH] += 1
    w.heads[QUEUED] = 0
    begin, patterns = 2 * len(s.patterns.cost) + 2, len(s.patterns.cost) + 1
    lacking = root if lacks else other
    w.limits[BEST] = budget
    at, distance, none = begin, 0.0, wide(NONE)
    for _ in range(s.params.steps):
        if at == begin and lacks:
            fill_lacking(s, w, at, root, none, other, distance)
        elif at < patterns:
            fill_lacking(s, w, at, at, wide(w.who[at]), none, distance)
        else:
            left = root if at == begin else wide(w.who[at])
            place_left_over(s, w, at, left, lacking, distance)
        at = next_label(w)
        if at < 0:
            break
        distance = w.distance[at]
    return bool(w.limits[BEST] < budget)


@inner
def follow_chain(s: State, w: ChainLabels, lacks: bool, root: int) -> bool:
    """Move the rows of the chain that was found, noted in the log.

    Returns False where it takes the same row twice. ``root`` is the pattern at which
    the chain begins where it ``lacks`` a row, else the orphan's type.
    """
    orphanage, patterns = len(s.patterns.cost), len(s.patterns.cost) + 1
    steps, at = 0, w.end[AT]
    while at < 2 * patterns:
        w.path[steps] = at
        steps += 1
        at = w.parent[at]
    here = root
    for i in range(steps - 1, -1, -1):
        at, q = wide(w.path[i]), wide(w.joined[w.path[i]])
        if not _bring(s, lacks, here, q):
            return False
        if w.spared[at] >= 0 and not move_row(
            s, wide(w.spared[at]), wide(w.spared_from[at]), q
        ):
            return False
        p, who = at % patterns, wide(w.who[at])
        lacks = at < patterns
        if not move_row(s, who, p, q if lacks else orphanage):
            return False
        if not lacks:
            shift_all(s, p, q)
        here = p if lacks else who
    q = wide(w.end[JOINED])
    if w.end[HOW] == JOIN:
        return bool(_bring(s, lacks, here, q))
    if w.end[HOW] != FILL:
        return bool(_scatter(s, q))
    if not _bring(s, lacks, here, q):
        return False
    spared, source = w.end[SPARED], w.end[SPARED_FROM]
    if spared >= 0 and not move_row(s, wide(spared), wide(source), q):
        return False
    return bool(move_row(s, wide(w.end[TAKEN]), wide(w.end[SOURCE]), q))


@inner
def _bring(s: State, lacks: bool, here: int, q: int) -> bool:
    """Move the orphan, or all rows of a pattern that lacks one, to q."""
    if not lacks:
        return bool(move_row(s, here, len(s.patterns.cost), q))
    shift_all(s, here, q)
    return True


@inner
def shift_all(s: State, p: int, q: int) -> None:
    """Move all rows of p to q."""
    while p != q and s.nodes.first_of_group[p] >= 0:
        node = s.nodes.first_of_group[p]
        shift(s, wide(s.nodes.type[node]), p, q, s.nodes.copies[node])


@inner
def _scatter(s: State, p: int) -> bool:
    """Move each row of p to the cheapest open pattern; whether there is one."""
    while s.nodes.first_of_group[p] >= 0:
        t = wide(s.nodes.type[s.nodes.first_of_group[p]])
        i, last = s.patterns.type_starts[t], s.patterns.type_starts[t + 1]
        while i < last and (
            s.patterns.type_patterns[i] == p
            or s.held.load[s.patterns.type_patterns[i]] < s.k
        ):
            i += 1
        if i == last:
            return False
        shift(s, t, p, wide(s.patterns.type_patterns[i]), 1)
    return True


_ROUNDING = 1e-6  # Changes in cost are whole, distances are not.


@compiled
def move_along_chains(
    s: State, w: ChainLabels, moves: int, temperature: float, star: float
) -> None:
    """Break up groups, and take back what costs too much.

    A row of a random type leaves its pattern, ``moves`` times. Where too few are left
    there, either the pattern finds another row and the row another place, in either
    order, or all its rows find other places: each by the cheapest chain.

    ``s`` is the state of a release, for k-anonymity alone. ``temperature`` is the mean
    increase in cost that is accepted, and ``star`` the mean cost of a star.
    """
    w.limits[SLACK] = s.params.path_slack * star
    for _ in range(moves):
        t = np.random.randint(len(s.nodes.first_of_type))
        p = some_pattern(s, t)
        if s.patterns.cost[p] > 0:
            allowed = most_increase(temperature, np.random.random()) + _ROUNDING
            s.log.size[0] = 0
            done = _break_up(s, w, t, p, allowed)
            if not done or logged_change(s) > allowed or not leaves_release(s):
                take_back(s, 0)
    settle(s)


@inner
def _break_up(s: State, w: ChainLabels, t: int, p: int, allowed: float) -> bool:
    """Let a row of type t leave p, and mend what that breaks; whether that is done."""
    orphanage, none, whole = len(s.patterns.cost), wide(NONE), s.held.load[p] > s.k
    shift(s, t, p, orphanage, 1)
    if whole:
        return bool(_chain(s, w, False, t, none, none, allowed))
    choice = np.random.randint(3)
    if choice == 0:
        if not _chain(s, w, True, p, t, p, allowed):
            return False
        if s.held.load[orphanage] == 0:
            return True
        return bool(_chain(s, w, False, t, none, none, allowed))
    if choice == 1:
        if not _chain(s, w, False, t, p, p, allowed):
            return False
        if s.held.load[p] == 0 or s.held.load[p] >= s.k:
            return True
        return bool(_chain(s, w, True, p, none, p, allowed))
    shift_all(s, p, orphanage)
    while s.held.load[orphanage] > 0:
        t = wide(s.nodes.type[s.nodes.first_of_group[orphanage]])
        if not _chain(s, w, False, t, none, none, allowed):
            return False
    return True


@inner
def _chain(
    s: State,
    w: ChainLabels,
    lacks: bool,
    root: int,
    other: int,
    lacking: int,
    allowed: float,
) -> bool:
    """Find a chain and follow it; whether there is one that does not cost too much."""
    budget = allowed - logged_change(s)
    node = s.nodes.first_of_group[len(s.patterns.cost)]
    while node >= 0:
        budget -= s.nodes.copies[node] * s.worth.price[s.nodes.type[node]]
        node = s.nodes.next_of_group[node]
    if lacking >= 0:
        budget += s.held.excess[lacking]
    last = s.held.load[len(s.patterns.cost)] + (1 if lacking >= 0 else 0) == 1
    if not last:
        budget += w.limits[SLACK]  # Another chain may gain something.
    found = find_chain(s, w, lacks, root, other, budget)
    return bool(found and follow_chain(s, w, lacks, root))
