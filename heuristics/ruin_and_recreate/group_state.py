"""The groups of a release while they are broken up and built anew: arrays."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.ruin_and_recreate.ruin_rows import (
    NO_GUIDE,
    Guide,
    Losses,
    RuinRows,
    joined_loss,
)
from starmin.instances import Partition
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inlined, inner
from starmin.instances.tables.table_loops import by_key

# Places in GroupState.counts.
FREE, TOUCHED, REMOVED = range(3)
MOST_TOUCHED = 256  # groups that a move changes


class GroupState(NamedTuple):
    """Groups of rows, what they lose, and how they were before the move at hand."""

    losses: Losses  # what rows lose together
    # positions, values: the rows: n x d positions, and the sensitive values
    positions: Int32s
    values: Int32s
    # types, first, rows: the type of each row; the rows of type t are
    # ``rows[first[t] : first[t + 1]]``
    types: Ints
    first: Ints
    rows: Int32s
    # m x K: types that lose little with each type, the nearest first; -1 for none
    near: Int32s
    # the type of each row with its sensitive value under diversity, else its type
    kinds: Ints
    # kind_first, kind_rows: the rows of each kind, as those of each type
    kind_first: Ints
    kind_rows: Int32s
    # what a row of each kind is worth, and patterns to try; empty where not known
    guide: Guide
    # k, l: a group has at least k rows, and no value in more than one of l of them
    k: int
    l: int
    group: Ints  # of each row
    # members, size, low, high, cost: of each group its rows, how many they are, their
    # least and greatest positions, and what each of them pays; of size 0 where the
    # group is free
    members: Int32s
    size: Ints
    low: Int32s
    high: Int32s
    cost: Floats
    free: Ints  # the free groups, a stack
    # is_touched, touched: which groups the move at hand changed, and in what order
    is_touched: Bools
    touched: Ints
    # old_members, old_size, old_low, old_high, old_cost: how they were before
    old_members: Int32s
    old_size: Ints
    old_low: Int32s
    old_high: Int32s
    old_cost: Floats
    removed: Int32s  # the rows that are in no group
    chosen: Int32s  # room for k rows that fit a pattern
    counts: Ints  # how many groups are free, how many touched, how many rows removed


def group_state(
    problem: RuinRows, release: Partition, guide: Guide = NO_GUIDE
) -> GroupState:
    """Return the state of a release, whose larger groups are cut into valid parts.

    Parameters
    ----------
    problem
        The rows, what they lose together, and the requirement.
    release
        Groups that satisfy the requirement.
    guide
        What prices say to the moves.
    """
    types, k, l = problem.types, problem.k, problem.l
    n, d = problem.positions.shape
    groups = _small_groups(release, problem.values, k, l)
    widest = max(2 * k - 1, max(map(len, groups)))
    room = max(len(groups), n // k) + MOST_TOUCHED
    first, rows = by_key(types, int(types.max()) + 1)
    kind_first, kind_rows = by_key(problem.kinds, int(problem.kinds.max()) + 1)
    state = GroupState(
        losses=problem.losses,
        positions=problem.positions,
        values=problem.values,
        types=types.astype(np.int64),
        first=first,
        rows=rows.astype(np.int32),
        near=problem.near,
        kinds=problem.kinds.astype(np.int64),
        kind_first=kind_first,
        kind_rows=kind_rows.astype(np.int32),
        guide=guide,
        k=k,
        l=l,
        group=np.empty(n, np.int64),
        members=np.zeros((room, widest), np.int32),
        size=np.zeros(room, np.int64),
        low=np.zeros((room, d), np.int32),
        high=np.zeros((room, d), np.int32),
        cost=np.zeros(room),
        free=np.arange(room)[::-1].copy(),
        is_touched=np.zeros(room, bool),
        touched=np.zeros(MOST_TOUCHED, np.int64),
        old_members=np.zeros((MOST_TOUCHED, widest), np.int32),
        old_size=np.zeros(MOST_TOUCHED, np.int64),
        old_low=np.zeros((MOST_TOUCHED, d), np.int32),
        old_high=np.zeros((MOST_TOUCHED, d), np.int32),
        old_cost=np.zeros(MOST_TOUCHED),
        removed=np.zeros(MOST_TOUCHED * widest, np.int32),
        chosen=np.zeros(k, np.int32),
        counts=np.array([room - len(groups), 0, 0], np.int64),
    )
    sizes = np.array(list(map(len, groups)), np.int64)
    _fill(state, np.concatenate(groups), np.cumsum(sizes))
    return state


def _small_groups(release: Partition, values: Int32s, k: int, l: int) -> list[Int32s]:
    """Cut valid groups into such of at most 2k - 1 rows, where that can be."""
    found = []
    for rows in release.members():
        if len(rows) < 2 * k:
            found.append(rows)
        elif l == 1:
            cut = range(k, len(rows) - k + 1, k)
            found += np.split(rows, cut)
        else:
            found += _cut(rows, values[rows], k, l)
    return found


def _cut(rows: Int32s, own: Int32s, k: int, l: int) -> list[Int32s]:
    """Cut a group into such of k rows, as long as it can be, and the rest.

    The most frequent values give a row in turn, so that the rest stays diverse.
    """
    left, found = np.bincount(own), list[Int32s]()
    # By value its rows in their order, of which some are given.
    places = np.argsort(own, kind="stable")
    following = np.cumsum(left) - left
    whole = np.ones(len(rows), bool)
    rest = len(rows)
    while rest >= 2 * k:
        used = np.zeros_like(left)
        for _ in range(k):
            value = int(np.argmax(np.where((used + 1) * l <= k, left - used, -1)))
            if left[value] == used[value] or (used[value] + 1) * l > k:
                break
            used[value] += 1
        if used.sum() < k or l * int((left - used).max()) > rest - k:
            break
        given = np.sort(
            [
                place
                for value in np.flatnonzero(used)
                for place in places[following[value] :][: used[value]]
            ]
        )
        found.append(rows[given])
        whole[given] = False
        left, following, rest = left - used, following + used, rest - k
    return [*found, rows[whole]]


@compiled
def _fill(s: GroupState, rows: Int32s, ends: Ints) -> None:
    """Make the groups of these rows, one group after the other."""
    g = 0
    for i in range(len(rows)):
        g += i == ends[g]
        join(s, g, rows[i], 0.0)
        s.group[rows[i]] = g
    columns, amounts = s.losses.columns, s.losses.amounts
    for g in range(len(ends)):
        s.cost[g] = joined_loss(columns, amounts, s.low, s.high, g, s.low, g, np.inf)


@inlined
def touch(s: GroupState, g: int) -> None:
    """Note how a group is before the move at hand changes it."""
    if not s.is_touched[g]:
        at, size = s.counts[TOUCHED], s.size[g]
        s.is_touched[g] = True
        s.touched[at], s.old_size[at], s.old_cost[at] = g, size, s.cost[g]
        for i in range(size):
            s.old_members[at, i] = s.members[g, i]
        for j in range(s.low.shape[1]):
            s.old_low[at, j], s.old_high[at, j] = s.low[g, j], s.high[g, j]
        s.counts[TOUCHED] += 1


@inner
def open_group(s: GroupState) -> int:
    """Return a free group, touched."""
    s.counts[FREE] -= 1
    g = s.free[s.counts[FREE]]
    touch(s, g)
    return int(g)


@inlined
def join(s: GroupState, g: int, row: int, cost: float) -> None:
    """Let a row join a group, whose rows then pay ``cost`` each."""
    size = s.size[g]
    for j in range(s.low.shape[1]):
        here = s.positions[row, j]
        s.low[g, j] = min(s.low[g, j], here) if size else here
        s.high[g, j] = max(s.high[g, j], here) if size else here
    s.members[g, size] = row
    s.size[g] = size + 1
    s.cost[g] = cost


@inner
def keep_changes(s: GroupState) -> None:
    """End a move that is kept."""
    for i in range(s.counts[TOUCHED]):
        g = s.touched[i]
        for k in range(s.size[g]):
            s.group[s.members[g, k]] = g
    _end(s)


@inner
def take_back(s: GroupState) -> None:
    """End a move by making all groups what they were."""
    for i in range(s.counts[TOUCHED]):
        g, size = s.touched[i], s.old_size[i]
        s.size[g], s.cost[g] = size, s.old_cost[i]
        for k in range(size):
            s.members[g, k] = s.old_members[i, k]
        for j in range(s.low.shape[1]):
            s.low[g, j], s.high[g, j] = s.old_low[i, j], s.old_high[i, j]
    _end(s)


@inlined
def _end(s: GroupState) -> None:
    for i in range(s.counts[TOUCHED]):
        g = s.touched[i]
        s.is_touched[g] = False
        if s.size[g] == 0:
            s.free[s.counts[FREE]] = g
            s.counts[FREE] += 1
    s.counts[TOUCHED] = s.counts[REMOVED] = 0
