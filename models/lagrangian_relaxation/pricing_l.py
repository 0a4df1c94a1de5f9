"""Compiled loops over all patterns, where no sensitive value may be too frequent.

They are those of ``pricing_k`` under frequency l-diversity.
"""

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from models.lagrangian_relaxation.candidates import NEVER, candidates, heap, look, sift
from models.lagrangian_relaxation.diverse_sets import dearest_values

Ints = npt.NDArray[np.int64]
Members = npt.NDArray[np.int32]


class Queue(NamedTuple):
    """The cheapest members of a pattern in order; the others are still in a heap.

    Attributes
    ----------
    keys, items
        Reduced costs and types, cheapest first.
    size
        Number of members in the heap, and here.
    """

    keys: Ints
    items: Members
    size: Ints


@numba.njit(cache=True, nogil=True)
def sweep_l(
    starts: Ints,
    types: Members,
    cost: Ints,
    counts: Ints,
    prices: Ints,
    k: int,
    moved: int,
    due: Ints,
    keys: Ints,
    items: Members,
    residual: Ints,
    values: Members,
    l: int,
    used: Ints,
    caps: Ints,
    queue: Queue,
    tops: Ints,
    filled: Ints,
    place: Ints,
) -> int:
    """The same for l-diversity, or both.

    Most patterns are seen to have no fill worth taking by the highest price of each
    value, and few members of the others can be in one
    (``models.lagrangian_relaxation.diverse_sets``).

    Parameters
    ----------
    types
        The members of each pattern, in order of their values.
    values, l
        The sensitive value of each type; no value has more than 1/l of a group.
    used
        Room for a count of each value; all zero, before and after.
    caps
        The h of the last best fill of each pattern: the search for the best begins
        there. Updated.
    queue
        Room for the members of a pattern.
    tops
        Room for l prices.
    filled
        The copies of each member of each pattern in the best fills are added to it,
        unless it is empty.
    place
        Room for a number of each type.

    See Also
    --------
    models.lagrangian_relaxation.pricing_k.sweep_k : the other parameters.
    """
    total = 0
    for p in range(len(cost)):
        if due[p] > moved:
            continue
        members = types[starts[p] : starts[p + 1]]
        lacking = l * cost[p] - dearest_values(members, prices, values, tops)
        if lacking >= 0:
            due[p] = moved + lacking // l + 1
            continue
        gain, copies, _ = look(members, cost[p], counts, prices)
        highest = _highest(members, cost[p], counts, prices, values, used)
        if copies >= k and l * highest <= copies:
            _take_gainful(members, starts[p], cost[p], counts, prices, residual, filled)
            total += gain
            continue
        above = -gain
        if k <= l:
            above = np.maximum(tops[1:] - cost[p], 0).sum()
        size = candidates(members, cost[p], prices, -NEVER, above, keys, items)
        heap(keys, items, size)
        queue.size[0], queue.size[1] = size, 0
        high = max(highest, -(-k // l))
        h = _best_cap(keys, items, queue, counts, values, used, k, l, high, caps[p])
        caps[p] = h
        value, taken = _fill(keys, items, queue, counts, values, used, h, max(k, l * h))
        if value < 0:
            if len(filled):
                for i in range(len(members)):
                    place[members[i]] = starts[p] + i
            _take(queue, counts, values, used, h, taken, residual, filled, place)
            total += value
    return total


@numba.njit(cache=True)
def _highest(
    members: Members,
    cost: int,
    counts: Ints,
    prices: Ints,
    values: Members,
    used: Ints,
) -> int:
    """Most copies of one value among the members of negative reduced cost."""
    highest = 0
    for t in members:
        if prices[t] > cost:
            used[values[t]] += counts[t]
            highest = max(highest, used[values[t]])
    for t in members:
        used[values[t]] = 0
    return highest


@numba.njit(cache=True)
def _take_gainful(
    members: Members,
    start: int,
    cost: int,
    counts: Ints,
    prices: Ints,
    residual: Ints,
    filled: Ints,
) -> None:
    """Subtract all copies of negative reduced cost."""
    for i in range(len(members)):
        t = members[i]
        if prices[t] > cost:
            residual[t] -= counts[t]
            if len(filled):
                filled[start + i] += counts[t]


@numba.njit(cache=True)
def _best_cap(
    keys: Ints,
    items: Members,
    queue: Queue,
    counts: Ints,
    values: Members,
    used: Ints,
    k: int,
    l: int,
    high: int,
    guess: int,
) -> int:
    """The h of the best fill: bisection that begins at ``guess`` and beside it.

    No h above both k / l and the most copies of a value with a negative reduced cost
    is better than that. Of a fill for such an h drop, of each value, the dearest
    copies above the smaller bound H: none has a negative reduced cost, and at least
    H / h of the copies stay, so l H or more.
    """
    low, probes = 1, 0
    while low < high:
        h = (low + high) // 2
        if probes < 2:
            h = max(low, min(high - 1, guess - (probes == 1 and high == guess)))
        probes += 1
        need = max(k, l * h)
        here, total = _fill(keys, items, queue, counts, values, used, h, need)
        if here == NEVER:
            # Too few copies: of k for this h, or of l h since h is too large.
            falls = l * h <= total < k
        else:
            need = max(k, l * (h + 1))
            after = _fill(keys, items, queue, counts, values, used, h + 1, need)[0]
            falls = after < here
        if falls:
            low = h + 1
        else:
            high = h
    return low


@numba.njit(cache=True)
def _fill(
    keys: Ints,
    items: Members,
    queue: Queue,
    counts: Ints,
    values: Members,
    used: Ints,
    h: int,
    need: int,
) -> tuple[int, int]:
    """Value and copies of the cheapest fill for this h; the value NEVER if none.

    At most h copies of a value are taken, and at least ``need`` in all. Members move
    from the heap to the queue, cheapest first, as far as they are needed.
    """
    total, value, i = 0, 0, 0
    while True:
        if i == queue.size[1]:
            if queue.size[0] == 0:
                break
            _move(keys, items, queue)
        reduced, t = queue.keys[i], queue.items[i]
        take = min(counts[t], h - used[values[t]])
        if reduced >= 0:
            if total >= need:
                break
            take = min(take, need - total)
        used[values[t]] += take
        total += take
        value += take * reduced
        i += 1
    for j in range(i):
        used[values[queue.items[j]]] = 0
    return (value if total >= need else NEVER), total


@numba.njit(cache=True)
def _move(keys: Ints, items: Members, queue: Queue) -> None:
    """Move the cheapest member of the heap to the end of the queue."""
    last = queue.size[1]
    queue.keys[last], queue.items[last] = keys[0], items[0]
    queue.size[0] -= 1
    queue.size[1] += 1
    keys[0], items[0] = keys[queue.size[0]], items[queue.size[0]]
    sift(keys, items, 0, queue.size[0])


@numba.njit(cache=True)
def _take(
    queue: Queue,
    counts: Ints,
    values: Members,
    used: Ints,
    h: int,
    copies: int,
    residual: Ints,
    filled: Ints,
    place: Ints,
) -> None:
    """Subtract the cheapest ``copies`` of the queue, at most h of a value."""
    i = 0
    while copies > 0:
        t = queue.items[i]
        take = min(counts[t], h - used[values[t]], copies)
        used[values[t]] += take
        copies -= take
        residual[t] -= take
        if len(filled):
            filled[place[t]] += take
        i += 1
    for j in range(i):
        used[values[queue.items[j]]] = 0
