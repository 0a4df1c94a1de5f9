"""Changes of one row, or one group, that lower the cost (see ``clustering``)."""

import numpy as np

from starmin.heuristics.clustering.cluster_groups import (
    NONE,
    Groups,
    cheapest_group,
    cost_after,
    part_cost,
    size_of,
)
from starmin.heuristics.ruin_and_recreate.row_losses import is_star
from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled, inner

MOVE, SWAP, DISSOLVE, SPLIT = 0, 1, 2, 3
# What is saved must be more than rounding may make of nothing.
_LESS = 1 - 1e-9


@compiled
def propose(
    s: Groups,
    rows: Ints,
    kind: int,
    least: int,
    large: int,
    found: Ints,
    labels: Ints,
    of: Ints,
) -> tuple[int, int]:
    """Find changes of one kind that save something, no two of which share a group.

    The kind is ``MOVE``, ``SWAP``, ``DISSOLVE`` or ``SPLIT``, and a split makes a new
    group. ``rows`` are tried in order, and no group is left with fewer rows than
    ``least``. Groups of more rows than ``large`` are not searched for a row to swap,
    nor split where they have more than the square of it.

    The rows that change, their new groups, and the numbers of the changes are written
    to ``found``, ``labels`` and ``of``. Returns how many rows, and how many changes,
    there are.
    """
    groups = len(s.row_cost)
    locked = np.zeros(groups, np.bool_)
    used, changes, made = 0, 0, 0
    for row in rows:
        g = s.group[row]
        if locked[g] or s.row_cost[g] == 0:
            continue
        begin = used
        if kind == MOVE:
            used = _move(s, row, least, locked, found, labels, used)
        elif kind == SWAP:
            used = _swap(s, row, large, locked, found, labels, used)
        elif s.members[s.starts[g]] == row and kind == DISSOLVE:
            used = _dissolve(s, g, locked, found, labels, used)
        elif s.members[s.starts[g]] == row:
            sizes = (least, large)
            used = _split(s, g, sizes, groups + made, found, labels, used)
            made += used > begin
        if used > begin:
            locked[g] = True
            for i in range(begin, used):
                if labels[i] < groups:
                    locked[labels[i]] = True
                of[i] = changes
            changes += 1
    return used, changes


@inner
def _move(
    s: Groups,
    row: int,
    least: int,
    locked: Bools,
    found: Ints,
    labels: Ints,
    used: int,
) -> int:
    """Move a row to the group in which it costs least."""
    g = s.group[row]
    size = size_of(s, g)
    if size <= max(1, least):
        return used
    gain = size * s.row_cost[g] - (size - 1) * cost_after(s, g, row, NONE)
    target, _ = cheapest_group(s, row, locked, gain * _LESS)
    if target == NONE:
        return used
    found[used], labels[used] = row, target
    return used + 1


@inner
def _swap(
    s: Groups,
    row: int,
    large: int,
    locked: Bools,
    found: Ints,
    labels: Ints,
    used: int,
) -> int:
    """Swap a row with one of the group in which it costs least."""
    g = s.group[row]
    limit = size_of(s, g) * s.row_cost[g] * _LESS
    target, _ = cheapest_group(s, row, locked, limit)
    if target == NONE or size_of(s, target) > large or size_of(s, g) > large:
        return used
    own, other = size_of(s, g), size_of(s, target)
    least, best = (own * s.row_cost[g] + other * s.row_cost[target]) * _LESS, NONE
    for i in range(s.starts[target], s.starts[target + 1]):
        back = s.members[i]
        if s.twin[back] != s.twin[row]:
            continue
        here, there = cost_after(s, g, row, back), cost_after(s, target, back, row)
        if own * here + other * there < least:
            least, best = own * here + other * there, back
    if best == NONE:
        return used
    found[used], labels[used] = row, target
    found[used + 1], labels[used + 1] = best, g
    return used + 2


@inner
def _dissolve(
    s: Groups, g: int, locked: Bools, found: Ints, labels: Ints, used: int
) -> int:
    """Move all rows of a group to different others."""
    left, begin = size_of(s, g) * s.row_cost[g] * _LESS, used
    for i in range(s.starts[g], s.starts[g + 1]):
        target, cost = cheapest_group(s, s.members[i], locked, left)
        if target == NONE:
            break
        left -= cost
        found[used], labels[used] = s.members[i], target
        locked[target] = True
        used += 1
    if used - begin == size_of(s, g):
        return used
    for i in range(begin, used):
        locked[labels[i]] = False
    return begin


@inner
def _split(
    s: Groups,
    g: int,
    sizes: tuple[int, int],
    new: int,
    found: Ints,
    labels: Ints,
    used: int,
) -> int:
    """Split off the rows that agree with one in a column in which others differ.

    Where there are ranges or a tree, those up to this one in the order of positions.
    ``sizes`` are the least and the large size of a group, as for ``propose``.
    """
    least, large = sizes
    size, begin, end = size_of(s, g), s.starts[g], s.starts[g + 1]
    if size < 2 * least or size > large * large:
        return used
    best, column, first, last = size * s.row_cost[g] * _LESS, NONE, NONE, NONE
    seen = np.zeros(size, np.bool_)
    for j in range(len(s.losses.columns)):
        if s.low[g, j] == s.high[g, j]:
            continue
        seen[:] = False
        star = is_star(s.losses.columns, j)
        for i in range(size):
            if seen[i]:
                continue
            high, inside = int(s.positions[s.members[begin + i], j]), 0
            low = high if star else int(s.low[g, j])
            for h in range(size):
                here = s.positions[s.members[begin + h], j]
                seen[h] |= here == high
                inside += low <= here <= high
            if inside < least or size - inside < least:
                continue
            within, beyond = part_cost(s, g, j, low, high)
            cost = inside * within + (size - inside) * beyond
            if cost < best:
                best, column, first, last = cost, j, low, high
    if column == NONE:
        return used
    for i in range(begin, end):
        if first <= s.positions[s.members[i], column] <= last:
            found[used], labels[used] = s.members[i], new
            used += 1
    return used
