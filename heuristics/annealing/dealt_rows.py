"""Copies of row types dealt to groups: who is where, what that costs, and all undone.

The states of several searches are made of this: of patterns of a list, of groups whose
patterns come and go, and of whole classes that are dealt to patterns.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.pattern_fills import highest_cap

NONE = -1  # Stands for no group, no pattern and no type.


class MoveLog(NamedTuple):
    """Moves of copies of row types between groups, in their order."""

    types: Int32s  # by move: the row type
    sources: Int32s  # where its copies were
    targets: Int32s  # where they went
    copies: Ints  # how many
    size: Ints  # one number: how many moves are noted; set it to 0 to forget them all


class Deal(NamedTuple):
    """How many copies of each row type are in each group.

    A *node* says that some copies of a type are in a group, or in a pattern of a list.
    The nodes of a type and those of a group are linked lists; -1 ends a list.
    """

    k: int  # k, l: the requirement; 1 where there is none
    l: int
    orphans: int  # the group of copies that have lost theirs; -1: there is none
    value: Ints  # value, price: by type: its sensitive value, what a copy is worth
    price: Floats
    cost: Ints  # by group: what a row pays there; orphans pay nothing
    type: Int32s  # type, group, copies: of each node; a free one has no copies
    group: Int32s
    copies: Ints
    # next_of_type, next_of_group, last_of_group: the node after it, and before it, in
    # its lists
    next_of_type: Int32s
    next_of_group: Int32s
    last_of_group: Int32s
    first_of_type: Int32s  # first_of_type, first_of_group: where the lists begin
    first_of_group: Int32s
    free: Ints  # one number: the first free node
    load: Ints  # load, width: by group: how many copies, and of how many types
    width: Ints
    # excess, tally, top, ties: by group, but not kept of orphans: what its rows cost
    # beyond their prices, where costs stay; for l > 1 copies of each value, the most of
    # one value, and how many values have as many
    excess: Floats
    tally: Int32s
    top: Ints
    ties: Ints
    log: MoveLog


def empty_deal(
    bounds: tuple[int, int],
    values: Ints | Int32s,
    prices: Floats,
    costs: Ints,
    nodes: int,
    moves: int,
    orphans: int = NONE,
) -> Deal:
    """Return a deal without rows for ``bounds``, k and l, with room for moves."""
    types, groups = len(values), len(costs)
    most = int(values.max()) + 1 if bounds[1] > 1 else 1

    def none(size: int) -> Int32s:
        return np.full(size, NONE, np.int32)

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int64)

    def small() -> Int32s:  # written before it is read, so memory is taken when needed
        return np.empty(moves, np.int32)

    linked = none(nodes)
    linked[:-1] = np.arange(1, nodes)
    return Deal(
        *bounds,
        orphans=orphans,
        value=values.astype(np.int64),
        price=prices,
        cost=costs,
        type=none(nodes),
        group=none(nodes),
        copies=ints(nodes),
        next_of_type=linked,
        next_of_group=none(nodes),
        last_of_group=none(nodes),
        first_of_type=none(types),
        first_of_group=none(groups),
        free=ints(1),
        load=ints(groups),
        width=ints(groups),
        excess=np.zeros(groups),
        tally=np.zeros((groups if bounds[1] > 1 else 1, most), np.int32),
        top=ints(groups),
        ties=ints(groups),
        log=MoveLog(small(), small(), small(), ints(moves), ints(1)),
    )


Loads: TypeAlias = tuple[Int32s, Int32s, Ints]


def loads_of(d: Deal) -> Loads:
    """Return the group, the type and the copies of each node in use."""
    used = np.flatnonzero(d.copies > 0)  # Freed nodes keep none.
    return d.group[used], d.type[used], d.copies[used]


@inner
def wide(number: int) -> int:
    """Return the number in 64 bits.

    Numba compiles a function again for each type of its arguments, a literal being one,
    and with a state among them that takes a second.
    """
    return int(np.int64(number))


@inner
def copies_at(d: Deal, t: int, g: int) -> int:
    """Return how many copies of a type are in a group."""
    node = d.first_of_type[t]
    while node >= 0 and d.group[node] != g:
        node = d.next_of_type[node]
    return int(d.copies[node]) if node >= 0 else 0


@inner
def put(d: Deal, t: int, g: int, copies: int) -> None:
    """Add copies of row type ``t`` to group ``g``; ``d`` is updated."""
    node = d.first_of_type[t]
    while node >= 0 and d.group[node] != g:
        node = d.next_of_type[node]
    if node < 0:
        node = d.free[0]
        d.free[0] = d.next_of_type[node]
        d.type[node], d.group[node], d.copies[node] = t, g, 0
        d.next_of_type[node] = d.first_of_type[t]
        d.first_of_type[t] = node
        after = d.first_of_group[g]
        d.next_of_group[node], d.last_of_group[node] = after, NONE
        if after >= 0:
            d.last_of_group[after] = node
        d.first_of_group[g] = node
        d.width[g] += 1
    d.copies[node] += copies
    d.load[g] += copies
    if g == d.orphans:
        return
    d.excess[g] += copies * (d.cost[g] - d.price[t])
    if d.l > 1:
        v = d.value[t]
        d.tally[g, v] += copies
        if d.tally[g, v] > d.top[g]:
            d.top[g], d.ties[g] = d.tally[g, v], 1
        elif d.tally[g, v] == d.top[g]:
            d.ties[g] += 1


@inner
def take(d: Deal, t: int, g: int, copies: int) -> None:
    """Remove copies of ``t`` from group ``g``, which has as many; ``d`` is updated."""
    node, before = d.first_of_type[t], NONE
    while d.group[node] != g:
        node, before = d.next_of_type[node], node
    d.copies[node] -= copies
    if d.copies[node] == 0:
        after, ahead = d.next_of_group[node], d.last_of_group[node]
        if after >= 0:
            d.last_of_group[after] = ahead
        if ahead >= 0:
            d.next_of_group[ahead] = after
        else:
            d.first_of_group[g] = after
        if before >= 0:
            d.next_of_type[before] = d.next_of_type[node]
        else:
            d.first_of_type[t] = d.next_of_type[node]
        d.next_of_type[node] = d.free[0]
        d.free[0] = node
        d.width[g] -= 1
    d.load[g] -= copies
    if g == d.orphans:
        return
    d.excess[g] -= copies * (d.cost[g] - d.price[t])
    if d.l > 1:
        v = d.value[t]
        was_top = d.tally[g, v] == d.top[g]
        d.tally[g, v] -= copies
        if was_top:
            d.ties[g] -= 1
            if d.ties[g] == 0:
                _find_top(d, g)


@inner
def _find_top(d: Deal, g: int) -> None:
    """Recount the most copies of one value, and how many values have as many."""
    d.top[g], d.ties[g] = 0, 0
    if d.load[g] == 0:
        return
    for copies in d.tally[g]:
        if copies > d.top[g]:
            d.top[g], d.ties[g] = copies, 1
        elif copies == d.top[g] and copies > 0:
            d.ties[g] += 1


@inner
def move(d: Deal, t: int, g: int, h: int, copies: int) -> None:
    """Move copies of a type from group g to h, without a note."""
    take(d, t, g, copies)
    put(d, t, h, copies)


@inner
def shift(d: Deal, t: int, g: int, h: int, copies: int) -> int:
    """Move copies of a type from group g to h, note it; return the change in cost."""
    log = d.log
    at = log.size[0]
    log.types[at], log.sources[at], log.targets[at] = t, g, h
    log.copies[at] = copies
    log.size[0] = at + 1
    move(d, t, g, h, copies)
    return int(copies * (d.cost[h] - d.cost[g]))


@inner
def take_back(d: Deal, mark: int) -> None:
    """Undo all moves that were noted since the log had ``mark`` of them."""
    undo(d, mark, d.log.size[0])
    d.log.size[0] = mark


@compiled
def undo(d: Deal, low: int, high: int) -> None:
    """Undo the moves from ``low`` up to ``high`` of the log, the last one first."""
    for i in range(high - 1, low - 1, -1):
        t = wide(d.log.types[i])
        g, h = wide(d.log.sources[i]), wide(d.log.targets[i])
        move(d, t, h, g, d.log.copies[i])


@inner
def move_all(d: Deal, g: int, h: int) -> int:
    """Move all rows of g to h; return the change in cost."""
    change = 0
    while g != h and d.first_of_group[g] >= 0:
        node = d.first_of_group[g]
        change += shift(d, wide(d.type[node]), g, h, d.copies[node])
    return change


@inner
def move_row(d: Deal, t: int, g: int, h: int) -> bool:
    """Move a row of type t from g to h; whether g has one."""
    has = copies_at(d, t, g) > 0
    if has:
        shift(d, t, g, h, 1)
    return bool(has)


@inner
def crowded(d: Deal) -> bool:
    """Check whether the log may lack room for a step, which moves no node twice."""
    return bool(d.log.size[0] + 2 * len(d.type) > len(d.log.types))


@inner
def logged_change(d: Deal) -> int:
    """Return by how much the moves in the log change the cost."""
    change = 0
    for i in range(d.log.size[0]):
        g, h = d.log.sources[i], d.log.targets[i]
        change += d.log.copies[i] * (d.cost[h] - d.cost[g])
    return int(change)


@inner
def leaves_release(d: Deal, allowed: float) -> bool:
    """Check the cost, that no row is an orphan, and groups have k rows or none."""
    for i in range(d.log.size[0]):
        g, h = d.log.sources[i], d.log.targets[i]
        if 0 < d.load[g] < d.k or 0 < d.load[h] < d.k:
            return False
    return bool(d.load[d.orphans] == 0 and logged_change(d) <= allowed)


# How far the rows of a group are from what the requirement asks.


@inner
def lack(d: Deal, g: int) -> int:
    """Return how many rows, of values not its most frequent, an open group lacks."""
    if d.load[g] == 0:
        return 0
    return int(max(d.k, d.l * d.top[g]) - d.load[g]) if d.l > 1 else d.k - d.load[g]


@inner
def spare(d: Deal, g: int, v: int) -> int:
    """Return how many rows of value v a group can give away and stay a group."""
    if d.l == 1:
        return int(d.load[g] - d.k)
    top = d.top[g]
    if d.tally[g, v] == top and d.ties[g] == 1:
        top = 0
        for w in range(d.tally.shape[1]):
            if w != v and d.tally[g, w] > top:
                top = d.tally[g, w]
    return int(d.load[g] - max(d.k, d.l * top))


@inner
def room(d: Deal, g: int, v: int) -> int:
    """Return how many rows of value v an open group can take and stay a group."""
    if d.l == 1:
        return 1 << 40
    return int((d.load[g] - d.l * d.tally[g, v]) // (d.l - 1))


@inner
def trim(d: Deal, g: int, mark: int, end: int, least: int, whole: bool) -> int:
    """Send rows of too frequent values back; return the change in cost. For l > 1.

    The moves from ``mark`` up to ``end`` of the log brought them; g keeps ``least``
    rows where it can. With ``whole`` groups take back no more than leaves them groups.
    """
    cap, change = highest_cap(d.tally[g], least, d.l), 0
    for i in range(end - 1, mark - 1, -1):
        t, h = wide(d.log.types[i]), wide(d.log.sources[i])
        copies = min(d.log.copies[i], d.tally[g, d.value[t]] - cap)
        if whole and h != d.orphans:
            copies = min(copies, room(d, h, d.value[t]))
        if copies > 0:
            change += shift(d, t, g, h, copies)
    return int(change)
