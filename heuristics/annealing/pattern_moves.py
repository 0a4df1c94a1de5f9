"""Moves of the annealing: a pattern opens, others close, rows find other patterns."""

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import most_increase
from starmin.heuristics.annealing.annealing_state import (
    NONE,
    State,
    crowded,
    lack,
    room,
    shift,
    spare,
    take_back,
    wide,
)
from starmin.heuristics.annealing.repair import (
    BETTER,
    NEVER,
    ORPHANS,
    SPARED,
    cheapest_open,
    fill,
    refill,
    steal,
)
from starmin.instances.loops.compiled import compiled, inner


@inner
def place_orphans(s: State, budget: float) -> int:
    """Open patterns for orphans while that pays, then send the rest to open patterns.

    Returns the change in cost; NEVER above ``budget``, or where rows are left over.
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

    Returns how many are in ``scratch.touched``, and what all pay in open patterns.
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


@inner
def anneal(s: State, proposals: int, temperature: float) -> int:
    """Propose moves and take back those that cost too much; return the change in cost.

    A type with a row that pays, and a pattern where it would pay less, are drawn at
    random; the pattern opens. ``temperature`` is the mean increase that is accepted.
    """
    total = 0
    for _ in range(proposals):
        t = np.random.randint(len(s.nodes.first_of_type))
        p = some_pattern(s, t)
        cheaper = _cheaper(s, t, s.patterns.cost[p]) - s.patterns.type_starts[t]
        if cheaper == 0:
            continue
        at = np.int64(cheaper * np.random.random() ** s.params.towards_cheap)
        q = wide(s.patterns.type_patterns[s.patterns.type_starts[t] + at])
        allowed = most_increase(temperature, np.random.random())
        total += open_pattern(s, q, allowed, temperature)
    return total


@inner
def some_pattern(s: State, t: int) -> int:
    """Draw one of the patterns that hold copies of row type t."""
    nodes, node = 0, s.nodes.first_of_type[t]
    chosen = s.nodes.group[node]
    while node >= 0:
        nodes += 1
        if np.random.randint(nodes) == 0:
            chosen = s.nodes.group[node]
        node = s.nodes.next_of_type[node]
    return int(chosen)


@inner
def _cheaper(s: State, t: int, cost: int) -> int:
    """Return where the patterns of type t end that cost less than ``cost``."""
    low, high = s.patterns.type_starts[t], s.patterns.type_starts[t + 1]
    while low < high:
        middle = (low + high) // 2
        if s.patterns.cost[s.patterns.type_patterns[middle]] < cost:
            low = middle + 1
        else:
            high = middle
    return int(low)


@inner
def open_pattern(s: State, q: int, allowed: float, temperature: float) -> int:
    """Open q for all rows that are better off in it, and mend what that breaks.

    Patterns that have too few rows left take some that others can spare, or break up;
    their rows go to new patterns or to the cheapest open ones. All is taken back if the
    cost rises by more than ``allowed``. Returns the change in cost.
    """
    s.log.size[0] = 0
    mark = s.log.size[0]
    whose = BETTER if s.l == 1 or np.random.random() < s.params.all_better else SPARED
    change = fill(s, q, whose, np.inf)
    if change >= NEVER:
        return 0
    if lack(s, q) > 0:
        change += steal(s, q)
    if lack(s, q) > 0 or s.log.size[0] == 0:
        take_back(s, mark)
        return 0
    sources = _sources(s, q)
    worth = 0.0
    for i in range(sources):
        p = wide(s.scratch.sources[i])
        if lack(s, p) > 0 and not crowded(s):
            noise = (np.random.random() - s.params.eager) * 2 * temperature
            more, freed = _mend(s, p, noise)
            change += more
            worth += freed
    if change + s.params.dearer * worth <= allowed and not crowded(s):
        if s.nodes.first_of_group[len(s.patterns.cost)] >= 0:
            change += place_orphans(s, allowed - change)
    else:
        change = NEVER
    for i in range(sources):
        s.scratch.mark[s.scratch.sources[i]] = 0
    if change > allowed:
        take_back(s, mark)
        return 0
    return int(change)


@inner
def _sources(s: State, q: int) -> int:
    """List the patterns that lost rows to q in the scratch; return how many."""
    sources = 0
    for i in range(s.log.size[0]):
        p = s.log.sources[i]
        if s.scratch.mark[p] == 0:
            s.scratch.mark[p] = 1
            s.scratch.sources[sources] = p
            sources += 1
    for i in range(sources):
        s.scratch.mark[s.scratch.sources[i]] = 0
    return sources


@inner
def _mend(s: State, p: int, noise: float) -> tuple[int, float]:
    """Make p a group again, or close it; return the change, and prices of orphans."""
    orphanage = len(s.patterns.cost)
    large = s.held.load[p] > s.params.large * max(s.k, s.l)
    more = refill(s, p, np.inf if large and s.l == 1 else noise - s.held.excess[p])
    if more < NEVER:
        return more, 0.0
    change, worth = 0, 0.0
    if large and s.held.load[p] >= s.k:
        while lack(s, p) > 0:
            t, copies = _least_worth(s, p)
            shift(s, t, p, orphanage, copies)
            change -= copies * s.patterns.cost[p]
            worth += copies * s.worth.price[t]
        return change, worth
    s.scratch.mark[p] = 1
    while s.nodes.first_of_group[p] >= 0:
        node = s.nodes.first_of_group[p]
        t, copies = wide(s.nodes.type[node]), s.nodes.copies[node]
        shift(s, t, p, orphanage, copies)
        change -= copies * s.patterns.cost[p]
        worth += copies * s.worth.price[t]
    return change, worth


@inner
def _least_worth(s: State, p: int) -> tuple[int, int]:
    """Find the cheapest type of a most frequent value in p, and how many must go."""
    chosen, copies, node = int(NONE), 0, s.nodes.first_of_group[p]
    while node >= 0:
        t = wide(s.nodes.type[node])
        if s.held.tally[p, s.worth.value[t]] == s.held.top[p] and (
            chosen < 0 or s.worth.price[t] < s.worth.price[chosen]
        ):
            chosen, copies = t, s.nodes.copies[node]
        node = s.nodes.next_of_group[node]
    if s.held.ties[p] > 1:
        return chosen, 1
    return chosen, min(copies, -(-lack(s, p) // (s.l - 1)))


@compiled
def settle(s: State) -> int:
    """Move rows that can be spared to cheaper open patterns; return the change."""
    s.log.size[0] = 0
    change = 0
    for t in range(len(s.nodes.first_of_type)):
        node = s.nodes.first_of_type[t]
        while node >= 0:
            p, following = wide(s.nodes.group[node]), s.nodes.next_of_type[node]
            copies = min(s.nodes.copies[node], spare(s, p, s.worth.value[t]))
            if copies > 0:
                q = cheapest_open(s, t, p)
                if q >= 0 and s.patterns.cost[q] < s.patterns.cost[p]:
                    copies = min(copies, room(s, q, s.worth.value[t]))
                    shift(s, t, p, q, copies)
                    change += copies * (s.patterns.cost[q] - s.patterns.cost[p])
                    s.log.size[0] = 0
            node = following
    return change


@compiled
def anneal_batches(s: State, batches: int, proposals: int, temperature: float) -> None:
    """Propose moves in batches, and let rows that can be spared move after each."""
    for _ in range(batches):
        anneal(s, proposals, temperature)
        settle(s)
