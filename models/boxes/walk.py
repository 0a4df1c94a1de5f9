"""The boxes whose cheapest group is worth less than a threshold, found by loops."""

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.box_data import BoxData
from starmin.models.boxes.fills import best_fill
from starmin.models.boxes.geometry import closed_loss, find_ends, is_hidden, range_loss
from starmin.models.boxes.walk_data import (
    BEGIN,
    BOUND,
    COLUMN,
    COST,
    DEPTH,
    END,
    FOUND,
    FULL,
    NO_ROOM_BOXES,
    NO_ROOM_MEMBERS,
    NO_ROOM_STACK,
    WORK,
    BoxWalk,
)


@inner
def rows_inside(b: BoxData, members: Int32s, ends: Int32s, inside: Bools) -> int:
    """Count how many rows of a set a group of some types has at least.

    Parameters
    ----------
    b
        The problem.
    members
        The types that the group may have.
    ends
        Those that it has.
    inside
        Which types are in the set.
    """
    least, rows = 0, b.least
    for t in ends:
        least += inside[t]
    for i in range(len(members)):
        if rows <= least:
            break
        t = members[i]
        if inside[t]:
            continue
        if not b.spread:
            rows -= b.counts[t]
        else:
            again = False
            for k in range(i):
                s = members[k]
                again |= not inside[s] and b.value[s] == b.value[t]
            rows -= not again
    return int(max(least, rows))


@inner
def charged(w: BoxWalk, members: Int32s, ends: Int32s) -> int:
    """Return what sets charge a group whose box has these types, or fewer of them."""
    total = 0
    for s in range(len(w.charge)):
        rows = rows_inside(w.data, members, ends, w.inside[s])
        total += w.charge[s] * (rows // w.share[s])
    return total


@inner
def admit(w: BoxWalk, column: int, begin: int, end: int, cost: int) -> None:
    """Put a set on the stack, whose box is begun, or list the box that is complete.

    Not where every group in it is worth the threshold or more.
    """
    b, state = w.data, w.state
    at = state[DEPTH]
    low, high, members = w.lows[at], w.highs[at], w.members[begin:end]
    must = 0
    for j in range(column):
        must = find_ends(b, j, low[j], high[j], members, w.forced, must)
        if must < 0:
            return
    least = cost
    for j in range(column, len(low)):
        if must < 2:
            break
        first = last = b.place[j, w.forced[0]]
        for i in range(1, must):
            place = b.place[j, w.forced[i]]
            first, last = min(first, place), max(last, place)
        loss = closed_loss(b, j, first, last)
        if loss < 0:
            return
        least += loss
    fill = members, w.forced, must, w.seen, w.types, w.copies
    bound, _ = best_fill(b, w.prices, least, *fill)
    if bound >= w.threshold[0]:
        return
    bound += charged(w, members, w.forced[:must])
    if bound >= w.threshold[0]:
        return
    if column == len(low):
        found = state[FOUND]
        w.found_lows[found], w.found_highs[found] = low, high
        w.worth[found] = bound
        state[FOUND] += 1
        return
    frame = w.stack[at]
    frame[COLUMN], frame[BEGIN], frame[END] = column, begin, end
    frame[COST], frame[BOUND] = cost, bound
    state[DEPTH] += 1
    w.lows[at + 1], w.highs[at + 1] = low, high


@inner
def narrow(w: BoxWalk, frame: Ints, begin: int, low: int, high: int, cost: int) -> int:
    """Admit the types of a set between two places; return where they end."""
    place, column, at = w.data.place[frame[COLUMN]], frame[COLUMN], begin
    for i in range(frame[BEGIN], frame[END]):
        t = w.members[i]
        if low <= place[t] <= high:
            w.members[at] = t
            at += 1
    w.state[WORK] -= frame[END] - frame[BEGIN]
    depth = w.state[DEPTH]
    admit(w, column + 1, begin, at, frame[COST] + cost)
    return at if w.state[DEPTH] > depth else begin


@inner
def split_tree(w: BoxWalk, frame: Ints) -> None:
    """Choose each node of a tree."""
    b, j, at = w.data, frame[COLUMN], frame[END]
    w.tally[:] = 0
    for i in range(frame[BEGIN], frame[END]):
        t = w.members[i]
        node = b.place[j, t]
        w.tally[node] += b.counts[t]
        while b.parent[j, node] != node:
            node = b.parent[j, node]
            w.tally[node] += b.counts[t]
    for node in range(len(w.tally)):
        if w.tally[node] >= b.least and b.loss[j, node] >= 0:
            depth = w.state[DEPTH]
            w.lows[depth, j] = w.highs[depth, j] = node
            first, last = b.first[j, node], b.last[j, node]
            at = narrow(w, frame, at, first, last, b.loss[j, node])


@inner
def insert(w: BoxWalk, held: int, price: int, copies: int, value: int) -> int:
    """Insert copies of a price among the highest ones; how many there are then."""
    b, heads, tags = w.data, w.heads, w.tags
    if b.spread:
        for i in range(held):
            if tags[i] == value:
                if heads[i] >= price:
                    return held
                for k in range(i, held - 1):
                    heads[k], tags[k] = heads[k + 1], tags[k + 1]
                held -= 1
                break
        copies = 1
    for _ in range(copies):
        if held == b.most:
            if heads[held - 1] >= price:
                return held
            held -= 1
        i = held
        while i > 0 and heads[i - 1] < price:
            heads[i], tags[i] = heads[i - 1], tags[i - 1]
            i -= 1
        heads[i], tags[i] = price, value
        held += 1
    return held


@inner
def is_worth(w: BoxWalk, held: int, cost: int) -> bool:
    """Return whether a group of the highest prices is worth less than the threshold."""
    if held < w.data.least:
        return False
    total = 0
    for i in range(held):
        each = cost - w.heads[i]
        if i >= w.data.least and each >= 0:
            break
        total += each
    return bool(total < w.threshold[0])


@inner
def sort_by_place(w: BoxWalk, frame: Ints) -> None:
    """Sort the types of a set by place, and by falling price at each."""
    place, tally = w.data.place[frame[COLUMN]], w.tally
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
def widest(w: BoxWalk, frame: Ints, low: int) -> int:
    """Return the last place of a range from a place that may be worth something."""
    b, j, held = w.data, frame[COLUMN], 0
    for i in range(frame[BEGIN], frame[END]):
        t = w.members[i]
        if b.place[j, t] >= low:
            held = insert(w, held, w.prices[t], b.counts[t], b.value[t])
        if held == b.most:
            break
    high = low if low < b.apart[j] or not b.ranges[j] else b.reach[j, low]
    while high >= low and not is_worth(
        w, held, frame[COST] + range_loss(b, j, low, high)
    ):
        high -= 1
    return int(high)


@inner
def split_line(w: BoxWalk, frame: Ints) -> None:
    """Choose each range of numbers, or all of the line where that is hidden."""
    b, j, at = w.data, frame[COLUMN], frame[END]
    sort_by_place(w, frame)
    first = b.place[j, w.sorted[0]]
    last = b.place[j, w.sorted[frame[END] - frame[BEGIN] - 1]]
    if is_hidden(b, j, first, last) and b.ranges[j]:
        depth = w.state[DEPTH]
        w.lows[depth, j], w.highs[depth, j] = 0, b.size[j] - 1
        at = narrow(w, frame, at, first, last, b.whole[j])
    for low in range(first, last + 1):
        if w.starts[low] == w.starts[low + 1]:
            continue
        end = min(last, widest(w, frame, low))
        held = 0
        for high in range(low, end + 1):
            if w.starts[high] == w.starts[high + 1]:
                continue
            for i in range(w.starts[high], w.starts[high + 1]):
                t = w.sorted[i]
                held = insert(w, held, w.prices[t], b.counts[t], b.value[t])
            loss = range_loss(b, j, low, high)
            if is_worth(w, held, frame[COST] + loss):
                depth = w.state[DEPTH]
                w.lows[depth, j], w.highs[depth, j] = low, high
                at = narrow(w, frame, at, low, high, loss)


@inner
def most_parts(w: BoxWalk, column: int, size: int) -> int:
    """Return in how many sets one of a size may be split at most."""
    places = min(w.data.size[column], size)
    if w.data.line[column]:
        return int(1 + places * (places + 1) // 2)
    return len(w.tally)


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
    again.
    """
    state, frame, most = w.state, w.stack[len(w.stack) - 1], len(w.lows) - 1
    while state[DEPTH] > 0 and state[WORK] > 0:
        top = w.stack[state[DEPTH] - 1]
        size = top[END] - top[BEGIN]
        parts = most_parts(w, top[COLUMN], size)
        if state[FOUND] + parts > len(w.worth):
            state[FULL] = NO_ROOM_BOXES
            return
        if top[END] + size * parts > len(w.members):
            state[FULL] = NO_ROOM_MEMBERS
            return
        if state[DEPTH] + parts > most:
            state[FULL] = NO_ROOM_STACK
            return
        frame[:] = top
        state[DEPTH] -= 1
        if frame[BOUND] >= w.threshold[0]:
            continue
        if w.data.line[frame[COLUMN]]:
            split_line(w, frame)
        else:
            split_tree(w, frame)
