"""The depth-first walk over vectors of nodes that finds priced patterns: loops."""

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.patterns import node_arrays as na
from starmin.models.patterns.descent import (
    choose,
    dearest,
    enter,
    push,
    range_loss,
    wide,
)
from starmin.models.patterns.node_arrays import NodeWalk

# What the walk notes of a pattern that it has found: loops.

_AMPLE = 4  # times k rows of a pattern are listed beside those that it leaves little


@inner
def emit(w: NodeWalk, frame: Ints) -> None:
    begin, end, cost = frame[na.BEGIN], frame[na.END], frame[na.COST]
    if w.mode == na.CHEAPEST:
        for i in range(begin, end):
            t = w.members[i]
            w.prices[t] = min(w.prices[t], cost)
        w.state[na.LEVEL] -= 1
        return
    number, used = w.state[na.PATTERNS], w.state[na.INCIDENCES]
    if used + end - begin > len(w.types) or number == len(w.cost):
        w.state[na.FULL] = na.NO_ROOM_FOUND
        return
    size = 0
    if w.mode == na.MATCHED:
        size = _emit_matched(w, begin, end, cost, used)
    else:
        for i in range(begin, end):
            w.types[used + size] = w.members[i]
            size += 1
    w.starts[number] = used
    w.cost[number] = cost
    w.lows[number] = w.chosen
    w.highs[number] = w.chosen_high
    w.state[na.PATTERNS] += 1
    w.state[na.INCIDENCES] += size
    w.state[na.LEVEL] -= 1


@inner
def _emit_matched(w: NodeWalk, begin: int, end: int, cost: int, used: int) -> int:
    """Lower what is left to members; list these and the dearest ones, which they earn.

    Others that fit matter only where prices become much different.
    """
    _, earned, last = dearest(w, begin, end)
    size, copies = 0, 0
    for i in range(begin, end):
        t = w.members[i]
        left = cost - earned + max(w.prices[t], last)
        if left < w.least[t] or copies < _AMPLE * w.k:
            w.types[used + size] = t
            size += 1
        copies += w.counts[t]
        w.least[t] = min(w.least[t], left)
    return size


# The ranges within a range, each met once: loops.


@inner
def narrow(w: NodeWalk, frame: Ints) -> None:
    """Go to smaller ranges.

    Those that begin at several numbers fall into two halves by where they begin. Those
    that begin at one number lose their greatest one. Neither keeps numbers to which a
    range is too wide to count.
    """
    column, before = frame[na.COLUMN_AT], frame[na.BEFORE]
    low, high = frame[na.LOW], frame[na.HIGH]
    begin, end, top = frame[na.BEGIN], frame[na.END], frame[na.TOP]
    several, stage = before > low + 1, frame[na.STAGE]
    if low == high or stage > na.NEXT or (stage == na.NEXT and not several):
        w.state[na.LEVEL] -= 1
        return
    if top + 2 * (end - begin) > len(w.members):
        w.state[na.FULL] = na.NO_ROOM_MEMBERS
        return
    frame[na.STAGE] += 1
    first, last = low, high - 1
    if several:
        middle, last = (low + before + 1) // 2, high
        if stage == na.SPLIT:
            before = middle
        else:
            first = middle
    last = _last(w, column, before - 1, last, frame[na.MOST])
    codes, at = w.codes[column], top
    for i in range(begin, end):
        if first <= codes[w.members[i]] <= last:
            w.members[at] = w.members[i]
            at += 1
    w.state[na.WORK] -= end - begin
    push(w, column, first, before, frame[na.COST], top, at, at, wide(na.SOME))


@inner
def _last(w: NodeWalk, column: int, low: int, last: int, most: int) -> int:
    """Return where ranges end that begin at a number, and lose no more than most."""
    if not w.columns[column, na.RANGES]:
        return min(low, last)
    last = min(last, w.reach[w.columns[column, na.LINES] + low])
    while last > low and range_loss(w, column, low, last) > most:
        last -= 1
    return int(last)


@inner
def next_apart(w: NodeWalk, frame: Ints) -> None:
    """Go to the members with the next missing value, in the end to the numbers."""
    column, value = frame[na.COLUMN_AT], frame[na.FIRST]
    last = w.columns[column, na.MISSING]
    begin, end, top = frame[na.BEGIN], frame[na.END], frame[na.TOP]
    if value > last:
        w.state[na.LEVEL] -= 1
        return
    if top + 2 * (end - begin) > len(w.members):
        w.state[na.FULL] = na.NO_ROOM_MEMBERS
        return
    frame[na.FIRST] += 1
    codes, at = w.codes[column], top
    for i in range(begin, end):
        if min(codes[w.members[i]], last) == value:
            w.members[at] = w.members[i]
            at += 1
    w.state[na.WORK] -= end - begin
    size = w.columns[column, na.SIZE]
    push(w, column, wide(0), size, frame[na.COST], top, at, at, wide(na.SOME))


# The children of a node of a tree, one after the other: loops.


@inner
def split(w: NodeWalk, frame: Ints) -> None:
    """Sort the members by the child that they are below, in order of price in each."""
    column, node = frame[na.COLUMN_AT], frame[na.LOW]
    begin, end, top = frame[na.BEGIN], frame[na.END], frame[na.TOP]
    if node < w.columns[column, na.SIZE]:
        w.state[na.LEVEL] -= 1  # a leaf
        return
    if top + end - begin > len(w.members):
        w.state[na.FULL] = na.NO_ROOM_MEMBERS
        return
    members, tally, codes = w.members, w.tally, w.codes[column]
    depth = w.depth[w.columns[column, na.NODES] + node] + 1
    child = w.above[w.columns[column, na.PATHS] + depth * w.columns[column, na.SIZE] :]
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
    w.state[na.WORK] -= end - begin
    frame[na.STAGE], frame[na.FIRST], frame[na.HIGH] = na.NEXT, top, at


@inner
def next_part(w: NodeWalk, frame: Ints) -> None:
    """Go to the members below the next child."""
    column, begin, last = frame[na.COLUMN_AT], frame[na.FIRST], frame[na.HIGH]
    if begin == last:
        w.state[na.LEVEL] -= 1
        return
    depth = w.depth[w.columns[column, na.NODES] + frame[na.LOW]] + 1
    child = w.above[w.columns[column, na.PATHS] + depth * w.columns[column, na.SIZE] :]
    codes, node, end = w.codes[column], child[w.codes[column][w.members[begin]]], begin
    while end < last and child[codes[w.members[end]]] == node:
        end += 1
    if last + end - begin > len(w.members):
        w.state[na.FULL] = na.NO_ROOM_MEMBERS
        return
    frame[na.FIRST] = end
    zero = wide(0)
    push(w, column, wide(node), zero, frame[na.COST], begin, end, last, zero)


@compiled
def start(w: NodeWalk) -> None:
    """Go to the set of all types."""
    for t in range(len(w.counts)):
        w.members[t] = t
    w.state[na.LEVEL] = -1
    zero = wide(0)
    enter(w, zero, zero, zero, len(w.counts), len(w.counts))


@compiled
def walk_on(w: NodeWalk) -> None:
    """Depth first: a column's nodes from the root down, below each the next column.

    Stops when the work is used up, or the room, and goes on from there when called
    again.
    """
    stack, state = w.stack, w.state
    while state[na.LEVEL] >= 0 and state[na.FULL] == 0 and state[na.WORK] > 0:
        frame = stack[state[na.LEVEL]]
        if frame[na.COLUMN_AT] == len(w.codes):
            emit(w, frame)
        elif frame[na.STAGE] == na.CHOOSE:
            choose(w, frame)
        elif frame[na.PART] == na.APART:
            next_apart(w, frame)
        elif w.columns[frame[na.COLUMN_AT], na.LINE]:
            narrow(w, frame)
        elif frame[na.STAGE] == na.SPLIT:
            split(w, frame)
        else:
            next_part(w, frame)
