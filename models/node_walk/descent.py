"""One level down, to the members below a node: loops."""

import numpy as np

from instances.loops.compiled import inner
from models.node_walk.closures import extremes, is_closed, is_hidden, lowest, range_loss
from models.node_walk.fills import members_left, most_loss
from models.node_walk.row_sets import has_values, keep_sets
from models.node_walk.walk_data import (
    APART,
    BEGIN,
    CHOOSE,
    COLUMN_AT,
    COST,
    END,
    FIRST,
    FROM_ABOVE,
    FULL,
    HIGH,
    LAST,
    LEVEL,
    LINE,
    LINES,
    LOW,
    MISSING,
    NARROW,
    NO_ROOM_MEMBERS,
    NODES,
    PRICED,
    RANGES,
    ROOT,
    SIZE,
    SPLIT,
    STAGE,
    TOP,
    WORK,
    Ints,
    NodeWalk,
)


@inner
def wide(number: int) -> int:
    """Return the number in 64 bits.

    Numba compiles a function again for each type of its arguments, a literal being one.
    """
    return int(np.int64(number))


@inner
def enter(w: NodeWalk, column: int, cost: int, begin: int, end: int, top: int) -> None:
    """Go to the root of a column with these members."""
    low, high = wide(0), wide(0)
    if column < len(w.codes):
        if w.columns[column, LINE]:
            high = w.columns[column, SIZE] - 1
        else:
            low = w.columns[column, ROOT]
    push(w, column, low, high, cost, begin, end, top, wide(0))


@inner
def push(
    w: NodeWalk,
    column: int,
    low: int,
    high: int,
    cost: int,
    begin: int,
    end: int,
    top: int,
    narrow: int,
) -> None:
    """Go a level down with what is left of these members; stay if nothing is."""
    if cost > w.most_cost:
        return
    end = begin + members_left(w, begin, end, cost)
    if w.mode == PRICED and w.l > 1 and begin < end:
        begin, end = keep_sets(w, begin, end, top, cost)
        top = max(top, end)
    if begin == end:
        return
    for before in range(column):
        if not is_closed(w, before, begin, end):
            return
    for each in range(len(w.values) if w.l > 1 else 0):
        if not has_values(w, each, begin, end):
            return
    w.state[LEVEL] += 1
    frame = w.stack[w.state[LEVEL]]
    frame[COLUMN_AT], frame[LOW], frame[HIGH] = column, low, high
    frame[COST], frame[BEGIN], frame[END] = cost, begin, end
    frame[TOP], frame[STAGE], frame[NARROW] = top, CHOOSE, narrow


@inner
def choose(w: NodeWalk, frame: Ints) -> None:
    """Publish the smallest node that the members have in common."""
    column, begin, end = frame[COLUMN_AT], frame[BEGIN], frame[END]
    if frame[TOP] + end - begin > len(w.members):
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    frame[STAGE] = SPLIT
    if w.columns[column, LINE]:
        low, high = extremes(w, column, begin, end)
        if frame[NARROW] == FROM_ABOVE and low > frame[LOW]:
            w.state[LEVEL] -= 1  # met where the range is narrowed from below
            return
        frame[LOW], frame[HIGH] = low, high
        frame[LAST] = _last(w, frame)
        loss = range_loss(w, column, low, high)
        if is_hidden(w, column, low, high):
            if frame[NARROW]:  # part of what was published as all of the line
                loss = -1
            if low < w.columns[column, MISSING]:
                frame[NARROW], frame[FIRST] = APART, 0
            low, high = 0, w.columns[column, SIZE] - 1
        if low != high and not w.columns[column, RANGES]:
            loss = -1
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
def _last(w: NodeWalk, frame: Ints) -> int:
    """Return where the widest range ends that begins at the least and may count."""
    column, low, last = frame[COLUMN_AT], frame[LOW], frame[HIGH]
    if not w.columns[column, RANGES]:
        return int(low)
    last = min(last, w.reach[w.columns[column, LINES] + low])
    most = most_loss(w, frame[BEGIN], frame[END], frame[COST])
    while last > low and range_loss(w, column, low, last) > most:
        last -= 1
    return int(last)
