"""Moves between sets of open patterns: one opens, others close, rows find a place."""

import numba
import numpy as np

from heuristics.annealing.repair import (
    BETTER,
    NEVER,
    ORPHANS,
    SPARED,
    fill,
    refill,
    steal,
)
from heuristics.annealing.state import (
    NONE,
    USED,
    State,
    cheapest_open,
    lack,
    room,
    shift,
    spare,
    take_back,
    wide,
)

_LARGE = 8  # groups of that many times k or l rows are not broken up
_WIDTH = 8  # patterns that are tried for orphans at a time
_SKIPPED = 0.1  # share of them that is not looked at: the same move can end otherwise
_SLACK = 1.0  # how much worse than hoped for a move may look when rows lost their place


@numba.njit(cache=True, nogil=True)
def anneal(s: State, proposals: int, temperature: float, star: float) -> int:
    """Propose moves; those that cost too much are taken back. The change in cost.

    A type with a row that pays, and a pattern where it would pay less, are drawn at
    random; the pattern opens.
    """
    total = 0
    for _ in range(proposals):
        t = np.random.randint(len(s.first_of_type))
        p = _some_pattern(s, t)
        cheaper = _cheaper(s, t, s.cost[p]) - s.type_starts[t]
        if cheaper == 0:
            continue
        at = np.int64(cheaper * np.random.random() ** 1.5)
        q = wide(s.type_patterns[s.type_starts[t] + at])
        allowed = -temperature * np.log(1 - np.random.random())
        total += open_pattern(s, q, allowed, temperature, star)
    return total


@numba.njit(cache=True)
def _some_pattern(s: State, t: int) -> int:
    """A pattern of type t, drawn among its nodes."""
    nodes, node = 0, s.first_of_type[t]
    chosen = s.node_pattern[node]
    while node >= 0:
        nodes += 1
        if np.random.randint(nodes) == 0:
            chosen = s.node_pattern[node]
        node = s.next_of_type[node]
    return int(chosen)


@numba.njit(cache=True)
def _cheaper(s: State, t: int, cost: int) -> int:
    """Where the patterns of type t end that cost less than ``cost``."""
    low, high = s.type_starts[t], s.type_starts[t + 1]
    while low < high:
        middle = (low + high) // 2
        if s.cost[s.type_patterns[middle]] < cost:
            low = middle + 1
        else:
            high = middle
    return int(low)


@numba.njit(cache=True)
def open_pattern(
    s: State, q: int, allowed: float, temperature: float, star: float
) -> int:
    """Open q for all rows that are better off in it, and mend what that breaks.

    Patterns that have too few rows left take some that others can spare, or break up;
    their rows go to new patterns or to the cheapest open ones. All is taken back if
    the cost rises by more than ``allowed``.
    """
    s.heads[USED] = 0
    mark = s.heads[USED]
    whose = BETTER if s.l == 1 or np.random.random() < 0.5 else SPARED
    change = fill(s, q, whose, np.inf)
    if change >= NEVER:
        return 0
    if lack(s, q) > 0:
        change += steal(s, q)
    if lack(s, q) > 0 or s.heads[USED] == 0:
        take_back(s, mark)
        return 0
    sources = _sources(s, q)
    worth = 0.0
    for i in range(sources):
        p = wide(s.sources[i])
        if lack(s, p) > 0 and not _crowded(s):
            noise = (np.random.random() - 0.3) * 2 * temperature
            more, freed = _mend(s, p, noise)
            change += more
            worth += freed
    if change + worth <= allowed + _SLACK * star and not _crowded(s):
        if s.first_of_pattern[len(s.cost)] >= 0:
            change += _place_orphans(s, allowed - change)
    else:
        change = NEVER
    for i in range(sources):
        s.mark[s.sources[i]] = 0
    if change > allowed:
        take_back(s, mark)
        return 0
    return int(change)


@numba.njit(cache=True)
def _crowded(s: State) -> bool:
    """Whether the log may not hold another step: none moves a node twice."""
    return bool(s.heads[USED] + 2 * len(s.node_type) > len(s.log_type))


@numba.njit(cache=True)
def _sources(s: State, q: int) -> int:
    """Note the patterns that have lost rows to q; how many they are."""
    sources = 0
    for i in range(s.heads[USED]):
        p = s.log_from[i]
        if s.mark[p] == 0:
            s.mark[p] = 1
            s.sources[sources] = p
            sources += 1
    for i in range(sources):
        s.mark[s.sources[i]] = 0
    return sources


@numba.njit(cache=True)
def _mend(s: State, p: int, noise: float) -> tuple[int, float]:
    """Make p a group again, or none: the change in cost, and what orphans are worth."""
    orphanage = len(s.cost)
    large = s.load[p] > _LARGE * max(s.k, s.l)
    more = refill(s, p, np.inf if large and s.l == 1 else noise - s.excess[p])
    if more < NEVER:
        return more, 0.0
    change, worth = 0, 0.0
    if large and s.load[p] >= s.k:
        while lack(s, p) > 0:
            t, copies = _least_worth(s, p)
            shift(s, t, p, orphanage, copies)
            change -= copies * s.cost[p]
            worth += copies * s.price[t]
        return change, worth
    s.mark[p] = 1
    while s.first_of_pattern[p] >= 0:
        node = s.first_of_pattern[p]
        t, copies = wide(s.node_type[node]), s.node_copies[node]
        shift(s, t, p, orphanage, copies)
        change -= copies * s.cost[p]
        worth += copies * s.price[t]
    return change, worth


@numba.njit(cache=True)
def _least_worth(s: State, p: int) -> tuple[int, int]:
    """Of the rows of p with a most frequent value those that are worth least."""
    chosen, copies, node = int(NONE), 0, s.first_of_pattern[p]
    while node >= 0:
        t = wide(s.node_type[node])
        if s.tally[p, s.value[t]] == s.top[p] and (
            chosen < 0 or s.price[t] < s.price[chosen]
        ):
            chosen, copies = t, s.node_copies[node]
        node = s.next_of_pattern[node]
    if s.ties[p] > 1:
        return chosen, 1
    return chosen, min(copies, -(-lack(s, p) // (s.l - 1)))


@numba.njit(cache=True)
def _place_orphans(s: State, budget: float) -> int:
    """Open patterns for orphans as long as that pays, then send them to open ones."""
    orphanage = len(s.cost)
    touched, change = _count_orphans(s)
    best = 0
    while best >= 0 and s.first_of_pattern[orphanage] >= 0 and not _crowded(s):
        best, gain = int(NONE), 0
        for _ in range(_WIDTH):
            q = _most_gain(s, touched)
            if q < 0 or (s.gain[q] <= gain and s.number[q] >= s.k):
                break
            s.gain[q] = -s.gain[q]
            if np.random.random() < _SKIPPED:
                continue
            mark = s.heads[USED]
            found = -fill(s, q, int(ORPHANS), 0.0)
            if found > gain and lack(s, q) <= 0:
                best, gain = q, found
            take_back(s, mark)
        for i in range(touched):
            s.gain[s.touched[i]] = abs(s.gain[s.touched[i]])
        if best >= 0:
            mark = s.heads[USED]
            change += fill(s, best, int(ORPHANS), 0.0)
            for i in range(mark, s.heads[USED]):
                if s.log_from[i] == orphanage:
                    _count(s, wide(s.log_type[i]), -s.log_copies[i], touched)
            s.number[best] = 0
    for i in range(touched):
        s.number[s.touched[i]] = s.gain[s.touched[i]] = 0
    while s.first_of_pattern[orphanage] >= 0:
        if change > budget or _crowded(s):
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


@numba.njit(cache=True)
def _count_orphans(s: State) -> tuple[int, int]:
    """Count by closed pattern what orphans would gain; what they pay in open ones."""
    touched, pay, node = 0, 0, s.first_of_pattern[len(s.cost)]
    while node >= 0:
        t, copies = wide(s.node_type[node]), s.node_copies[node]
        p = cheapest_open(s, t, int(NONE))
        last = s.type_patterns[s.type_starts[t + 1] - 1]
        s.fall[t] = s.cost[p] if p >= 0 else s.cost[last] + 1
        pay += copies * s.fall[t]
        touched = _count(s, t, copies, touched)
        node = s.next_of_pattern[node]
    return touched, pay


@numba.njit(cache=True)
def _count(s: State, t: int, copies: int, touched: int) -> int:
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


@numba.njit(cache=True)
def _most_gain(s: State, touched: int) -> int:
    chosen, most = int(NONE), 0
    for i in range(touched):
        p = wide(s.touched[i])
        if s.number[p] > 0 and s.gain[p] > most:
            chosen, most = p, s.gain[p]
    return chosen


@numba.njit(cache=True, nogil=True)
def settle(s: State) -> int:
    """Let rows that can be spared go to cheaper open patterns; the change in cost."""
    s.heads[USED] = 0
    change = 0
    for t in range(len(s.first_of_type)):
        node = s.first_of_type[t]
        while node >= 0:
            p, following = wide(s.node_pattern[node]), s.next_of_type[node]
            copies = min(s.node_copies[node], spare(s, p, s.value[t]))
            if copies > 0:
                q = cheapest_open(s, t, p)
                if q >= 0 and s.cost[q] < s.cost[p]:
                    copies = min(copies, room(s, q, s.value[t]))
                    shift(s, t, p, q, copies)
                    change += copies * (s.cost[q] - s.cost[p])
                    s.heads[USED] = 0
            node = following
    return change
