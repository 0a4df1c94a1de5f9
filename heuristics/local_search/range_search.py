"""Search for less loss by generalization, under any requirement.

Rows move, swap groups, or some groups near to one another are broken up, and groups
are built of their rows.
"""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import most_increase
from starmin.heuristics.local_search.cluster_groups import (
    NONE,
    ROWS,
    Changes,
    GroupLabels,
    Groups,
    cost_after,
    end_change,
    list_row,
    no_changes,
    size_of,
)
from starmin.heuristics.local_search.local_search_state import (
    LocalSearchParams,
    RangeMoveParams,
)
from starmin.heuristics.ruin_and_recreate.ruin_rows import (
    Losses,
    joined_loss,
    losses_of,
    nearest_types,
)
from starmin.instances import Partition, Run, Scales, Table
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.tables.table_loops import by_key


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
    """Return as many neighbours of each row type, and its rows; ``run`` gives the time.

    Examples
    --------
    >>> from starmin.heuristics.ruin_and_recreate.ruin_rows import losses_of
    >>> from starmin.instances import Objective
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> losses, rng = losses_of(table, objective), np.random.default_rng(0)
    >>> neighbours_of(table, objective.scales, losses, 1, rng).near.ravel().tolist()
    [1, 0, 1]
    """
    types = table.row_types
    near = nearest_types(losses, scales.positions(types.codes), count, rng, run)
    first, rows = by_key(types.inverse, len(types))
    return Neighbours(types.inverse.astype(np.int64), near, first, rows)


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
    changes: Changes


@inner
def rebuild(
    m: Moves, row: int, allowed: float, rng: np.random.Generator, made: int
) -> int:
    """Break up a group and some near ones, and build about as many of their rows.

    Groups are numbered from ``made`` on; returns the next number.
    """
    s, n, room, least, params, changes = m
    locked = changes.locked
    wanted = 1 + np.int64(rng.random() * params.broken)
    size, before, broken = _take(s, room, s.group[row], 0), 0.0, 1
    if size == 0:
        return made
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
        return made
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
        list_row(changes, room.pool[i], room.size[room.label[i]])
    return made


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
    columns, amounts, rows = s.losses.columns, s.losses.amounts, s.positions
    low, high, pool, label = room.low, room.high, room.pool, room.label
    for g in range(count):
        room.size[g], room.cost[g] = 0, 0.0
        nth = np.int64(rng.random() * left)
        chosen, cost = 0, 0.0
        for i in range(size):
            if label[i] == NONE:
                if nth == 0:
                    chosen = i
                    break
                nth -= 1
        for taken in range(min(fill, left)):
            if taken > 0:
                chosen, most_here = NONE, np.inf
                for i in range(size):
                    if label[i] != NONE:
                        continue
                    here = joined_loss(
                        columns, amounts, low, high, g, rows, pool[i], most_here
                    )
                    if here == room.cost[g]:  # it adds nothing
                        chosen, cost = i, here
                        break
                    here *= 1 + noise * rng.random()
                    if here < most_here:
                        chosen, most_here = i, here
                else:
                    if chosen == NONE:
                        return np.inf
                    cost = joined_loss(
                        columns, amounts, low, high, g, rows, pool[chosen], np.inf
                    )
            _put(s, room, g, chosen, cost)
            left -= 1
        total += room.size[g] * room.cost[g]
        if total > most:
            return np.inf
    for i in range(size):
        if label[i] != NONE:
            continue
        best, more, cost = NONE, np.inf, 0.0
        for g in range(count):
            before = room.size[g] * room.cost[g]
            ceiling = (more + before) / (room.size[g] + 1)
            here = joined_loss(columns, amounts, low, high, g, rows, pool[i], ceiling)
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


@compiled
def propose_ranges(
    m: Moves, proposals: int, temperature: float, rng: np.random.Generator
) -> None:
    """Propose moves, no two of which share a group; list those that cost little.

    ``m`` has the groups, none of which is locked, and room for changes.
    ``temperature`` is the mean increase that is accepted.
    """
    s, c = m.groups, m.changes
    made = len(s.row_cost)
    for _ in range(proposals):
        row = np.int64(rng.random() * len(s.group))
        g = s.group[row]
        if c.locked[g] or s.row_cost[g] == 0:
            continue
        allowed = most_increase(temperature, rng.random())
        draw, begin = rng.random(), c.heads[ROWS]
        if draw < m.params.moved:
            _move(m, row, allowed, rng)
        elif draw < m.params.moved + m.params.swapped:
            _swap(m, row, allowed, rng)
        else:
            made = rebuild(m, row, allowed, rng, made)
        end_change(s, c, begin)


@inner
def _move(m: Moves, row: int, allowed: float, rng: np.random.Generator) -> None:
    """Move a row to a near group."""
    s = m.groups
    g = s.group[row]
    own = size_of(s, g)
    h = near_group(s, m.neighbours, row, m.changes.locked, rng)
    if own <= max(1, m.least) or h == NONE:
        return
    size = size_of(s, h)
    after = (own - 1) * cost_after(s, g, row, NONE)
    after += (size + 1) * cost_after(s, h, NONE, row)
    if after - own * s.row_cost[g] - size * s.row_cost[h] <= allowed:
        list_row(m.changes, row, h)


@inner
def _swap(m: Moves, row: int, allowed: float, rng: np.random.Generator) -> None:
    """Swap a row with one of a near group that the requirement cannot tell from it."""
    s = m.groups
    g = s.group[row]
    h = near_group(s, m.neighbours, row, m.changes.locked, rng)
    if h == NONE:
        return
    own, other, best = size_of(s, g), size_of(s, h), NONE
    most = own * s.row_cost[g] + other * s.row_cost[h] + allowed
    for _ in range(m.params.tries):
        back = s.members[s.starts[h] + np.int64(rng.random() * other)]
        if s.twin[back] != s.twin[row]:
            continue
        after = own * cost_after(s, g, row, back) + other * cost_after(s, h, back, row)
        if after <= most:
            best, most = back, after
    if best != NONE:
        list_row(m.changes, row, h)
        list_row(m.changes, best, g)


class RangeSearch:
    """The groups of the search, and the best that were found.

    Moves are proposed on the groups as they are, no two of which share a group; those
    that the requirement allows are made. The run has a release; ``proposals`` moves are
    tried for each row type. For the attributes see ``StarSearch``.
    """

    def __init__(
        self, run: Run, seed: int, proposals: int, params: LocalSearchParams
    ) -> None:
        self.run, self.params, table = run, params, run.table
        self.rng = np.random.default_rng(seed)
        scales, losses = run.objective.scales_of(table), losses_of(table, run.objective)
        near = params.neighbours
        self.neighbours = neighbours_of(table, scales, losses, near, self.rng, run)
        self.room = room_for(params.largest, table.d)
        self.most = proposals * len(table.row_types)
        self.begin()

    def begin(self) -> None:
        """Begin with the best release."""
        run = self.run
        self.labels = GroupLabels(run, run.release)
        self.state = self.labels.state()
        self.best = self._value()
        self.held: Partition | None = None
        self.tried, n = 0, run.table.n
        least = min(max(self.labels.least, 1), n / len(self.state.row_cost))
        self.unit = least * self.best / n

    def _value(self) -> float:
        return float(np.diff(self.state.starts) @ self.state.row_cost)

    def step(self, temperature: float) -> None:
        """Propose some moves."""
        state, changes = self.state, no_changes(self.state)
        proposals = max(self.params.range_batch, len(state.row_cost) // 8)
        moves = Moves(
            *(state, self.neighbours, self.room, self.labels.least),
            *(self.params.range_moves, changes),
        )
        propose_ranges(moves, proposals, temperature, self.rng)
        self.tried += proposals
        self.run.stats["proposals"] = self.tried
        if not self.labels.allow(changes.listed):
            return
        self.state = self.labels.state()
        value = self._value()
        if value < self.best * (1 - 1e-12):
            self.best, self.held = value, self.labels.partition()

    def release(self) -> Partition | None:
        """Return the best that was found and not returned yet."""
        held, self.held = self.held, None
        return held
