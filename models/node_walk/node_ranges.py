"""The ranges within a range, each met once: loops."""

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import inner
from starmin.models.node_walk.closures import range_loss
from starmin.models.node_walk.descent import push, wide
from starmin.models.node_walk.node_walk_data import (
    BEFORE,
    BEGIN,
    COLUMN_AT,
    COST,
    END,
    FIRST,
    FULL,
    HIGH,
    LEVEL,
    LINES,
    LOW,
    MISSING,
    MOST,
    NEXT,
    NO_ROOM_MEMBERS,
    RANGES,
    SIZE,
    SOME,
    SPLIT,
    STAGE,
    TOP,
    WORK,
    NodeWalk,
)


@inner
def narrow(w: NodeWalk, frame: Ints) -> None:
    """Go to smaller ranges.

    Those that begin at several numbers fall into two halves by where they begin. Those
    that begin at one number lose their greatest one. Neither keeps numbers to which a
    range is too wide to count.
    """
    column, low, high, before = frame[COLUMN_AT], frame[LOW], frame[HIGH], frame[BEFORE]
    begin, end, top = frame[BEGIN], frame[END], frame[TOP]
    several, stage = before > low + 1, frame[STAGE]
    if low == high or stage > NEXT or (stage == NEXT and not several):
        w.state[LEVEL] -= 1
        return
    if top + 2 * (end - begin) > len(w.members):
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    frame[STAGE] += 1
    first, last = low, high - 1
    if several:
        middle, last = (low + before + 1) // 2, high
        if stage == SPLIT:
            before = middle
        else:
            first = middle
    last = _last(w, column, before - 1, last, frame[MOST])
    codes, at = w.codes[column], top
    for i in range(begin, end):
        if first <= codes[w.members[i]] <= last:
            w.members[at] = w.members[i]
            at += 1
    w.state[WORK] -= end - begin
    push(w, column, first, before, frame[COST], top, at, at, wide(SOME))


@inner
def _last(w: NodeWalk, column: int, low: int, last: int, most: int) -> int:
    """Return where ranges end that begin at a number, and lose no more than most."""
    if not w.columns[column, RANGES]:
        return min(low, last)
    last = min(last, w.reach[w.columns[column, LINES] + low])
    while last > low and range_loss(w, column, low, last) > most:
        last -= 1
    return int(last)


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
    size = w.columns[column, SIZE]
    push(w, column, wide(0), size, frame[COST], top, at, at, wide(SOME))
