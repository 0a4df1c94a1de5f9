"""Compiled loops over the patterns that star the same columns."""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled


@compiled
def near_members(
    groups: Int32s, size: int, counts: Ints, own: Int32s, cost: int, slack: int, k: int
) -> tuple[Ints, Int32s]:
    """List the types near each of the patterns that star the same columns.

    Returns how many types each pattern has that is listed, and the types. A pattern is
    listed if k rows fit it, and if its near types have k rows or one of them may have a
    price above the cost.

    ``groups`` has for each type its pattern, of which there are ``size``; ``counts``
    are by type. ``own``, by type, is updated in place: its own cost, the greatest
    number where it is not known yet. These patterns cost ``cost``, and no pattern that
    was not listed before costs less. For ``slack`` and ``k`` see
    ``starmin.models.near_patterns.near_listing``.
    """
    support = np.zeros(size, np.int64)
    near = np.zeros(size, np.int64)
    reach = np.zeros(size, np.int64)
    winner = np.zeros(size, np.bool_)
    for t in range(len(groups)):
        support[groups[t]] += counts[t]
    for t in range(len(groups)):
        g = groups[t]
        if support[g] < k:
            continue
        if own[t] > cost:
            own[t] = cost
        if own[t] + slack >= cost:
            near[g] += 1
            reach[g] += counts[t]
            if own[t] + slack > cost:
                winner[g] = True
    place = np.full(size, -1, np.int64)
    listed, total = 0, 0
    for g in range(size):
        if near[g] > 0 and (winner[g] or reach[g] >= k):
            place[g] = total
            listed += 1
            total += near[g]
    lengths = np.empty(listed, np.int64)
    members = np.empty(total, np.int32)
    listed = 0
    for g in range(size):
        if place[g] >= 0:
            lengths[listed] = near[g]
            listed += 1
    for t in range(len(groups)):
        g = groups[t]
        if place[g] >= 0 and own[t] + slack >= cost:
            members[place[g]] = t
            place[g] += 1
    return lengths, members


@compiled
def note_own_costs(
    groups: Int32s, size: int, counts: Ints, own: Int32s, cost: int, k: int
) -> None:
    """Lower the own costs of types to that of patterns that star the same columns.

    ``groups`` has for each type its pattern, of which there are ``size``; a row loses
    ``cost`` in these patterns. ``own``, by type, is updated in place: the least cost
    found; that of patterns which ``k`` rows fit, and which cost less than that.
    """
    support = np.zeros(size, np.int64)
    for t in range(len(groups)):
        support[groups[t]] += counts[t]
    for t in range(len(groups)):
        if support[groups[t]] >= k and own[t] > cost:
            own[t] = cost
