"""Say how many copies of a row type are where, and which were moved.

The states of several searches are made of this: of patterns of a list, and of groups
whose patterns come and go. What was moved can be moved back.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import inner


class MoveLog(NamedTuple):
    """Moves of copies of row types between patterns or groups, in their order.

    Whoever keeps a state undoes them, the last one first.
    """

    types: Int32s  # by move: the row type
    sources: Int32s  # where its copies were
    targets: Int32s  # where they went
    copies: Ints  # how many
    size: Ints  # one number: how many moves are noted; set it to 0 to forget them all


def empty_log(moves: int) -> MoveLog:
    """Return a log with room for so many moves."""
    # written before it is read, so memory is taken when needed
    types, sources, targets = np.empty((3, moves), np.int32)
    copies, size = np.zeros(moves, np.int64), np.zeros(1, np.int64)
    return MoveLog(types, sources, targets, copies, size)


@inner
def note(log: MoveLog, t: int, source: int, target: int, copies: int) -> None:
    """Append a move of copies of type t from a source to a target to the log."""
    at = log.size[0]
    log.types[at], log.sources[at], log.targets[at] = t, source, target
    log.copies[at] = copies
    log.size[0] = at + 1


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
    """Add copies of type t to group g; return whether it had none."""
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
    """Remove copies of type t from group g, which has as many; whether that was all."""
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
