"""The greedy choice of l-diverse groups, and room for rows (see ``diverse_cover``)."""

import heapq

import numpy as np

from starmin.heuristics.approximation.pattern_cover_loops import transpose
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.best_choice import highest_cap

_NONE = -1


@compiled
def choose_diverse(
    cost: Ints,
    starts: Ints,
    types: Int32s,
    counts: Ints,
    value: Int32s,
    least: int,
    l: int,
) -> tuple[Ints, Ints, Ints, Ints]:
    """Choose disjoint l-diverse groups of one pattern each, the cheapest first.

    Always a cheapest pattern that ``least`` rows fit which are left and l-eligible; of
    several the one with the most such rows. It takes all of these. The patterns are as
    in ``starmin.models.patterns.patterns``, and ``value`` is the sensitive value of
    each type. Returns for each entry its pattern, type and number of copies; and the
    copies of each type that are left.
    """
    begin, patterns = transpose(starts, types, len(counts))
    left, values = counts.copy(), value.max() + 1
    tally = np.zeros((len(cost), values), np.int64)
    queue = [(0, 0, 0) for _ in range(0)]
    for p in range(len(cost)):
        for t in types[starts[p] : starts[p + 1]]:
            tally[p, value[t]] += counts[t]
        queue.append((cost[p], -_most(tally[p], l), p))
    heapq.heapify(queue)
    chosen = [(0, 0, 0) for _ in range(0)]
    while len(queue) > 0:
        _, seen, p = heapq.heappop(queue)
        size = _most(tally[p], l)
        if size < least:
            continue
        if -seen != size:
            heapq.heappush(queue, (cost[p], -size, p))
            continue
        wanted = np.minimum(tally[p], highest_cap(tally[p], 0, l))
        for t in types[starts[p] : starts[p + 1]]:
            copies = min(left[t], wanted[value[t]])
            if copies == 0:
                continue
            chosen.append((p, int(t), int(copies)))
            wanted[value[t]] -= copies
            left[t] -= copies
            for q in patterns[begin[t] : begin[t + 1]]:
                tally[q, value[t]] -= copies
    columns = np.array([*chosen, (0, 0, 0)])[: len(chosen)]
    return columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy(), left


@inner
def _most(tally: Ints, l: int) -> int:
    """Return the size of a largest l-eligible subset of rows."""
    return int(np.minimum(tally, highest_cap(tally, 0, l)).sum())


@compiled
def find_rooms(
    codes: Int32s,
    value: Int32s,
    costs: Ints,
    once: bool,
    l: int,
    rows: Int32s,
    rep: Int32s,
    starred: np.ndarray,
    tally: Ints,
) -> Ints:
    """Find a group for each of some rows (given by type) that can take it, or -1.

    A group has room for a value if it stays l-eligible with one more row of it. Rows go
    to the groups in which they cost least. ``codes`` and ``value`` are by row type;
    ``costs`` and ``once`` say what a star costs (``row_distance.column_costs``). By
    group, ``rep`` is a type of it, and ``starred`` and ``tally`` are its starred
    columns and its rows by value, changed in place.
    """
    size = tally.sum(axis=1)
    paid = np.zeros(len(rep), np.int64)
    for g in range(len(rep)):
        paid[g] = _row_cost(starred[g], costs, once)
    places = np.full(len(rows), _NONE)
    wider, widest = np.empty_like(starred[0]), np.empty_like(starred[0])
    for i in range(len(rows)):
        t, least = rows[i], np.iinfo(np.int64).max
        for g in range(len(rep)):
            if size[g] + 1 < l * (tally[g, value[t]] + 1) or paid[g] >= least:
                continue
            wider[:] = starred[g] | (codes[t] != codes[rep[g]])
            pays = _row_cost(wider, costs, once)
            more = (size[g] + 1) * pays - size[g] * paid[g]
            if more < least:
                least, places[i] = more, g
                widest[:] = wider
        g = places[i]
        if g != _NONE:
            starred[g] = widest
            paid[g] = _row_cost(widest, costs, once)
            tally[g, value[t]] += 1
            size[g] += 1
    return places


@inner
def _row_cost(starred: np.ndarray, costs: Ints, once: bool) -> int:
    """Return what a row pays for these stars."""
    total = 0
    for j in range(len(costs)):
        if starred[j]:
            total = max(total, costs[j]) if once else total + costs[j]
    return total
