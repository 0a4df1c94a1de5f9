"""Compiled loops that solve the pricing problems of all patterns, for k-anonymity.

They compute what ``models.lagrangian_relaxation.prices`` defines, in the same integers,
without sorting every pattern: only negative values count in a price bound, and most
patterns are seen to have none by one look at their members, or without it.

Let g < 0 be the reduced cost of all copies for which it is negative. A choice with a
negative value has no member whose reduced cost is -g or more, since the rest of it
costs g at least. So only the members below -g are *candidates*, and where those with a
negative reduced cost make a group by themselves they are the best choice.
"""

import numpy as np
import numpy.typing as npt

from instances.loops.compiled import compiled, inner
from models.lagrangian_relaxation.candidates import (
    INFEASIBLE,
    heapify,
    list_candidates,
    scan_members,
    sift_down,
)
from models.lagrangian_relaxation.pricing_data import Memory, PricingData, Workspace

Ints = npt.NDArray[np.int64]
Members = npt.NDArray[np.int32]


@compiled
def solve_pricing_k(
    data: PricingData,
    prices: Ints,
    risen: int,
    memory: Memory,
    workspace: Workspace,
    supergradient: Ints,
) -> int:
    """Return the sum of ``min(0, f_p)`` over all patterns, for k-anonymity.

    Parameters
    ----------
    data
        The pricing problems.
    prices
        One price for each type, in units of 1/DENOMINATOR.
    risen
        By how much the prices rose at most since the first call, one call after the
        other.
    memory
        From the calls before; updated.
    workspace
        Arrays for the candidates of a pattern.
    supergradient
        The copies in the best choices of negative value are subtracted from it.

    Notes
    -----
    O(incidences looked at), and a heap of the candidates of the patterns that fewer
    than k copies with a negative reduced cost fit.
    """
    total = 0
    starts, types, cost, counts, k = (
        data.starts,
        data.members,
        data.cost,
        data.counts,
        data.k,
    )
    keys, items, next_look = workspace.keys, workspace.items, memory.next_look
    for p in range(len(cost)):
        if next_look[p] > risen:
            continue
        members = types[starts[p] : starts[p + 1]]
        gain, copies, least = scan_members(members, cost[p], counts, prices)
        if copies == 0:
            next_look[p] = risen + least
            continue
        if copies < k:
            other = data.outside[p]
            if gain + (k - copies) * min(least, other) >= 0:
                continue
            most = min(-gain, other)
            size = list_candidates(members, cost[p], prices, 0, most, keys, items)
            need = k - copies
            gain += _pad(keys, items, size, counts, need, gain, other, supergradient)
            if gain >= 0:
                continue
        for t in members:
            if prices[t] > cost[p]:
                supergradient[t] -= counts[t]
        total += gain
    return total


@inner
def _pad(
    keys: Ints,
    items: Members,
    size: int,
    counts: Ints,
    need: int,
    gain: int,
    other: int,
    supergradient: Ints,
) -> int:
    """Return the cost of the ``need`` cheapest copies; ``-gain`` if it is no less.

    Copies of other types than those in the heap cost ``other`` each.
    """
    heapify(keys, items, size)
    paid, left = 0, size
    while need > 0 and left > 0 and gain + paid < 0:
        reduced, t = keys[0], items[0]
        take = min(need, counts[t])
        paid += take * reduced
        need -= take
        left -= 1
        keys[0], items[0] = keys[left], items[left]
        sift_down(keys, items, 0, left)
        keys[left], items[left] = take, t
    if need > 0 and other < INFEASIBLE:
        paid += need * other
        need = 0
    if need > 0 or gain + paid >= 0:
        return -gain
    for i in range(left, size):
        supergradient[items[i]] -= keys[i]
    return paid
