"""The boxes whose cheapest group is worth less than a threshold, found by loops."""

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.walk.box_data import BoxWalk
from starmin.models.boxes.walk.box_fills import Fill, best_fill
from starmin.models.boxes.walk.walk_bounds import (
    add,
    add_type,
    anchored,
    charged,
    closed_loss,
    find_ends,
    insert,
    is_hidden,
    joined_loss,
    range_loss,
    worth_with,
)

# Places in BoxWalk.state and in the rows of BoxWalk.stack.
DEPTH, FOUND, WORK, FULL = range(4)
COLUMN, BEGIN, END, COST, BOUND, FROM, AT = range(7)
NO_ROOM_BOXES, NO_ROOM_MEMBERS, NO_ROOM_STACK = 1, 2, 3


# Boxes that are begun, as far as a group in them may be worth something: loops.


@inner
def admit(w: BoxWalk, column: int, begin: int, end: int, cost: int) -> None:
    """Put a set on the stack, whose box is begun, or list the box that is complete.

    Not where every group in it is worth the threshold or more. Where there is no room
    for it, the state says so.
    """
    b, state = w.data, w.state
    at = state[DEPTH]
    low, high, members = w.lows[at], w.highs[at], w.members[begin:end]
    must = 0
    for j in range(column):
        must = find_ends(b, j, low[j], high[j], members, w.forced, must)
        if must < 0:
            return
    least = cost + joined_loss(w, column, w.forced[:must])
    if least < cost:
        return
    fill = Fill(members, w.forced, must, w.seen, w.types, w.copies)
    bound, _ = best_fill(b, w.prices, least, 0, fill)
    if bound >= w.threshold[0]:
        return
    if must > 0 and column < len(low):
        state[WORK] -= len(members)
        bound = anchored(w, column, members, w.forced[:must], cost)
        if bound >= w.threshold[0]:
            return
    state[WORK] -= len(w.charge)
    bound += charged(w, members, w.forced[:must])
    if bound >= w.threshold[0]:
        return
    if column == len(low):
        found = state[FOUND]
        if found == len(w.worth):
            state[FULL] = NO_ROOM_BOXES
            return
        w.found_lows[found], w.found_highs[found] = low, high
        w.worth[found] = bound
        state[FOUND] += 1
        return
    if at + 2 > len(w.lows) - 1:
        state[FULL] = NO_ROOM_STACK
        return
    frame = w.stack[at]
    frame[COLUMN], frame[BEGIN], frame[END] = column, begin, end
    frame[COST], frame[BOUND] = cost, bound
    frame[FROM], frame[AT] = 0, end
    state[DEPTH] += 1
    w.lows[at + 1], w.highs[at + 1] = low, high


@inner
def put_back(w: BoxWalk, frame: Ints, place: int, free: int) -> None:
    """Put a set back on the stack, above its parts so far, to go on from a place.

    Its further parts are put after those types that it has so far.
    """
    at = w.state[DEPTH]
    if at + 2 > len(w.lows) - 1:
        w.state[FULL] = NO_ROOM_STACK
        return
    w.stack[at] = frame
    w.stack[at, FROM], w.stack[at, AT] = place, free
    w.state[DEPTH] += 1


@inner
def narrow(w: BoxWalk, frame: Ints, begin: int, low: int, high: int, cost: int) -> int:
    """Admit the types of a set between two places; return where they end."""
    place, column, at = w.data.place[frame[COLUMN]], frame[COLUMN], begin
    for i in range(frame[BEGIN], frame[END]):
        t = w.members[i]
        if low <= place[t] <= high:
            if at == len(w.members):
                w.state[FULL] = NO_ROOM_MEMBERS
                return begin
            w.members[at] = t
            at += 1
    w.state[WORK] -= frame[END] - frame[BEGIN]
    depth = w.state[DEPTH]
    admit(w, column + 1, begin, at, frame[COST] + cost)
    return at if w.state[DEPTH] > depth else begin


# The nodes and ranges of a column, chosen one after the other: loops.


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


@inner
def split(w: BoxWalk, frame: Ints) -> None:
    """Choose each node of the next column."""
    b, at, column, must = w.data, w.state[DEPTH], frame[COLUMN], 0
    members = w.members[frame[BEGIN] : frame[END]]
    for j in range(column):
        must = find_ends(b, j, w.lows[at, j], w.highs[at, j], members, w.forced, must)
    forced = w.forced[:must].copy()
    rest = joined_loss(w, column, forced)
    if must:
        rest -= closed_loss(b, column, w.first[column], w.last[column])
    if b.line[column]:
        split_line(w, frame, forced, rest)
    else:
        split_tree(w, frame, forced)


@compiled
def start(w: BoxWalk, members: Int32s) -> None:
    """Go to the set of some types, by falling price."""
    w.members[: len(members)] = members
    w.state[:] = 0
    admit(w, 0, 0, len(members), 0)


@compiled
def walk_on(w: BoxWalk) -> None:
    """Take the sets from the stack, the last one first.

    Stops when the work is used up, or the room, and goes on from there when called
    again: a set for whose parts there was no room is back on the stack, whole.
    """
    state, frame = w.state, w.stack[len(w.stack) - 1]
    while state[DEPTH] > 0 and state[WORK] > 0:
        state[DEPTH] -= 1
        depth, found = state[DEPTH], state[FOUND]
        frame[:] = w.stack[depth]
        if frame[BOUND] < w.threshold[0]:
            split(w, frame)
        if state[FULL]:
            w.stack[depth] = frame
            state[DEPTH], state[FOUND] = depth + 1, found
            return
