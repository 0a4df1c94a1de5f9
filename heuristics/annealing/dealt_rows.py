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


# The log of a search: which rows were moved, so that they can be moved back.


class MoveLog(NamedTuple):
    """Moves of copies of row types between patterns or groups, in their order.

    Whoever keeps a state undoes them, the last one first: what else changes with a move
    differs from state to state.
    """

    types: Int32s  # by move: the row type
    sources: Int32s  # where its copies were
    targets: Int32s  # where they went
    copies: Ints  # how many
    size: Ints  # one number: how many moves are noted; set it to 0 to forget them all


def empty_log(moves: int) -> MoveLog:
    """Return a log with room for so many moves."""

    def small() -> Int32s:  # written before it is read, so memory is taken when needed
        return np.empty(moves, np.int32)

    return MoveLog(
        small(), small(), small(), np.zeros(moves, np.int64), np.zeros(1, np.int64)
    )


@inner
def note(log: MoveLog, t: int, source: int, target: int, copies: int) -> None:
    """Append a move of copies of type t from a source to a target; updates ``log``.

    These are the patterns or groups that the copies leave, and that they join.
    """
    at = log.size[0]
    log.types[at], log.sources[at], log.targets[at] = t, source, target
    log.copies[at] = copies
    log.size[0] = at + 1


# Copies of row types in groups, as linked lists by type and by group.

Loads: TypeAlias = tuple[Int32s, Int32s, Ints]


class Nodes(NamedTuple):
    """How many copies of each row type are in each group.

    A *node* says that some copies of a type are in a group, or in a pattern of a list.
    The nodes of a type and those of a group are linked lists; -1 ends a list.
    """

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


def empty_nodes(nodes: int, types: int, groups: int) -> Nodes:
    """Return nodes that are all free, with lists for so many types and groups."""

    def none(size: int) -> Int32s:
        return np.full(size, -1, np.int32)

    linked = none(nodes)
    linked[:-1] = np.arange(1, nodes)
    return Nodes(
        type=none(nodes),
        group=none(nodes),
        copies=np.zeros(nodes, np.int64),
        next_of_type=linked,
        next_of_group=none(nodes),
        last_of_group=none(nodes),
        first_of_type=none(types),
        first_of_group=none(groups),
        free=np.zeros(1, np.int64),
    )


def loads_of(nodes: Nodes) -> Loads:
    """Return the group, the type and the copies of each node in use."""
    used = np.flatnonzero(nodes.copies > 0)  # Freed nodes keep none.
    return nodes.group[used], nodes.type[used], nodes.copies[used]


@inner
def copies_at(nodes: Nodes, t: int, g: int) -> int:
    """Return how many copies of a type are in a group."""
    node = nodes.first_of_type[t]
    while node >= 0 and nodes.group[node] != g:
        node = nodes.next_of_type[node]
    return int(nodes.copies[node]) if node >= 0 else 0


@inner
def add(nodes: Nodes, t: int, g: int, copies: int) -> bool:
    """Add copies of a type to a group; return whether it had none.

    ``nodes`` is updated; ``t`` is the row type, and ``g`` the group.
    """
    node = nodes.first_of_type[t]
    while node >= 0 and nodes.group[node] != g:
        node = nodes.next_of_type[node]
    new = node < 0
    if new:
        node = nodes.free[0]
        nodes.free[0] = nodes.next_of_type[node]
        nodes.type[node], nodes.group[node], nodes.copies[node] = t, g, 0
        nodes.next_of_type[node] = nodes.first_of_type[t]
        nodes.first_of_type[t] = node
        after = nodes.first_of_group[g]
        nodes.next_of_group[node], nodes.last_of_group[node] = after, -1
        if after >= 0:
            nodes.last_of_group[after] = node
        nodes.first_of_group[g] = node
    nodes.copies[node] += copies
    return bool(new)


@inner
def remove(nodes: Nodes, t: int, g: int, copies: int) -> bool:
    """Remove copies of a type from a group; return whether it has none left.

    ``nodes`` is updated; the group ``g`` has as many copies of type ``t``.
    """
    node, before = nodes.first_of_type[t], -1
    while nodes.group[node] != g:
        node, before = nodes.next_of_type[node], node
    nodes.copies[node] -= copies
    if nodes.copies[node] > 0:
        return False
    after, ahead = nodes.next_of_group[node], nodes.last_of_group[node]
    if after >= 0:
        nodes.last_of_group[after] = ahead
    if ahead >= 0:
        nodes.next_of_group[ahead] = after
    else:
        nodes.first_of_group[g] = after
    if before >= 0:
        nodes.next_of_type[before] = nodes.next_of_type[node]
    else:
        nodes.first_of_type[t] = nodes.next_of_type[node]
    nodes.next_of_type[node] = nodes.free[0]
    nodes.free[0] = node
    return True


# What the states of searches have in common, and what changes them.


class Worth(NamedTuple):
    """What copies of each row type are."""

    value: Ints  # by type: its sensitive value
    price: Floats  # by type: what a copy of it is worth


class Held(NamedTuple):
    """What is in each group."""

    load: Ints  # load, width: how many copies, and of how many types
    width: Ints
    # excess, tally, top, ties: not kept of orphans: what copies cost beyond their
    # prices, where costs stay; for l > 1 copies of each value, the most of one value,
    # and how many values have as many
    excess: Floats
    tally: Int32s
    top: Ints
    ties: Ints


class Deal(NamedTuple):
    """Copies of row types dealt to groups, or to patterns of a list.

    The states of searches have these fields, too, and loops that take a deal take them:
    a record in a record of many arrays is read more slowly.
    """

    k: int  # k, l: the requirement; 1 where there is none
    l: int
    orphans: int  # the group of copies that have lost theirs; -1: there is none
    cost: Ints  # by group: what a row pays there; orphans pay nothing
    worth: Worth  # of the row types
    nodes: Nodes  # how many copies of each type are in each group
    held: Held  # what they are in all
    log: MoveLog  # the moves that may be taken back


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
    groups, l = len(costs), bounds[1]
    shape = (groups, int(values.max()) + 1) if l > 1 else (1, 1)
    tally, excess = np.zeros(shape, np.int32), np.zeros(groups)
    load, width, top, ties = np.zeros((4, groups), np.int64)
    worth = Worth(values.astype(np.int64), prices)
    listed = empty_nodes(nodes, len(values), groups)
    held = Held(load, width, excess, tally, top, ties)
    return Deal(*bounds, orphans, costs, worth, listed, held, empty_log(moves))


@inner
def wide(number: int) -> int:
    """Return the number in 64 bits.

    Numba compiles a function again for each type of its arguments, a literal being one,
    and with a state among them that takes a second.
    """
    return int(np.int64(number))


@inner
def put(d: Deal, t: int, g: int, copies: int) -> None:
    """Add copies of row type ``t`` to group ``g``; ``d`` is updated."""
    d.held.width[g] += add(d.nodes, t, g, copies)
    d.held.load[g] += copies
    if g == d.orphans:
        return
    d.held.excess[g] += copies * (d.cost[g] - d.worth.price[t])
    if d.l > 1:
        v = d.worth.value[t]
        d.held.tally[g, v] += copies
        if d.held.tally[g, v] > d.held.top[g]:
            d.held.top[g], d.held.ties[g] = d.held.tally[g, v], 1
        elif d.held.tally[g, v] == d.held.top[g]:
            d.held.ties[g] += 1


@inner
def take(d: Deal, t: int, g: int, copies: int) -> None:
    """Remove copies of ``t`` from group ``g``, which has as many; ``d`` is updated."""
    d.held.width[g] -= remove(d.nodes, t, g, copies)
    d.held.load[g] -= copies
    if g == d.orphans:
        return
    d.held.excess[g] -= copies * (d.cost[g] - d.worth.price[t])
    if d.l > 1:
        v = d.worth.value[t]
        was_top = d.held.tally[g, v] == d.held.top[g]
        d.held.tally[g, v] -= copies
        if was_top:
            d.held.ties[g] -= 1
            if d.held.ties[g] == 0:
                _find_top(d, g)


@inner
def _find_top(d: Deal, g: int) -> None:
    """Recount the most copies of one value, and how many values have as many."""
    d.held.top[g], d.held.ties[g] = 0, 0
    if d.held.load[g] == 0:
        return
    for copies in d.held.tally[g]:
        if copies > d.held.top[g]:
            d.held.top[g], d.held.ties[g] = copies, 1
        elif copies == d.held.top[g] and copies > 0:
            d.held.ties[g] += 1


@inner
def move(d: Deal, t: int, g: int, h: int, copies: int) -> None:
    """Move copies of a type from group g to h, without a note."""
    take(d, t, g, copies)
    put(d, t, h, copies)


@inner
def shift(d: Deal, t: int, g: int, h: int, copies: int) -> int:
    """Move copies of a type from group g to h, note it; return the change in cost."""
    note(d.log, t, g, h, copies)
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
    while g != h and d.nodes.first_of_group[g] >= 0:
        node = d.nodes.first_of_group[g]
        change += shift(d, wide(d.nodes.type[node]), g, h, d.nodes.copies[node])
    return change


@inner
def move_row(d: Deal, t: int, g: int, h: int) -> bool:
    """Move a row of type t from g to h; whether g has one."""
    has = copies_at(d.nodes, t, g) > 0
    if has:
        shift(d, t, g, h, 1)
    return bool(has)


@inner
def crowded(d: Deal) -> bool:
    """Check whether the log may lack room for a step, which moves no node twice."""
    return bool(d.log.size[0] + 2 * len(d.nodes.type) > len(d.log.types))


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
        if 0 < d.held.load[g] < d.k or 0 < d.held.load[h] < d.k:
            return False
    return bool(d.held.load[d.orphans] == 0 and logged_change(d) <= allowed)


# How far the rows of a group are from what the requirement asks.


@inner
def lack(d: Deal, g: int) -> int:
    """Return how many rows, of values not its most frequent, an open group lacks."""
    if d.held.load[g] == 0:
        return 0
    return (
        int(max(d.k, d.l * d.held.top[g]) - d.held.load[g])
        if d.l > 1
        else d.k - d.held.load[g]
    )


@inner
def spare(d: Deal, g: int, v: int) -> int:
    """Return how many rows of value v a group can give away and stay a group."""
    if d.l == 1:
        return int(d.held.load[g] - d.k)
    top = d.held.top[g]
    if d.held.tally[g, v] == top and d.held.ties[g] == 1:
        top = 0
        for w in range(d.held.tally.shape[1]):
            if w != v and d.held.tally[g, w] > top:
                top = d.held.tally[g, w]
    return int(d.held.load[g] - max(d.k, d.l * top))


@inner
def room(d: Deal, g: int, v: int) -> int:
    """Return how many rows of value v an open group can take and stay a group."""
    if d.l == 1:
        return 1 << 40
    return int((d.held.load[g] - d.l * d.held.tally[g, v]) // (d.l - 1))


@inner
def trim(d: Deal, g: int, mark: int, end: int, least: int, whole: bool) -> int:
    """Send rows of too frequent values back; return the change in cost. For l > 1.

    The moves from ``mark`` up to ``end`` of the log brought them; g keeps ``least``
    rows where it can. With ``whole`` groups take back no more than leaves them groups.
    """
    # Fields are read before the loop: numba counts a reference at each reading.
    tally, value, log, orphans = d.held.tally[g], d.worth.value, d.log, d.orphans
    cap, change = highest_cap(tally, least, d.l), 0
    for i in range(end - 1, mark - 1, -1):
        t, h = wide(log.types[i]), wide(log.sources[i])
        copies = min(log.copies[i], tally[value[t]] - cap)
        if copies > 0 and whole and h != orphans:
            copies = min(copies, room(d, h, value[t]))
        if copies > 0:
            change += shift(d, t, g, h, copies)
    return int(change)
