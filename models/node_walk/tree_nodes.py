"""The children of a node of a tree, one after the other: loops."""

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import inner
from starmin.models.node_walk.descent import push, wide
from starmin.models.node_walk.node_walk_data import (
    BEGIN,
    COLUMN_AT,
    COST,
    END,
    FIRST,
    FULL,
    HIGH,
    LEVEL,
    LOW,
    NEXT,
    NO_ROOM_MEMBERS,
    NODES,
    PATHS,
    SIZE,
    STAGE,
    TOP,
    WORK,
    NodeWalk,
)


@inner
def split(w: NodeWalk, frame: Ints) -> None:
    """Sort the members by the child that they are below, in order of price in each."""
    column, node = frame[COLUMN_AT], frame[LOW]
    begin, end, top = frame[BEGIN], frame[END], frame[TOP]
    if node < w.columns[column, SIZE]:
        w.state[LEVEL] -= 1  # a leaf
        return
    if top + end - begin > len(w.members):
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    members, tally, codes = w.members, w.tally, w.codes[column]
    depth = w.depth[w.columns[column, NODES] + node] + 1
    child = w.above[w.columns[column, PATHS] + depth * w.columns[column, SIZE] :]
    parts = 0
    for i in range(begin, end):
        of = child[codes[members[i]]]
        if tally[of] == 0:
            w.distinct[parts] = of
            parts += 1
        tally[of] += 1
    at = top
    for i in range(parts):
        of = w.distinct[i]
        size = tally[of]
        tally[of] = at
        at += size
    for i in range(begin, end):
        of = child[codes[members[i]]]
        members[tally[of]] = members[i]
        tally[of] += 1
    for i in range(parts):
        tally[w.distinct[i]] = 0
    w.state[WORK] -= end - begin
    frame[STAGE], frame[FIRST], frame[HIGH] = NEXT, top, at


@inner
def next_part(w: NodeWalk, frame: Ints) -> None:
    """Go to the members below the next child."""
    column, begin, last = frame[COLUMN_AT], frame[FIRST], frame[HIGH]
    if begin == last:
        w.state[LEVEL] -= 1
        return
    depth = w.depth[w.columns[column, NODES] + frame[LOW]] + 1
    child = w.above[w.columns[column, PATHS] + depth * w.columns[column, SIZE] :]
    codes, node, end = w.codes[column], child[w.codes[column][w.members[begin]]], begin
    while end < last and child[codes[w.members[end]]] == node:
        end += 1
    if last + end - begin > len(w.members):
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    frame[FIRST] = end
    zero = wide(0)
    push(w, column, wide(node), zero, frame[COST], begin, end, last, zero)
