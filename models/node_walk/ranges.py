"""The ranges within a range, each met once: loops."""

from instances.loops.compiled import inner
from models.node_walk.descent import push, wide
from models.node_walk.walk_data import (
    BEGIN,
    COLUMN_AT,
    COST,
    END,
    FIRST,
    FROM_ABOVE,
    FROM_BELOW,
    FULL,
    HIGH,
    LAST,
    LEVEL,
    LOW,
    MISSING,
    NARROW,
    NEXT,
    NO_ROOM_MEMBERS,
    SIZE,
    SPLIT,
    STAGE,
    TOP,
    WORK,
    Ints,
    NodeWalk,
)


@inner
def narrow(w: NodeWalk, frame: Ints) -> None:
    """Go to the range without its least number, then to that without its greatest.

    The second time without all numbers to which a range from the least one is too wide
    to count. A range is narrowed from above after it was from below, so that none is
    met twice.
    """
    column, low, high = frame[COLUMN_AT], frame[LOW], frame[HIGH]
    begin, end, top = frame[BEGIN], frame[END], frame[TOP]
    if low == high or frame[STAGE] > NEXT:
        w.state[LEVEL] -= 1
        return
    from_below = frame[STAGE] == SPLIT
    frame[STAGE] += 1
    if from_below and frame[NARROW] == FROM_ABOVE:
        return
    if top + 2 * (end - begin) > len(w.members):
        frame[STAGE] -= 1
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    first, last = low, min(frame[LAST], high - 1)
    if from_below:
        first, last = low + 1, high
    codes, at = w.codes[column], top
    for i in range(begin, end):
        if first <= codes[w.members[i]] <= last:
            w.members[at] = w.members[i]
            at += 1
    w.state[WORK] -= end - begin
    narrow = FROM_BELOW if from_below else FROM_ABOVE
    push(w, column, low, high, frame[COST], top, at, at, narrow)


@inner
def next_apart(w: NodeWalk, frame: Ints) -> None:
    """Go to the members with the next missing value, in the end to the numbers."""
    column, value, last = (
        frame[COLUMN_AT],
        frame[FIRST],
        w.columns[frame[COLUMN_AT], MISSING],
    )
    begin, end, top = frame[BEGIN], frame[END], frame[TOP]
    if value > last:
        w.state[LEVEL] -= 1
        return
    if top + 2 * (end - begin) > len(w.members):
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    frame[FIRST] += 1
    codes, at = w.codes[column], top
    for i in range(begin, end):
        if min(codes[w.members[i]], last) == value:
            w.members[at] = w.members[i]
            at += 1
    w.state[WORK] -= end - begin
    zero, whole = wide(0), w.columns[column, SIZE] - 1
    push(w, column, zero, whole, frame[COST], top, at, at, wide(FROM_BELOW))
