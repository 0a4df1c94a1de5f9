"""Compiled loops over all patterns: what their best fills gain, and who is in them.

They compute what ``models.lagrangian_relaxation.prices`` defines, in the same integers,
without sorting every pattern: only fills with a negative value count in a price bound,
and most patterns are seen to have none by one look at their members, or without it.

Let g < 0 be what all members with a negative reduced cost are worth together. A fill
with a negative value has no member whose reduced cost is -g or more, since the rest
of it is worth g at best. So only the members below -g are *candidates*, and where
those with a negative reduced cost make a group by themselves they are the best fill.
"""

import numba
import numpy as np
import numpy.typing as npt

from models.lagrangian_relaxation.candidates import candidates, heap, look, sift

Ints = npt.NDArray[np.int64]
Members = npt.NDArray[np.int32]


@numba.njit(cache=True)
def sweep_k(
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
) -> int:
    """The sum of ``min(0, f_p)`` over all patterns, for k-anonymity.

    Parameters
    ----------
    starts, types, cost, counts
        The patterns and the multiplicities of the types.
    prices, k
        One price for each type, in the unit of ``cost``; the least size of a group.
    moved, due
        By how much the prices rose at most since the first sweep, one step after the
        other. A pattern is not looked at before ``moved`` reaches its ``due``: until
        then no member can have a negative reduced cost. Updated.
    keys, items
        Room for the candidates of a pattern.
    residual
        The copies in the best fills are subtracted from it.

    Notes
    -----
    O(incidences looked at), and a heap of the candidates of the patterns that fewer
    than k copies with a negative reduced cost fit.
    """
    total = 0
    for p in range(len(cost)):
        if due[p] > moved:
            continue
        members = types[starts[p] : starts[p + 1]]
        gain, copies, least = look(members, cost[p], counts, prices)
        if copies == 0:
            due[p] = moved + least
            continue
        if copies < k:
            if gain + (k - copies) * least >= 0:
                continue
            size = candidates(members, cost[p], prices, 0, -gain, keys, items)
            gain += _pad(keys, items, size, counts, k - copies, gain, residual)
            if gain >= 0:
                continue
        for t in members:
            if prices[t] > cost[p]:
                residual[t] -= counts[t]
        total += gain
    return total


@numba.njit(cache=True)
def _pad(
    keys: Ints,
    items: Members,
    size: int,
    counts: Ints,
    need: int,
    gain: int,
    residual: Ints,
) -> int:
    """The cost of the ``need`` cheapest copies; ``-gain`` where it is no less."""
    heap(keys, items, size)
    paid, left = 0, size
    while need > 0 and left > 0 and gain + paid < 0:
        reduced, t = keys[0], items[0]
        take = min(need, counts[t])
        paid += take * reduced
        need -= take
        left -= 1
        keys[0], items[0] = keys[left], items[left]
        sift(keys, items, 0, left)
        keys[left], items[left] = take, t
    if need > 0 or gain + paid >= 0:
        return -gain
    for i in range(left, size):
        residual[items[i]] -= keys[i]
    return paid
