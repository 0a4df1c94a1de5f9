"""The greedy choice of patterns, and the rows of their sets (see ``pattern_cover``)."""

import heapq
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner

_NONE = -1


class Cover(NamedTuple):
    """A cover while it grows; the sets are numbered as they were chosen."""

    left: Ints  # of each type the copies that are not covered yet, all or none
    owner: Ints  # the set that covers each type, -1 where none does
    spare: Ints  # of each set the rows that it can lose
    made: Ints  # how many sets there are


def empty_cover(counts: Ints) -> Cover:
    """Return a cover without a set, of types with these multiplicities."""
    m = len(counts)
    zeros, none = np.zeros(m, np.int64), np.full(m, _NONE, np.int64)
    return Cover(counts.astype(np.int64), none, zeros, np.zeros(1, np.int64))


@compiled
def choose(
    cover: Cover,
    cost: Ints,
    starts: Ints,
    types: Int32s,
    counts: Ints,
    k: int,
    most: float,
) -> tuple[Ints, Ints, Ints, Ints]:
    """Choose sets of rows of one pattern each, while they are cheap.

    Always the pattern with the least cost for each row that is covered anew, times k /
    r where only r < k rows that fit it are uncovered; of several the one with the most.
    These rows are its set, filled up to k with covered ones. A set is chosen where each
    row that is covered anew pays less than ``most``.

    These costs only grow, so patterns wait in order of the one last seen. O(N log P)
    for N pairs of one of P patterns and a type.

    ``cover`` is updated. The patterns are as in ``starmin.models.patterns.patterns``,
    and each fits k rows or more. Returns for each entry of the new sets the set, its
    pattern, the type and the number of copies.
    """
    left, owner, spare, made = cover.left, cover.owner, cover.spare, cover.made
    begin, patterns = transpose(starts, types, len(counts))
    uncovered = np.zeros(len(cost), np.int64)
    queue = [(0.0, 0, 0) for _ in range(0)]
    for p in range(len(cost)):
        uncovered[p] = left[types[starts[p] : starts[p + 1]]].sum()
        if uncovered[p] > 0:
            queue.append(_entry(cost[p], uncovered[p], k, p))
    heapq.heapify(queue)
    chosen = [(0, 0, 0, 0) for _ in range(0)]
    while len(queue) > 0 and queue[0][0] < most:
        _, seen, p = heapq.heappop(queue)
        new = uncovered[p]
        if new == 0:
            continue
        if -seen != new:
            heapq.heappush(queue, _entry(cost[p], new, k, p))
            continue
        members = types[starts[p] : starts[p + 1]]
        extra = _fill(members, counts, left, owner, spare, max(0, k - new))
        number = int(made[0])
        made[0] += 1
        for i in range(len(members)):
            t = members[i]
            if left[t] + extra[i] > 0:
                chosen.append((number, p, int(t), int(left[t] + extra[i])))
            if left[t] > 0:
                for q in patterns[begin[t] : begin[t + 1]]:
                    uncovered[q] -= left[t]
                left[t], owner[t] = 0, number
        spare[number] = max(0, new - k)
    columns = np.zeros((len(chosen), 4), np.int64)
    for i in range(len(chosen)):
        columns[i, 0], columns[i, 1], columns[i, 2], columns[i, 3] = chosen[i]
    return (
        columns[:, 0].copy(),
        columns[:, 1].copy(),
        columns[:, 2].copy(),
        columns[:, 3].copy(),
    )


@inner
def _entry(cost: int, new: int, k: int, p: int) -> tuple[float, int, int]:
    """Return the place of a pattern in the queue."""
    return cost * max(k, new) / new, -new, p


@inner
def transpose(starts: Ints, types: Int32s, m: int) -> tuple[Ints, Int32s]:
    """Return the patterns of each type, from the types of each pattern."""
    begin = np.zeros(m + 1, np.int64)
    for t in types:
        begin[t + 1] += 1
    begin = np.cumsum(begin)
    at, patterns = begin.copy(), np.empty(len(types), np.int32)
    for p in range(len(starts) - 1):
        for t in types[starts[p] : starts[p + 1]]:
            patterns[at[t]] = p
            at[t] += 1
    return begin, patterns


@inner
def _fill(
    members: Int32s, counts: Ints, left: Ints, owner: Ints, spare: Ints, missing: int
) -> Ints:
    """Return copies of covered rows to take, first from sets with more than k rows."""
    extra = np.zeros(len(members), np.int64)
    if missing == 0:
        return extra
    for may_take_all in (False, True):
        for i in range(len(members)):
            t = members[i]
            more = min(missing, counts[t] - left[t] - extra[i])
            if not may_take_all:
                more = 0 if owner[t] == _NONE else min(more, spare[owner[t]])
                spare[owner[t]] -= more
            extra[i] += more
            missing -= more
    return extra
