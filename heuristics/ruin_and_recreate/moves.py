"""The moves: some groups are broken up, and their rows grouped anew."""

from typing import NamedTuple

import numpy as np

from heuristics.ruin_and_recreate.group_state import (
    REMOVED,
    TOUCHED,
    GroupState,
    join,
    keep_changes,
    open_group,
    take_back,
    touch,
)
from heuristics.ruin_and_recreate.losses import joined_loss
from instances.loops.compiled import compiled, inner

NONE = -1


class RuinParams(NamedTuple):
    """Constants that steer the moves.

    Attributes
    ----------
    fewest, most
        Groups that a move breaks up.
    skipped
        Share of the near groups that are passed over.
    noise
        What a row costs in a group is multiplied by 1 to 1 + ``noise`` at random when
        the cheapest one is chosen.
    one_less
        Share of the moves that build one group less than there could be.
    near
        Types near a row that is left over, whose groups may take it.
    idle
        Share of the drawn rows that are taken where their group loses nothing.
    """

    fewest: int = 2
    most: int = 4
    skipped: float = 0.2
    noise: float = 0.4
    one_less: float = 0.15
    near: int = 12
    idle: float = 0.1


RUIN_PARAMS = RuinParams()


@compiled
def anneal(s: GroupState, proposals: int, temperature: float, p: RuinParams) -> float:
    """Propose moves and keep those that cost little; return the change in cost.

    Parameters
    ----------
    s
        The state. Updated.
    proposals
        How many moves are proposed.
    temperature
        The mean increase in cost that is kept.
    p
        Constants of the moves.
    """
    total = 0.0
    for _ in range(proposals):
        row = np.random.randint(len(s.group))
        if s.cost[s.group[row]] == 0 and np.random.random() >= p.idle:
            continue
        allowed = -temperature * np.log(1 - np.random.random())
        before = _ruin(s, row, np.random.randint(p.fewest, p.most + 1), p)
        change = _recreate(s, before + allowed, p) - before
        if change <= allowed:
            keep_changes(s)
            total += change
        else:
            take_back(s)
    return total


@compiled
def seed_moves(seed: int) -> None:
    """Seed the random choices of the moves of the calling thread."""
    np.random.seed(seed)


@inner
def _ruin(s: GroupState, row: int, wanted: int, p: RuinParams) -> float:
    """Break up the group of a row and groups near to it; return what they cost."""
    near = s.near[s.types[row]]
    cost: float = _break_up(s, s.group[row])
    broken = 1
    for i in range(-1, len(near)):
        if broken == wanted:
            break
        t = s.types[row] if i < 0 else np.int64(near[i])
        if t < 0:
            break
        if np.random.random() < p.skipped:
            continue
        g = s.group[s.rows[np.random.randint(s.first[t], s.first[t + 1])]]
        if not s.is_touched[g]:
            cost += _break_up(s, g)
            broken += 1
    return cost


@inner
def _break_up(s: GroupState, g: int) -> float:
    """Remove all rows of a group; return what they cost."""
    touch(s, g)
    size, at = s.size[g], s.counts[REMOVED]
    for i in range(size):
        s.removed[at + i] = s.members[g, i]
    s.counts[REMOVED] += size
    s.size[g] = 0
    return float(size * s.cost[g])


@inner
def _recreate(s: GroupState, ceiling: float, p: RuinParams) -> float:
    """Group the removed rows; return what groups that the move changed cost more.

    Groups that were broken up count as if they had cost nothing. Infinite, or more than
    ``ceiling``, where the move is to be taken back.
    """
    cost: float = 0.0
    broken = s.counts[TOUCHED]
    groups = s.counts[REMOVED] // s.k
    if groups > 1 and np.random.random() < p.one_less:
        groups -= 1
    for i in range(groups):
        g = s.touched[i] if i < broken else open_group(s)
        if not _grow(s, g, p.noise):
            break
        cost += s.size[g] * s.cost[g]
        if cost > ceiling:
            return cost
    built = s.counts[TOUCHED]
    for i in range(s.counts[REMOVED]):
        cost += _place(s, s.removed[i], built, p.near)
        if cost > ceiling:
            break
    return cost


@inner
def _grow(s: GroupState, g: int, noise: float) -> bool:
    """Make a group of k removed rows, each time the one that costs least with them.

    Returns False, and leaves the rows, where the values forbid it.
    """
    # Fields are read before the loops: numba counts a reference at each reading.
    columns, amounts, positions = s.losses.columns, s.losses.amounts, s.positions
    low, high, removed, members = s.low, s.high, s.removed, s.members
    left = s.counts[REMOVED]
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
            here = joined_loss(columns, amounts, low, high, g, positions, row, least)
            if here == cost:  # no other row can add less
                chosen = i
                break
            noisy = here * (1 + noise * np.random.random())
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
            if u < 0 or not others:
                break
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
