"""Moves for 2-anonymity: a group breaks up, and its rows go along alternating paths."""

from typing import Any, NamedTuple

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
from starmin.heuristics.annealing.pattern_moves import settle, some_pattern
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner

# What searches for shortest paths between patterns keep alike.


def unset(size: int) -> Int32s:
    """Return so many numbers that mean none."""
    return np.full(size, -1, np.int32)


def search_labels(state: State, labels: int, queued: int) -> dict[str, Any]:
    """Return the fields that all kinds of labels have, by name, before any search.

    ``labels`` counts that where a search begins; ``queued`` items have room.
    """
    pattern = np.repeat(
        np.arange(len(state.patterns.cost)), np.diff(state.patterns.starts)
    )
    by_price = state.patterns.types[
        np.lexsort((-state.worth.price[state.patterns.types], pattern))
    ]
    return {
        "by_price": by_price,
        "highest": state.worth.price[by_price[state.patterns.starts[:-1]]],
        "distance": np.zeros(labels),
        "reached": np.zeros(labels, np.int64),
        "done": np.zeros(labels, np.int64),
        "parent": unset(labels),
        "joined": unset(labels),
        "key": np.zeros(queued),
        "item": unset(queued),
        "path": unset(labels),
        "heads": np.zeros(2, np.int64),
        "limits": np.zeros(2),
    }


# Places in Labels.heads: the number of the search, and how many items are queued.
SEARCH, QUEUED = 0, 1
# Places in Labels.limits: the distance of the best end so far, and by how much patterns
# may exceed it which are looked at in vain.
BEST, SLACK = 0, 1
# Places in Labels.end: the label where the best path ends, the pattern that its last
# row joins, and the type and the pattern of a row that joins it, too.
AT, JOINED, TAKEN, SOURCE = 0, 1, 2, 3


class Labels(NamedTuple):
    """Labels of a shortest path search over patterns with two rows.

    A label of pattern p says that one of its two rows has left it and that the other
    one, ``exposed``, looks for a place. Number P, after the patterns, stands for the
    row at which the search begins.
    """

    by_price: Int32s  # the types of each pattern, as in ``State``, by falling price
    highest: Floats  # the highest price of a type in each pattern
    # what the path to a label adds to the cost, less prices: an exposed row owes its
    # price
    distance: Floats
    # reached, done: the number of the last search that reached a label, and that went
    # on from it
    reached: Ints
    done: Ints
    parent: Int32s  # the label before
    # joined, taken: the pattern that the exposed row of the label before joins, and the
    # type that joins it there; -1 where the row takes a place in the pattern itself
    joined: Int32s
    taken: Int32s
    exposed: Int32s  # the type that is left over
    key: Floats  # key, item: the queue: distances and labels, as a binary heap
    item: Int32s
    path: Int32s  # scratch for the labels of a path
    end: Ints  # where the best path ends
    heads: Ints  # two numbers: of the search, and of queued items
    limits: Floats  # two numbers: the least distance of an end, and a slack


def empty_labels(state: State) -> Labels:
    """Return the labels for a state, before any search."""
    count = len(state.patterns.cost)
    return Labels(
        **search_labels(state, count + 1, 4 * count + 16),
        taken=unset(count + 1),
        exposed=unset(count + 1),
        end=np.full(4, -1, np.int64),
    )


@inner
def on_path(w: Labels, p: int, at: int) -> bool:
    """Check whether the path to label ``at`` goes through pattern p."""
    while at != len(w.highest):
        if at == p:
            return True
        at = w.parent[at]
    return False


# The queue of labels: a binary heap in arrays, the least distance first.

ROUNDING = 1e-9  # Distances so near are the same.


@inner
def push(w: Labels, key: float, item: int) -> None:
    """Queue a label at a distance; where the queue is full, it is left out."""
    at = w.heads[QUEUED]
    if at == len(w.key):
        return
    w.heads[QUEUED] = at + 1
    while at > 0:
        above = (at - 1) // 2
        if w.key[above] <= key:
            break
        w.key[at], w.item[at] = w.key[above], w.item[above]
        at = above
    w.key[at], w.item[at] = key, item


@inner
def pop(w: Labels) -> tuple[float, int]:
    """Take the nearest label from the queue, which has one; return it with its key."""
    key, item = w.key[0], w.item[0]
    last = w.heads[QUEUED] - 1
    w.heads[QUEUED] = last
    at, below = 0, 1
    while below < last:
        if below + 1 < last and w.key[below + 1] < w.key[below]:
            below += 1
        if w.key[below] >= w.key[last]:
            break
        w.key[at], w.item[at] = w.key[below], w.item[below]
        at, below = below, 2 * below + 1
    w.key[at], w.item[at] = w.key[last], w.item[last]
    return float(key), int(item)


@inner
def next_label(w: Labels) -> int:
    """Return the nearest label that is not done; -1 if none is near enough."""
    while w.heads[QUEUED] > 0:
        key, at = pop(w)
        if key >= w.limits[BEST]:
            break
        if w.done[at] != w.heads[SEARCH] and key <= w.distance[at] + ROUNDING:
            w.done[at] = w.heads[SEARCH]
            return int(at)
    return int(NONE)


@inner
def find_path(s: State, w: Labels, root: int, budget: float) -> bool:
    """Find a path for an orphan and leave it in the labels ``w``; whether there is one.

    From the orphan, of type ``root``, on, a row without a pattern either joins an open
    pattern, or opens one together with a row that its pattern can spare or with another
    orphan: the path ends. Or it opens one with a row of a pair, or takes the place of a
    row of a pair: that breaks the pair up, and its other row goes on (the alternating
    paths of matchings). At good prices hardly any step costs much less than nothing, so
    the nearest label is the next to go on from (Dijkstra).

    The path may add ``budget`` to the cost, less the price of the orphan. Patterns may
    exceed that: a row may pay more than its price where its partner pays less.
    """
    w.heads[SEARCH] += 1
    w.heads[QUEUED] = 0
    w.limits[BEST] = budget
    at, exposed, distance = len(s.patterns.cost), root, 0.0
    for _ in range(s.params.steps):
        _expand(s, w, root, at, exposed, distance)
        at = next_label(w)
        if at < 0:
            break
        exposed, distance = wide(w.exposed[at]), w.distance[at]
    return bool(w.limits[BEST] < budget)


@inner
def _expand(
    s: State, w: Labels, root: int, at: int, exposed: int, distance: float
) -> None:
    """Try each pattern for the exposed row of a label."""
    best, slack = w.limits[BEST], w.limits[SLACK]
    for i in range(
        s.patterns.type_starts[exposed], s.patterns.type_starts[exposed + 1]
    ):
        q = wide(s.patterns.type_patterns[i])
        paid = distance + s.patterns.cost[q] - s.worth.price[exposed]
        if paid > best + 2 * slack:
            break
        if s.held.load[q] == 0:
            if paid + s.patterns.cost[q] - w.highest[q] <= best + slack:
                _open(s, w, root, at, q, paid)
                best = w.limits[BEST]
        elif not on_path(w, q, at):
            if paid < best:
                best = paid
                _end(w, at, q, int(NONE), int(NONE), paid)
            if s.held.load[q] == 2:
                _displace(s, w, at, exposed, q, distance)


@inner
def _displace(
    s: State, w: Labels, at: int, exposed: int, q: int, distance: float
) -> None:
    """Label the pair of q, where one of its rows may give its place to the exposed."""
    node = s.nodes.first_of_group[q]
    while node >= 0:
        t = wide(s.nodes.type[node])
        reached = distance - s.worth.price[exposed] + s.worth.price[t]
        if t != exposed and reached < w.limits[BEST]:
            _label(w, q, reached, at, q, int(NONE), t)
        node = s.nodes.next_of_group[node]


@inner
def _open(s: State, w: Labels, root: int, at: int, q: int, paid: float) -> None:
    """Open q with one more row, from any pattern."""
    orphanage, best, slack = len(s.patterns.cost), w.limits[BEST], w.limits[SLACK]
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
                    _end(w, at, q, t, p, both)
                continue
            reached = both - s.patterns.cost[p] + s.worth.price[t]
            if s.held.load[p] > 2:
                if reached < best and not on_path(w, p, at):
                    best = reached
                    _end(w, at, q, t, p, reached)
                continue
            mate = _mate(s, p, t)
            reached += s.worth.price[mate] - s.patterns.cost[p]
            if reached < best and not on_path(w, p, at):
                _label(w, p, reached, at, q, t, mate)


@inner
def _mate(s: State, p: int, t: int) -> int:
    """Return the type that is in p together with a row of type t."""
    node = s.nodes.first_of_group[p]
    if s.nodes.type[node] == t and s.nodes.copies[node] == 1:
        node = s.nodes.next_of_group[node]
    return int(s.nodes.type[node])


@inner
def _end(w: Labels, at: int, q: int, taken: int, source: int, distance: float) -> None:
    """Note where the best path ends."""
    w.limits[BEST] = distance
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


_ROUNDING = 1e-6  # Changes in cost are whole, distances are not.


@compiled
def move_along_paths(
    s: State, w: Labels, moves: int, temperature: float, star: float
) -> None:
    """Break up pairs, and take back what costs too much.

    A row of a random type leaves its pattern, ``moves`` times; where only one row would
    be left there, that one leaves, too. Each goes along the cheapest alternating path.
    Paths change what no chain of better and better groups does, so that few groups stay
    dearer than the prices of their rows.

    ``s`` is the state of a release, for k = 2 alone. ``temperature`` is the mean
    increase in cost that is accepted, and ``star`` the mean cost of a star.
    """
    w.limits[SLACK] = s.params.path_slack * star
    for _ in range(moves):
        t = np.random.randint(len(s.nodes.first_of_type))
        p = some_pattern(s, t)
        if s.patterns.cost[p] > 0:
            allowed = most_increase(temperature, np.random.random())
            _move(s, w, t, p, allowed + _ROUNDING)
    settle(s)


@inner
def _move(s: State, w: Labels, t: int, p: int, allowed: float) -> None:
    """Let a row of type t leave p, and its partner where it has one alone."""
    orphanage = len(s.patterns.cost)
    s.log.size[0] = 0
    budget = allowed + s.patterns.cost[p] - s.worth.price[t]
    pair = s.held.load[p] == 2
    if pair:
        # The other path may gain something.
        budget = allowed + s.held.excess[p] + w.limits[SLACK]
    shift(s, t, p, orphanage, 1)
    if pair:
        shift(s, wide(s.nodes.type[s.nodes.first_of_group[p]]), p, orphanage, 1)
    placed = find_path(s, w, t, budget) and follow_path(s, w, t)
    if placed and s.held.load[orphanage] > 0:
        t = wide(s.nodes.type[s.nodes.first_of_group[orphanage]])
        budget = allowed - logged_change(s) - s.worth.price[t]
        placed = find_path(s, w, t, budget) and follow_path(s, w, t)
    if not placed or logged_change(s) > allowed or not leaves_release(s):
        take_back(s, 0)


@inner
def follow_path(s: State, w: Labels, root: int) -> bool:
    """Move the rows of the path of an orphan of type ``root``; False if one is gone."""
    orphanage, steps, at = len(s.patterns.cost), 0, w.end[AT]
    while at != orphanage:
        w.path[steps] = at
        steps += 1
        at = w.parent[at]
    exposed = root
    for i in range(steps - 1, -1, -1):
        p = w.path[i]
        shift(s, exposed, orphanage, wide(w.joined[p]), 1)
        if w.taken[p] >= 0 and not move_row(s, wide(w.taken[p]), p, wide(w.joined[p])):
            return False
        exposed = wide(w.exposed[p])
        if not move_row(s, exposed, p, orphanage):
            return False
    shift(s, exposed, orphanage, wide(w.end[JOINED]), 1)
    if w.end[TAKEN] < 0:
        return True
    joined, source = wide(w.end[JOINED]), wide(w.end[SOURCE])
    return bool(move_row(s, wide(w.end[TAKEN]), source, joined))
