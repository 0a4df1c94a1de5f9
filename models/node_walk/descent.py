"""One level down, to the members below a node: loops."""

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import inner
from starmin.models.node_walk.closures import (
    extremes,
    is_closed,
    is_hidden,
    lowest,
    range_loss,
)
from starmin.models.node_walk.node_walk_data import (
    ALL,
    APART,
    BEFORE,
    BEGIN,
    CHOOSE,
    COLUMN_AT,
    COST,
    END,
    FIRST,
    FULL,
    HIGH,
    LEVEL,
    LINE,
    LOW,
    MISSING,
    MOST,
    NO_ROOM_MEMBERS,
    NODES,
    PART,
    PRICED,
    RANGES,
    ROOT,
    SIZE,
    SOME,
    SPLIT,
    STAGE,
    TOP,
    WORK,
    NodeWalk,
)
from starmin.models.node_walk.row_set_walk import has_values, keep_sets
from starmin.models.node_walk.walk_fills import members_left, most_loss


@inner
def wide(number: int) -> int:
    """Return the number in 64 bits.

    Numba compiles a function again for each type of its arguments, a literal being one.
    """
    return int(np.int64(number))


@inner
def enter(w: NodeWalk, column: int, cost: int, begin: int, end: int, top: int) -> None:
    """Go to the root of a column with these members."""
    low, before = wide(0), wide(0)
    if column < len(w.codes):
        if w.columns[column, LINE]:
            before = w.columns[column, SIZE]
        else:
            low = w.columns[column, ROOT]
    push(w, column, low, before, cost, begin, end, top, wide(ALL))


@inner
def push(
    w: NodeWalk,
    column: int,
    low: int,
    before: int,
    cost: int,
    begin: int,
    end: int,
    top: int,
    part: int,
) -> None:
    """Go a level down with what is left of these members; stay if nothing is."""
    end = begin + members_left(w, begin, end, cost)
    if w.mode == PRICED and w.l > 1 and begin < end:
        begin, end = keep_sets(w, begin, end, top, cost)
        top = max(top, end)
    if begin == end:
        return
    for earlier in range(column):
        if not is_closed(w, earlier, begin, end):
            return
    for each in range(len(w.values) if w.l > 1 else 0):
        if not has_values(w, each, begin, end):
            return
    w.state[LEVEL] += 1
    frame = w.stack[w.state[LEVEL]]
    frame[COLUMN_AT], frame[LOW], frame[BEFORE] = column, low, before
    frame[COST], frame[BEGIN], frame[END] = cost, begin, end
    frame[TOP], frame[STAGE], frame[PART] = top, CHOOSE, part


@inner
def choose(w: NodeWalk, frame: Ints) -> None:
    """Publish the smallest node that the members have in common."""
    column, begin, end = frame[COLUMN_AT], frame[BEGIN], frame[END]
    if frame[TOP] + end - begin > len(w.members):
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    frame[STAGE] = SPLIT
    if w.columns[column, LINE]:
        low, high, loss = _choose_range(w, frame)
    else:
        low, high = lowest(w, column, frame[LOW], begin, end), 0
        frame[LOW] = low
        loss = w.loss[w.columns[column, NODES] + low]
    if loss < 0:
        return
    w.chosen[column], w.chosen_high[column] = low, high
    w.state[WORK] -= end - begin
    enter(w, column + 1, frame[COST] + loss, begin, end, frame[TOP])


@inner
def _choose_range(w: NodeWalk, frame: Ints) -> tuple[int, int, int]:
    """Return the range from the least to the greatest member, and what it loses.

    A loss below 0 stands for one that is not published, or not here: ranges that may
    begin at several numbers are met where they are told apart.
    """
    column, begin, end = frame[COLUMN_AT], frame[BEGIN], frame[END]
    low, high = extremes(w, column, begin, end)
    if low >= frame[BEFORE]:
        w.state[LEVEL] -= 1  # such ranges are met elsewhere
        return low, high, wide(-1)
    frame[LOW], frame[HIGH] = low, high
    frame[BEFORE] = min(frame[BEFORE], high + 1)
    frame[MOST] = most_loss(w, begin, end, frame[COST])
    loss = range_loss(w, column, low, high)
    if is_hidden(w, column, low, high):
        if frame[PART] == SOME:  # part of what was published as all of the line
            return low, high, wide(-1)
        if low < w.columns[column, MISSING]:
            frame[PART], frame[FIRST] = APART, 0
        low, high = wide(0), w.columns[column, SIZE] - 1
    elif low + 1 < frame[BEFORE]:
        return low, high, wide(-1)
    if low != high and not w.columns[column, RANGES]:
        return low, high, wide(-1)
    return low, high, loss
