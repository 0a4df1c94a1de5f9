"""The nodes and ranges of a column, chosen one after the other: loops."""

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import inner
from starmin.models.boxes.walk.geometry import add, is_hidden, range_loss
from starmin.models.boxes.walk.walk_admit import narrow, put_back
from starmin.models.boxes.walk.walk_bounds import (
    add_type,
    insert,
    joined_loss,
    worth_with,
)
from starmin.models.boxes.walk.walk_data import (
    AT,
    BEGIN,
    COLUMN,
    COST,
    DEPTH,
    END,
    FROM,
    FULL,
    WORK,
    BoxWalk,
)


@inner
def split_tree(w: BoxWalk, frame: Ints, forced: Int32s) -> None:
    """Choose each node of a tree that is above some types."""
    b, j, at = w.data, frame[COLUMN], frame[END]
    w.state[WORK] -= len(w.tally) + frame[END] - frame[BEGIN]
    w.tally[:] = 0
    for i in range(frame[BEGIN], frame[END]):
        t = w.members[i]
        node = b.place[j, t]
        w.tally[node] += b.counts[t]
        while b.parent[j, node] != node:
            node = b.parent[j, node]
            w.tally[node] += b.counts[t]
    for node in range(len(w.tally)):
        first, last = b.first[j, node], b.last[j, node]
        if w.tally[node] >= b.least and b.loss[j, node] >= 0:
            if len(forced) and not first <= w.first[j] <= w.last[j] <= last:
                continue
            depth = w.state[DEPTH]
            w.lows[depth, j] = w.highs[depth, j] = node
            at = narrow(w, frame, at, first, last, b.loss[j, node])
            if w.state[FULL]:
                return


@inner
def with_end(w: BoxWalk, ends: Int32s, forced: Int32s, place: int) -> int:
    """List some types, and the one at a place if it is alone; how many these are."""
    ends[: len(forced)] = forced
    if w.starts[place] + 1 == w.starts[place + 1]:
        return int(add(ends, len(forced), w.sorted[w.starts[place]]))
    return len(forced)


@inner
def sort_by_place(w: BoxWalk, frame: Ints) -> None:
    """Sort the types of a set by place, and by falling price at each."""
    place, tally = w.data.place[frame[COLUMN]], w.tally
    w.state[WORK] -= len(tally) + frame[END] - frame[BEGIN]
    tally[:] = 0
    for i in range(frame[BEGIN], frame[END]):
        tally[place[w.members[i]]] += 1
    at = 0
    for p in range(len(tally)):
        w.starts[p] = at
        at += tally[p]
    w.starts[len(tally)] = at
    tally[:] = 0
    for i in range(frame[BEGIN], frame[END]):
        t = w.members[i]
        p = place[t]
        w.sorted[w.starts[p] + tally[p]] = t
        tally[p] += 1


@inner
def widest(w: BoxWalk, frame: Ints, forced: Int32s, low: int, rest: int) -> int:
    """Return the last place of a range from a place that may be worth something."""
    b, j, top = w.data, frame[COLUMN], (w.heads, w.tags, 0)
    for i in range(frame[BEGIN], frame[END]):
        t = w.members[i]
        w.state[WORK] -= 1
        if b.place[j, t] >= low:
            top = add_type(w, top, forced, t)
        if top[2] == b.most:
            break
    high = low if low < b.apart[j] or not b.ranges[j] else b.reach[j, low]
    while high >= low:
        cost = frame[COST] + rest + range_loss(b, j, low, high)
        if worth_with(w, top, forced, cost) < w.threshold[0]:
            break
        high -= 1
    return int(high)


@inner
def split_line(w: BoxWalk, frame: Ints, forced: Int32s, rest: int) -> None:
    """Choose each range of numbers, or all of the line where that is hidden.

    Where the work is used up meanwhile, the set ``frame`` is back on the stack with
    what is left. Every group has the types ``forced``; ``rest`` is what their ends cost
    in the columns after this one.
    """
    b, j, at, begun = w.data, frame[COLUMN], frame[AT], False
    sort_by_place(w, frame)
    first = b.place[j, w.sorted[0]]
    last = b.place[j, w.sorted[frame[END] - frame[BEGIN] - 1]]
    if frame[FROM] == 0 and is_hidden(b, j, first, last) and b.ranges[j]:
        depth = w.state[DEPTH]
        w.lows[depth, j], w.highs[depth, j] = 0, b.size[j] - 1
        at = narrow(w, frame, at, first, last, b.whole[j])
        if w.state[FULL]:
            return
    latest, least = last, first
    if len(forced):
        latest, least = w.first[j], w.last[j]
    for low in range(max(first, frame[FROM]), latest + 1):
        if w.starts[low] == w.starts[low + 1]:
            continue
        if begun and w.state[WORK] <= 0:
            put_back(w, frame, low, at)
            return
        begun = True
        end = min(last, widest(w, frame, forced, low, rest))
        w.state[WORK] -= max(0, end - low) + w.starts[max(low, end) + 1] - w.starts[low]
        top, at_low = (w.heads, w.tags, 0), with_end(w, w.ends, forced, low)
        for high in range(low, end + 1):
            if w.starts[high] == w.starts[high + 1]:
                continue
            must = at_low
            if high > low:
                must = with_end(w, w.ends, w.ends[:at_low].copy(), high)
            ends = w.ends[:must]
            for i in range(w.starts[high], w.starts[high + 1]):
                top = add_type(w, top, ends, w.sorted[i])
            if high >= least:
                loss = range_loss(b, j, low, high)
                cost = frame[COST] + loss + joined_loss(w, j + 1, ends)
                if worth_with(w, top, ends, cost) < w.threshold[0]:
                    depth = w.state[DEPTH]
                    w.lows[depth, j], w.highs[depth, j] = low, high
                    at = narrow(w, frame, at, low, high, loss)
                    if w.state[FULL]:
                        return
            for i in range(at_low, must):
                top = insert(b, top, w.prices[ends[i]], 1, b.value[ends[i]])
