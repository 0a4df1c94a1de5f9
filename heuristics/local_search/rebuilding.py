"""Some groups near to one another are broken up, and groups are built of their rows."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.clustering.cluster_groups import NONE, Groups, size_of
from starmin.heuristics.local_search.local_search_params import RangeMoveParams
from starmin.heuristics.ruin_and_recreate.group_state import Losses, joined_loss
from starmin.heuristics.ruin_and_recreate.nearest_types import nearest_types
from starmin.instances import Run, Scales, Table
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.loops.compiled import inner

# Groups near to a row: those of rows that it loses little with.


class Neighbours(NamedTuple):
    """Rows that lose little together."""

    types: Ints  # the type of each row
    # m x K: types that lose little with each type, the nearest first; -1 at the end
    near: Int32s
    first: Ints  # first, rows: the rows of type t are ``rows[first[t]:first[t + 1]]``
    rows: Ints


def neighbours_of(
    table: Table,
    scales: Scales,
    losses: Losses,
    count: int,
    rng: np.random.Generator,
    run: Run | None = None,
) -> Neighbours:
    """Return as many neighbours of each row type, and its rows.

    ``run`` is the search, whose clock is looked at.

    Examples
    --------
    >>> from starmin.heuristics.ruin_and_recreate.group_state import losses_of
    >>> from starmin.instances import Objective
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> losses, rng = losses_of(table, objective), np.random.default_rng(0)
    >>> neighbours_of(table, objective.scales, losses, 1, rng).near.ravel().tolist()
    [1, 0, 1]
    """
    types = table.row_types
    near = nearest_types(losses, scales.positions(types.codes), count, rng, run)
    inverse = types.inverse.astype(np.int64)
    rows = np.argsort(inverse, kind="stable")
    first = np.searchsorted(inverse[rows], np.arange(len(types) + 1))
    return Neighbours(inverse, near, first.astype(np.int64), rows)


@inner
def near_group(
    s: Groups, n: Neighbours, row: int, locked: Bools, rng: np.random.Generator
) -> int:
    """Draw a row near to this one; return its group, NONE if the same or locked."""
    t = n.types[row]
    u = np.int64(n.near[t, np.int64(rng.random() * n.near.shape[1])])
    if u == NONE:
        u = t
    low, high = n.first[u], n.first[u + 1]
    g = s.group[n.rows[low + np.int64(rng.random() * (high - low))]]
    return NONE if g == s.group[row] or locked[g] else int(g)


class Room(NamedTuple):
    """Room for the groups that a move builds."""

    pool: Ints  # the rows that are dealt
    label: Ints  # the new group of each, -1 before it has one
    low: Int32s  # low, high, size, cost: of each new group
    high: Int32s
    size: Ints
    cost: Floats


def room_for(most: int, columns: int) -> Room:
    """Return room for that many rows."""
    low, high = np.zeros((2, most, columns), np.int32)
    pool, label, size = np.zeros((3, most), np.int64)
    return Room(pool, label, low, high, size, np.zeros(most))


class Moves(NamedTuple):
    """What moves read, and the changes that they list."""

    groups: Groups  # groups, neighbours: the groups, and rows near to one another
    neighbours: Neighbours
    room: Room  # for the groups of a move
    least: int  # no group is left with fewer rows
    params: RangeMoveParams
    locked: Bools  # by group: whether a listed change concerns it
    # found, labels, of: the rows that change, their new groups, and the numbers of the
    # changes
    found: Ints
    labels: Ints
    of: Ints


@inner
def rebuild(
    m: Moves, row: int, allowed: float, rng: np.random.Generator, used: int, made: int
) -> tuple[int, int]:
    """Break up a group and some near ones, and build about as many of their rows."""
    s, n, room, least, params, locked, found, labels, _ = m
    wanted = 1 + np.int64(rng.random() * params.broken)
    size, before, broken = _take(s, room, s.group[row], 0), 0.0, 1
    if size == 0:
        return used, made
    before = size * s.row_cost[s.group[row]]
    locked[s.group[row]] = True
    for _ in range(2 * wanted):
        if broken == wanted:
            break
        h = near_group(s, n, row, locked, rng)
        if h != NONE:
            more = _take(s, room, h, size)
            if more > 0:
                size, broken = size + more, broken + 1
                before += more * s.row_cost[h]
                locked[h] = True
    count = size // max(least, 1)
    if count > broken + 1 or rng.random() < params.one_less:
        count = min(count, broken - 1 + np.int64(rng.random() * 3))
    count = max(1, count)
    after = _build(s, room, size, count, least, before + allowed, rng, params.noise)
    if after > before + allowed:
        for i in range(size):
            locked[s.group[room.pool[i]]] = False
        return used, made
    names = 0
    for i in range(size):  # the groups that were keep their numbers as far as need be
        g = s.group[room.pool[i]]
        if names < count and (i == 0 or g != s.group[room.pool[i - 1]]):
            room.size[names] = g
            names += 1
    while names < count:
        room.size[names] = made
        made += 1
        names += 1
    for i in range(size):
        found[used], labels[used] = room.pool[i], room.size[room.label[i]]
        used += 1
    return used, made


@inner
def _take(s: Groups, room: Room, g: int, size: int) -> int:
    """Put the rows of a group into the pool; return how many, 0 if too many."""
    more = size_of(s, g)
    if size + more > len(room.pool):
        return 0
    for i in range(more):
        room.pool[size + i] = s.members[s.starts[g] + i]
        room.label[size + i] = NONE
    return int(more)


@inner
def _build(
    s: Groups,
    room: Room,
    size: int,
    count: int,
    least: int,
    most: float,
    rng: np.random.Generator,
    noise: float,
) -> float:
    """Make groups of the rows of the pool; return their cost, infinite above ``most``.

    Each begins with a row at random and takes those that it loses least with, but for
    some noise; rows that are left join the groups in which they add least.
    """
    fill, left, total = max(least, size // (2 * count)), size, 0.0
    columns, amounts = s.losses.columns, s.losses.amounts
    for g in range(count):
        room.size[g], room.cost[g] = 0, 0.0
        nth = np.int64(rng.random() * left)
        chosen, cost = 0, 0.0
        for i in range(size):
            if room.label[i] == NONE:
                if nth == 0:
                    chosen = i
                    break
                nth -= 1
        for taken in range(min(fill, left)):
            if taken > 0:
                chosen, least_cost = NONE, np.inf
                for i in range(size):
                    if room.label[i] != NONE:
                        continue
                    here = joined_loss(
                        columns,
                        amounts,
                        room.low,
                        room.high,
                        g,
                        s.positions,
                        room.pool[i],
                        least_cost,
                    )
                    if here == room.cost[g]:  # it adds nothing
                        chosen, cost = i, here
                        break
                    here *= 1 + noise * rng.random()
                    if here < least_cost:
                        chosen, least_cost = i, here
                else:
                    if chosen == NONE:
                        return np.inf
                    cost = joined_loss(
                        columns,
                        amounts,
                        room.low,
                        room.high,
                        g,
                        s.positions,
                        room.pool[chosen],
                        np.inf,
                    )
            _put(s, room, g, chosen, cost)
            left -= 1
        total += room.size[g] * room.cost[g]
        if total > most:
            return np.inf
    for i in range(size):
        if room.label[i] != NONE:
            continue
        best, more, cost = NONE, np.inf, 0.0
        for g in range(count):
            before = room.size[g] * room.cost[g]
            ceiling = (more + before) / (room.size[g] + 1)
            here = joined_loss(
                columns,
                amounts,
                room.low,
                room.high,
                g,
                s.positions,
                room.pool[i],
                ceiling,
            )
            if here < ceiling:
                best, cost = g, here
                more = (room.size[g] + 1) * here - before
        if best == NONE or total + more > most:
            return np.inf
        total += more
        _put(s, room, best, i, cost)
    return total


@inner
def _put(s: Groups, room: Room, g: int, i: int, cost: float) -> None:
    """Let a row of the pool join a new group, whose rows then pay ``cost`` each."""
    row, first = room.pool[i], room.size[g] == 0
    for j in range(s.positions.shape[1]):
        here = s.positions[row, j]
        room.low[g, j] = here if first else min(room.low[g, j], here)
        room.high[g, j] = here if first else max(room.high[g, j], here)
    room.label[i] = g
    room.size[g] += 1
    room.cost[g] = cost
