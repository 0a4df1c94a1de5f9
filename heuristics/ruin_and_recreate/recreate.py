"""How removed rows are grouped anew: groups grow row by row, the rest joins them."""

import numpy as np

from starmin.heuristics.ruin_and_recreate.group_state import (
    REMOVED,
    TOUCHED,
    GroupState,
    join,
    open_group,
    touch,
)
from starmin.heuristics.ruin_and_recreate.row_losses import joined_loss
from starmin.heuristics.ruin_and_recreate.ruin_params import RuinParams
from starmin.instances.loops.compiled import inner

NONE = -1


@inner
def recreate(s: GroupState, ceiling: float, p: RuinParams, built: int) -> float:
    """Group the removed rows; return what groups that the move changed cost more.

    Groups that were broken up count as if they had cost nothing. Infinite where the
    move is to be taken back: where it would cost more than ``ceiling`` even if rows
    that are left cost no more than they are worth. The first ``built`` groups that the
    move touched have their rows already.
    """
    cost: float = 0.0
    broken, worth = s.counts[TOUCHED], _worth_of_removed(s)
    for i in range(built):
        cost += s.size[s.touched[i]] * s.cost[s.touched[i]]
    groups = s.counts[REMOVED] // s.k
    if groups > 1 and np.random.random() < p.one_less:
        groups -= 1
    for i in range(built, built + groups):
        g = s.touched[i] if i < broken else open_group(s)
        if not _grow(s, g, p):
            break
        cost += s.size[g] * s.cost[g]
        if len(s.worth) > 0:
            for row in s.members[g, : s.size[g]]:
                worth -= s.worth[s.kinds[row]]
        if cost + worth > ceiling:
            return np.inf
    grown = s.counts[TOUCHED]
    for i in range(s.counts[REMOVED]):
        row = s.removed[i]
        cost += _place(s, row, grown, p.near)
        if len(s.worth) > 0:
            worth -= s.worth[s.kinds[row]]
        if cost + worth > ceiling:
            return np.inf
    return cost


@inner
def _worth_of_removed(s: GroupState) -> float:
    """Return what the removed rows are worth; nothing where that is not known."""
    worth = 0.0
    if len(s.worth) > 0:
        for row in s.removed[: s.counts[REMOVED]]:
            worth += s.worth[s.kinds[row]]
    return worth


@inner
def _grow(s: GroupState, g: int, p: RuinParams) -> bool:
    """Make a group of k removed rows, each time the one that costs least with them.

    Rows that are worth much are preferred: they cost much elsewhere.

    Returns False, and leaves the rows, where the values forbid it.
    """
    # Fields are read before the loops: numba counts a reference at each reading.
    columns, amounts, positions = s.losses.columns, s.losses.amounts, s.positions
    low, high, removed, members = s.low, s.high, s.removed, s.members
    kinds, worth = s.kinds, s.worth
    left, noise, regard = s.counts[REMOVED], p.noise, p.regard / s.k
    priced = len(worth) > 0
    chosen, cost = np.random.randint(left), 0.0
    begin, best, least, best_cost = 0, NONE, np.inf, 0.0
    for size in range(s.k):
        row = removed[chosen]
        left -= 1
        removed[chosen], removed[left] = removed[left], row
        members[g, size] = row
        for j in range(len(columns)):
            here = positions[row, j]
            low[g, j] = min(low[g, j], here) if size else here
            high[g, j] = max(high[g, j], here) if size else here
        s.size[g], s.cost[g] = size + 1, cost
        if size + 1 == s.k:
            break
        chosen = NONE
        for i in range(begin, left):
            if s.l > 1 and not _admits(s, g, s.values[removed[i]], s.k):
                continue
            row = removed[i]
            bonus = regard * worth[kinds[row]] if priced else 0.0
            most = least + bonus
            here = joined_loss(columns, amounts, low, high, g, positions, row, most)
            if here == cost and not priced:  # no other row can add less
                chosen = i
                break
            noisy = here * (1 + noise * np.random.random()) - bonus
            if noisy < least:
                best, least, best_cost = i, noisy, here
        dearer = chosen < 0
        if dearer:
            chosen, cost = best, best_cost
        if chosen < 0:
            s.size[g] = 0
            return False
        if dearer or s.l > 1:
            begin, best, least = 0, NONE, np.inf
        else:
            begin = chosen  # rows before it cost what they did
    s.counts[REMOVED] = left
    return True


@inner
def _admits(s: GroupState, g: int, value: int, size: int) -> bool:
    """Check whether a group can take one more row of a value, ending at a size."""
    rows = 1
    for row in s.members[g, : s.size[g]]:
        rows += s.values[row] == value
    return bool(rows * s.l <= size)


@inner
def _place(s: GroupState, row: int, built: int, near: int) -> float:
    """Let a row join the group in which it adds least; return that, or infinity."""
    # Fields are read before the loop: numba counts a reference at each reading.
    columns, amounts, positions = s.losses.columns, s.losses.amounts, s.positions
    low, high, sizes, cost = s.low, s.high, s.size, s.cost
    known, group, rows, first = s.near, s.group, s.rows, s.first
    touched, is_touched, t = s.touched, s.is_touched, s.types[row]
    full, others = s.members.shape[1], s.counts[TOUCHED] < len(touched)
    best, least, paid = NONE, np.inf, 0.0
    for i in range(built + min(near, known.shape[1])):
        if i < built:
            g = touched[i]
        else:
            u = known[t, i - built]
            if not others:
                break
            if u < 0:
                continue
            g = group[rows[first[u]]]
            if is_touched[g]:
                continue
        size = sizes[g]
        if size == 0 or size == full:
            continue
        if s.l > 1 and not _admits(s, g, s.values[row], size + 1):
            continue
        before = size * cost[g]
        ceiling = (least + before) / (size + 1)
        here = joined_loss(columns, amounts, low, high, g, positions, row, ceiling)
        more = (size + 1) * here - before
        if more < least:
            best, least, paid = g, more, here
    if best >= 0:
        touch(s, best)
        join(s, best, row, paid)
    return least
