"""Steps from a row that is left over: it joins a pattern, or opens one with others."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.annealing_state import NONE, State, wide
from starmin.heuristics.annealing.path_moves import (
    BEST,
    ROUNDING,
    SLACK,
    push,
    search_labels,
    unset,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import inner

# Places in ChainLabels.heads: the number of the search, and how many items are queued.
SEARCH, QUEUED = 0, 1
# Places in ChainLabels.end: the label where the best chain ends, how, the pattern that
# is joined, and type and source of up to two rows that join it, too.
AT, HOW, JOINED, TAKEN, SOURCE, SPARED, SPARED_FROM = 0, 1, 2, 3, 4, 5, 6
# How it ends: the row joins an open pattern; a pattern is filled; rows scatter.
JOIN, FILL, SCATTER = 0, 1, 2


class ChainLabels(NamedTuple):
    """Labels of a shortest path search over patterns with just k rows.

    Label p < P + 1 says that pattern p has lost a row of type ``who`` and lacks it.
    Label P + 1 + p says that all rows of pattern p but one of type ``who`` were taken,
    which is left over. Number 2 P + 2 stands for where the search begins.
    """

    # the types of each pattern, as in ``State.types``, by falling price
    by_price: Int32s
    highest: Floats  # the highest price of a type in each pattern
    rising: Int32s  # the types of each pattern, as in ``State.types``, by rising number
    # what the chain to a label adds to the cost, less prices: rows without a place, and
    # those of a pattern that lacks one, owe theirs
    distance: Floats
    # reached, done: the number of the last search that reached a label, and that went
    # on from it
    reached: Ints
    done: Ints
    parent: Int32s  # the label before
    joined: Int32s  # the pattern in which the rows of the label before are then
    who: Int32s  # the type of the row that is lacked or left over
    # spared, spared_from: a row that its pattern can spare and that joins, too; -1 for
    # none
    spared: Int32s
    spared_from: Int32s
    key: Floats  # key, item: the queue: distances and labels, as a binary heap
    item: Int32s
    path: Int32s  # scratch for the labels of a chain
    tally: Ints  # scratch, zeros: rows of each pattern that fit another one
    end: Ints  # where and how the best chain ends
    heads: Ints  # two numbers: of the search, and of queued items
    limits: Floats  # two numbers: the least distance of an end, and a slack


def empty_labels(state: State) -> ChainLabels:
    """Return the labels for a state, before any search."""
    count = len(state.patterns.cost)
    labels = 2 * count + 3
    pattern = np.repeat(np.arange(count), np.diff(state.patterns.starts))
    return ChainLabels(
        **search_labels(state, labels, count + 1024),
        rising=state.patterns.types[np.lexsort((state.patterns.types, pattern))],
        who=unset(labels),
        spared=unset(labels),
        spared_from=unset(labels),
        tally=np.zeros(count + 1, np.int64),
        end=np.full(7, -1, np.int64),
    )


@inner
def on_chain(w: ChainLabels, p: int, at: int) -> bool:
    """Check whether the chain to label ``at`` goes through pattern p."""
    patterns = len(w.highest) + 1
    while at < 2 * patterns:
        if at % patterns == p:
            return True
        at = w.parent[at]
    return False


@inner
def label(
    w: ChainLabels, number: int, distance: float, at: int, joined: int, who: int
) -> bool:
    """Reach a label, where that is nearer than before; whether it was, and not done.

    ``at`` is the label before, whose rows are then in pattern ``joined``; the pattern
    of the label lacks a row of type ``who``, or that is left over.
    """
    search = w.heads[SEARCH]
    nearer = distance < w.distance[number] - ROUNDING
    if w.reached[number] == search and (w.done[number] == search or not nearer):
        return False
    w.reached[number], w.distance[number], w.parent[number] = search, distance, at
    w.joined[number], w.who[number] = joined, who
    w.spared[number] = w.spared_from[number] = -1
    push(w, distance, number)
    return True


@inner
def set_end(w: ChainLabels, at: int, how: int, joined: int, distance: float) -> None:
    """Note where the best chain ends; no row joins besides.

    ``how`` is ``JOIN``, ``FILL`` or ``SCATTER``, and ``joined`` the pattern that is
    joined or filled, or whose rows scatter.
    """
    w.end[:], w.limits[BEST] = -1, distance
    w.end[AT], w.end[HOW], w.end[JOINED] = at, how, joined


@inner
def fits(s: State, w: ChainLabels, t: int, q: int) -> bool:
    """Check whether row type t fits pattern q."""
    low, high = s.patterns.starts[q], s.patterns.starts[q + 1]
    while low < high:
        middle = (low + high) // 2
        if w.rising[middle] < t:
            low = middle + 1
        else:
            high = middle
    return bool(low < s.patterns.starts[q + 1] and w.rising[low] == t)


_NEVER = 1e30


@inner
def place_left_over(
    s: State, w: ChainLabels, at: int, left: int, avoid: int, distance: float
) -> None:
    """Try each pattern for a row.

    It joins an open pattern, and may leave over one of k rows there instead; or it
    opens a pattern with k - 1 rows of another one, one being left over; or, for k = 3,
    with a row that can be spared and one of any pattern.

    ``at`` is the label, at a ``distance``, ``left`` the type of the row, and ``avoid``
    a pattern that is not used.
    """
    best, slack = w.limits[BEST], w.limits[SLACK]
    for i in range(s.patterns.type_starts[left], s.patterns.type_starts[left + 1]):
        q = wide(s.patterns.type_patterns[i])
        paid = distance + s.patterns.cost[q] - s.worth.price[left]
        if paid > best + s.k * slack:
            break
        if q == avoid or on_chain(w, q, at):
            continue
        if s.held.load[q] >= s.k:
            if paid < best:
                best = paid
                set_end(w, at, int(JOIN), q, paid)
            if s.held.load[q] == s.k:
                _displace(s, w, at, left, q, distance)
        elif paid + (s.k - 1) * (s.patterns.cost[q] - w.highest[q]) <= best + slack:
            spared = _open_with_group(s, w, at, left, q, avoid, paid)
            if spared >= 0 and s.k == 3:
                _open_with_two(s, w, at, left, q, avoid, paid, spared)
                best = w.limits[BEST]


@inner
def _displace(
    s: State, w: ChainLabels, at: int, left: int, q: int, distance: float
) -> None:
    """Let the row take the place of one of the k rows of q."""
    node = s.nodes.first_of_group[q]
    while node >= 0:
        t = wide(s.nodes.type[node])
        reached = distance - s.worth.price[left] + s.worth.price[t]
        if t != left and reached < w.limits[BEST]:
            label(w, len(s.patterns.cost) + 1 + q, reached, at, q, t)
        node = s.nodes.next_of_group[node]


@inner
def _is_spare(s: State, p: int, copies: int, t: int, left: int) -> bool:
    """Check whether p can give a row of type t away; ``left`` may be an orphan."""
    if p == len(s.patterns.cost):
        return bool(t != left or copies > 1)
    return bool(s.held.load[p] > s.k)


@inner
def _spare_cost(s: State, p: int, q: int, t: int) -> float:
    """Return what a row adds that p can spare and that joins q, less prices."""
    if p == len(s.patterns.cost):
        return float(s.patterns.cost[q] - s.worth.price[t])
    return float(s.patterns.cost[q] - s.patterns.cost[p])


@inner
def _open_with_group(
    s: State, w: ChainLabels, at: int, left: int, q: int, avoid: int, paid: float
) -> int:
    """Open q with k - 1 rows of one pattern; return the cheapest spare row, or -1."""
    best, slack = w.limits[BEST], w.limits[SLACK]
    spared, least, end = wide(NONE), _NEVER, s.patterns.starts[q]
    others = (s.k - 2) * (s.patterns.cost[q] - w.highest[q])
    for i in range(s.patterns.starts[q], s.patterns.starts[q + 1]):
        t = wide(w.by_price[i])
        if paid + s.patterns.cost[q] - s.worth.price[t] + others > best + slack:
            break
        end = i + 1
        node = s.nodes.first_of_type[t]
        while node >= 0:
            p, copies = wide(s.nodes.group[node]), s.nodes.copies[node]
            node = s.nodes.next_of_type[node]
            if p == avoid:
                continue
            if _is_spare(s, p, copies, t, left):
                more = _spare_cost(s, p, q, t)
                if more < least and not on_chain(w, p, at):
                    spared, least = t, more
            elif p != len(s.patterns.cost) and s.held.load[p] == s.k:
                before = w.tally[p]
                w.tally[p] += copies
                if before < s.k - 1 <= w.tally[p] and not on_chain(w, p, at):
                    _take_group(s, w, at, q, p, paid)
    for i in range(s.patterns.starts[q], end):
        node = s.nodes.first_of_type[w.by_price[i]]
        while node >= 0:
            w.tally[s.nodes.group[node]] = 0
            node = s.nodes.next_of_type[node]
    return int(spared)


@inner
def _take_group(s: State, w: ChainLabels, at: int, q: int, p: int, paid: float) -> None:
    """Let q take all rows of p but one: that which does not fit, or is worth least."""
    unfit, cheapest = wide(NONE), wide(NONE)
    node = s.nodes.first_of_group[p]
    while node >= 0:
        t = wide(s.nodes.type[node])
        if not fits(s, w, t, q):
            unfit = t
        if cheapest < 0 or s.worth.price[t] < s.worth.price[cheapest]:
            cheapest = t
        node = s.nodes.next_of_group[node]
    over = unfit if unfit >= 0 else cheapest
    reached = (
        paid
        + (s.k - 1) * s.patterns.cost[q]
        - s.k * s.patterns.cost[p]
        + s.worth.price[over]
    )
    if reached < w.limits[BEST]:
        label(w, len(s.patterns.cost) + 1 + p, reached, at, q, over)


@inner
def _source(s: State, w: ChainLabels, t: int, left: int, avoid: int, at: int) -> int:
    """Return the dearest pattern that can spare a row of type t; an orphan first."""
    found, node = wide(NONE), s.nodes.first_of_type[t]
    while node >= 0:
        p, copies = wide(s.nodes.group[node]), s.nodes.copies[node]
        node = s.nodes.next_of_type[node]
        if p == avoid or on_chain(w, p, at) or not _is_spare(s, p, copies, t, left):
            continue
        if p == len(s.patterns.cost):
            return int(p)
        if found < 0 or s.patterns.cost[p] > s.patterns.cost[found]:
            found = p
    return int(found)


@inner
def _open_with_two(
    s: State,
    w: ChainLabels,
    at: int,
    left: int,
    q: int,
    avoid: int,
    paid: float,
    spared: int,
) -> None:
    """Open q with a spare row and another one. For k = 3."""
    best, slack = w.limits[BEST], w.limits[SLACK]
    orphanage, source = len(s.patterns.cost), _source(s, w, spared, left, avoid, at)
    paid += _spare_cost(s, source, q, spared)
    for i in range(s.patterns.starts[q], s.patterns.starts[q + 1]):
        t = wide(w.by_price[i])
        if paid + s.patterns.cost[q] - s.worth.price[t] > best + slack:
            break
        node = s.nodes.first_of_type[t]
        while node >= 0:
            p, copies = wide(s.nodes.group[node]), s.nodes.copies[node]
            node = s.nodes.next_of_type[node]
            if p == avoid or (t == spared and copies < 2):
                continue
            if p == source and p != orphanage and s.held.load[p] < s.k + 2:
                continue
            if _is_spare(s, p, copies, t, left):
                reached = paid + _spare_cost(s, p, q, t)
                if reached < best and not on_chain(w, p, at):
                    best = reached
                    set_end(w, at, int(FILL), q, reached)
                    w.end[TAKEN], w.end[SOURCE] = t, p
                    w.end[SPARED], w.end[SPARED_FROM] = spared, source
            elif p != orphanage and s.held.load[p] == s.k:
                reached = (
                    paid + s.patterns.cost[q] - s.worth.price[t] - s.held.excess[p]
                )
                fresh = reached < best and not on_chain(w, p, at)
                if fresh and label(w, p, reached, at, q, t):
                    w.spared[p], w.spared_from[p] = spared, source
