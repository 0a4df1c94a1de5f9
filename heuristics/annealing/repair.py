"""Repair steps: fill an opened pattern until its rows satisfy the requirement."""

import numpy as np

from starmin.heuristics.annealing.annealing_state import (
    State,
    lack,
    room,
    shift,
    spare,
    take_back,
    wide,
)
from starmin.heuristics.annealing.dealt_rows import copies_at
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import inner
from starmin.models.lagrangian_relaxation.pattern_fills import best_cap_by, highest_cap
from starmin.models.lagrangian_relaxation.pricing_distinct import heapify, sift_down
from starmin.models.price_unit import ANY_COST, INFEASIBLE


@inner
def take_cheapest(s: State, q: int, size: int, all_better: bool, ceiling: float) -> int:
    """Let q take all rows that are better off in it, and the cheapest others it lacks.

    Of the others it needs few: a heap finds them. ``s`` is for k-anonymity, and its
    scratch lists ``size`` candidates. With ``all_better`` rows that are better off
    leave patterns that cannot spare them. Returns the change in cost; no others are
    taken where it must exceed ``ceiling``.
    """
    change, others = 0, 0
    for i in range(size):
        t, p = wide(s.scratch.pick_type[i]), wide(s.scratch.pick_from[i])
        each = s.scratch.pick_cost[i]
        if each >= 0:
            s.scratch.pick_cost[others], s.scratch.pick_number[others] = each, i
            others += 1
            continue
        copies = copies_at(s.nodes, t, p)
        if p != len(s.patterns.cost) and not all_better:
            copies = min(copies, s.held.load[p] - s.k)
        if copies > 0:
            shift(s, t, p, q, copies)
            change += copies * each
    wanted = s.k - s.held.load[q]
    if wanted <= 0:
        return change
    keys, numbers = s.scratch.pick_cost, s.scratch.pick_number
    heapify(keys, numbers, others)
    while wanted > 0 and others > 0 and change + wanted * keys[0] <= ceiling:
        i, each = numbers[0], keys[0]
        t, p = wide(s.scratch.pick_type[i]), wide(s.scratch.pick_from[i])
        others -= 1
        keys[0], numbers[0] = keys[others], numbers[others]
        sift_down(keys, numbers, 0, others)
        copies = min(copies_at(s.nodes, t, p), wanted)
        if p != len(s.patterns.cost):
            copies = min(copies, s.held.load[p] - s.k)
        if copies > 0:
            shift(s, t, p, q, copies)
            change += copies * each
            wanted -= copies
    return change


@inner
def cheapest_open(s: State, t: int, avoid: int) -> int:
    """Return the cheapest open pattern that can take a row of type t; -1 if none."""
    for i in range(s.patterns.type_starts[t], s.patterns.type_starts[t + 1]):
        p = wide(s.patterns.type_patterns[i])
        if s.held.load[p] > 0 and p != avoid and room(s, p, s.worth.value[t]) > 0:
            return int(p)
    return -1


NEVER = ANY_COST  # A change in cost that is never accepted.

# Which rows a pattern may take: those that other patterns can spare, these and the
# orphans, or all rows that cost less in it.
SPARED, ORPHANS, BETTER = 0, 1, 2


@inner
def fill(s: State, q: int, whose: int, ceiling: float) -> int:
    """Let pattern q take all rows that are better off in it, and what it still lacks.

    Rows that are no better off are taken only from patterns that can spare them, the
    cheapest first; ``whose`` it may take is ``BETTER``, ``SPARED`` or ``ORPHANS``.
    Returns the change in cost, orphans counted at ``fall``; it gives up, with a lack or
    a change above ``ceiling``, where q cannot have enough.
    """
    size = _candidates(s, q, whose)
    if s.l == 1:
        return int(take_cheapest(s, q, size, whose == BETTER, ceiling))
    order = np.argsort(s.scratch.pick_cost[:size], kind="mergesort")
    cap = _cap(s, q, order)
    if cap < 0:
        return NEVER
    change, mark = 0, s.log.size[0]
    for _ in range(2):
        for i in order:
            t, p = wide(s.scratch.pick_type[i]), wide(s.scratch.pick_from[i])
            each = s.scratch.pick_cost[i]
            wanted = max(s.k, s.l * cap) - s.held.load[q]
            if each >= 0 and (wanted <= 0 or change > ceiling):
                break
            copies = copies_at(s.nodes, t, p)
            if p != len(s.patterns.cost) and (whose != BETTER or each >= 0):
                copies = min(copies, spare(s, p, s.worth.value[t]))
            copies = min(copies, cap - s.held.tally[q, s.worth.value[t]])
            if each >= 0:
                copies = min(copies, wanted)
            if copies > 0:
                shift(s, t, p, q, copies)
                change += copies * each
    if lack(s, q) > 0:
        change += _trim(s, q, mark, whose)
    return change


@inner
def _trim(s: State, q: int, mark: int, whose: int) -> int:
    """Send rows of too frequent values back where they came from; return the change."""
    cap = highest_cap(s.held.tally[q], s.k, s.l)
    change = 0
    for i in range(s.log.size[0] - 1, mark - 1, -1):
        t, p = wide(s.log.types[i]), wide(s.log.sources[i])
        copies = min(s.log.copies[i], s.held.tally[q, s.worth.value[t]] - cap)
        if whose != BETTER and p != len(s.patterns.cost):
            copies = min(copies, room(s, p, s.worth.value[t]))
        if copies > 0:
            shift(s, t, q, p, copies)
            pay = s.scratch.fall[t] if p == len(s.patterns.cost) else s.patterns.cost[p]
            change += copies * (pay - s.patterns.cost[q])
    return change


@inner
def _candidates(s: State, q: int, whose: int) -> int:
    """List the rows that q may take and the change in cost of each; return how many."""
    size, orphanage, cost = 0, len(s.patterns.cost), s.patterns.cost[q]
    for i in range(s.patterns.starts[q], s.patterns.starts[q + 1]):
        t = wide(s.patterns.types[i])
        node = s.nodes.first_of_type[t]
        while node >= 0:
            p = wide(s.nodes.group[node])
            node = s.nodes.next_of_type[node]
            if p == q:
                continue
            if p == orphanage:
                if whose != ORPHANS:
                    continue
                each = cost - s.scratch.fall[t]
            else:
                each = cost - s.patterns.cost[p]
                if (each >= 0 or (s.l == 1 and whose != BETTER)) and spare(
                    s, p, s.worth.value[t]
                ) <= 0:
                    continue
            s.scratch.pick_type[size], s.scratch.pick_from[size] = t, p
            s.scratch.pick_cost[size] = each
            size += 1
    return size


@inner
def _cap(s: State, q: int, order: Ints) -> int:
    """Return the best cap on rows of one value in q, by bisection; -1: q is no group.

    What the best choice of candidates pays is convex in this cap.
    """
    have = s.held.tally[q].astype(np.int64)
    copies = np.empty(len(order), np.int64)
    for i in order:
        t, p = wide(s.scratch.pick_type[i]), wide(s.scratch.pick_from[i])
        copies[i] = copies_at(s.nodes, t, p)
        if s.scratch.pick_cost[i] >= 0 and p != len(s.patterns.cost):
            copies[i] = min(copies[i], spare(s, p, s.worth.value[t]))
        have[s.worth.value[s.scratch.pick_type[i]]] += copies[i]
    low, high, choices = max(s.held.top[q], 1), have.max(), (s, q, order, copies)
    if low > high:
        return -1
    cap = best_cap_by(_pay, choices, low, high, s.k, s.l, 0)
    enough = _pay(choices, cap, max(s.k, s.l * cap))[0] != INFEASIBLE
    return int(cap) if enough else -1


@inner
def _pay(
    choices: tuple[State, int, Ints, Ints], cap: int, need: int
) -> tuple[int, int]:
    """Return the least change in cost under a cap, or INFEASIBLE; and how many rows."""
    s, q, order, copies = choices
    have = s.held.tally[q].astype(np.int64)
    total, change = s.held.load[q], 0
    for i in order:
        v = s.worth.value[s.scratch.pick_type[i]]
        taken = min(copies[i], cap - have[v])
        if s.scratch.pick_cost[i] >= 0:
            if total >= need:
                break
            taken = min(taken, need - total)
        have[v] += taken
        total += taken
        change += taken * s.scratch.pick_cost[i]
    return (change if total >= need else INFEASIBLE), total


@inner
def steal(s: State, q: int) -> int:
    """Let q take the rows it lacks from patterns that cannot spare them.

    First from those that lose least: a pattern that breaks up frees its other rows for
    what they are worth. Returns the change in cost; with a lack if there are too few.
    """
    size = 0
    for i in range(s.patterns.starts[q], s.patterns.starts[q + 1]):
        t = wide(s.patterns.types[i])
        node = s.nodes.first_of_type[t]
        while node >= 0:
            p = wide(s.nodes.group[node])
            node = s.nodes.next_of_type[node]
            if p != q and p != len(s.patterns.cost):
                s.scratch.pick_type[size], s.scratch.pick_from[size] = t, p
                size += 1
    loss, cost = np.empty(size), s.patterns.cost
    for i in range(size):
        t, p = wide(s.scratch.pick_type[i]), wide(s.scratch.pick_from[i])
        more = cost[q] - cost[p]
        if spare(s, p, s.worth.value[t]) <= 0:
            broken = s.patterns.cost[q] - s.worth.price[t] - s.held.excess[p]
            more = min(
                broken, s.patterns.cost[q] - s.patterns.cost[p] + s.params.breaking
            )
        loss[i] = more + s.params.noise * np.random.random()
    change = 0
    for i in np.argsort(loss):
        t, p = wide(s.scratch.pick_type[i]), wide(s.scratch.pick_from[i])
        copies = min(copies_at(s.nodes, t, p), lack(s, q))
        if s.l > 1 and s.held.load[q] > 0:
            copies = min(copies, s.held.top[q] - s.held.tally[q, s.worth.value[t]])
        if copies > 0:
            shift(s, t, p, q, copies)
            change += copies * (s.patterns.cost[q] - s.patterns.cost[p])
        if lack(s, q) <= 0:
            break
    return change


@inner
def refill(s: State, p: int, ceiling: float) -> int:
    """Bring p to what it lacks with rows that others can spare; return the change.

    NEVER, and nothing is changed, where p cannot be filled for ``ceiling``.
    """
    mark = s.log.size[0]
    change = fill(s, p, int(SPARED), ceiling)
    if lack(s, p) > 0 or change > ceiling:
        take_back(s, mark)
        return NEVER
    return int(change)
