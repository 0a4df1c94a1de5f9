"""Moves of the local search for losses, drawn at random: rows move, are swapped, and
groups near to one another are built anew.
"""

import numpy as np

from starmin.heuristics.acceptance.metropolis import most_increase
from starmin.heuristics.clustering.cluster_groups import (
    NONE,
    Groups,
    cost_after,
    size_of,
)
from starmin.heuristics.local_search.local_search_params import RangeMoveParams
from starmin.heuristics.local_search.near_groups import Neighbours, near_group
from starmin.heuristics.local_search.rebuilding import Room, rebuild
from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled, inner


@compiled
def propose_ranges(
    s: Groups,
    neighbours: Neighbours,
    room: Room,
    proposals: int,
    temperature: float,
    least: int,
    params: RangeMoveParams,
    rng: np.random.Generator,
    found: Ints,
    labels: Ints,
    of: Ints,
) -> tuple[int, int]:
    """Propose moves, no two of which share a group; list those that cost little.

    Parameters
    ----------
    s, neighbours
        The groups, and rows near to one another.
    room
        For the groups of a move.
    proposals
        How many moves are proposed.
    temperature
        The mean increase in cost that is accepted, in the unit of costs.
    least
        No group is left with fewer rows.
    params
        Constants that steer the moves.
    rng
        Source of the draws.
    found, labels, of
        The rows that change, their new groups, and the numbers of the changes are
        written here.

    Returns
    -------
    tuple
        How many rows, and how many changes, there are.
    """
    groups = len(s.row_cost)
    locked = np.zeros(groups, np.bool_)
    used, changes, made = 0, 0, groups
    for _ in range(proposals):
        row = np.int64(rng.random() * len(s.group))
        g = s.group[row]
        if locked[g] or s.row_cost[g] == 0:
            continue
        allowed = most_increase(temperature, rng.random())
        draw, begin = rng.random(), used
        if draw < params.moved:
            used = _move(
                s, neighbours, row, least, allowed, locked, rng, found, labels, used
            )
        elif draw < params.moved + params.swapped:
            used = _swap(
                s, neighbours, row, allowed, locked, rng, found, labels, used, params
            )
        else:
            used, made = rebuild(
                s,
                neighbours,
                room,
                row,
                least,
                allowed,
                locked,
                rng,
                found,
                labels,
                used,
                made,
                params,
            )
        if used > begin:
            for i in range(begin, used):
                locked[s.group[found[i]]] = True
                if labels[i] < groups:
                    locked[labels[i]] = True
                of[i] = changes
            changes += 1
    return used, changes


@inner
def _move(
    s: Groups,
    n: Neighbours,
    row: int,
    least: int,
    allowed: float,
    locked: Bools,
    rng: np.random.Generator,
    found: Ints,
    labels: Ints,
    used: int,
) -> int:
    """Move a row to a near group."""
    g = s.group[row]
    own = size_of(s, g)
    h = near_group(s, n, row, locked, rng)
    if own <= max(1, least) or h == NONE:
        return used
    size = size_of(s, h)
    after = (own - 1) * cost_after(s, g, row, NONE)
    after += (size + 1) * cost_after(s, h, NONE, row)
    if after - own * s.row_cost[g] - size * s.row_cost[h] > allowed:
        return used
    found[used], labels[used] = row, h
    return used + 1


@inner
def _swap(
    s: Groups,
    n: Neighbours,
    row: int,
    allowed: float,
    locked: Bools,
    rng: np.random.Generator,
    found: Ints,
    labels: Ints,
    used: int,
    params: RangeMoveParams,
) -> int:
    """Swap a row with one of a near group that the requirement cannot tell from it."""
    g = s.group[row]
    h = near_group(s, n, row, locked, rng)
    if h == NONE:
        return used
    own, other, best = size_of(s, g), size_of(s, h), NONE
    most = own * s.row_cost[g] + other * s.row_cost[h] + allowed
    for _ in range(params.tries):
        back = s.members[s.starts[h] + np.int64(rng.random() * other)]
        if s.twin[back] != s.twin[row]:
            continue
        after = own * cost_after(s, g, row, back) + other * cost_after(s, h, back, row)
        if after <= most:
            best, most = back, after
    if best == NONE:
        return used
    found[used], labels[used] = row, h
    found[used + 1], labels[used + 1] = best, g
    return used + 2
