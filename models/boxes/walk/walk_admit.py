"""Boxes that are begun, as far as a group in them may be worth something: loops."""

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import inner
from starmin.models.boxes.walk.cheapest_group import best_fill
from starmin.models.boxes.walk.geometry import find_ends
from starmin.models.boxes.walk.walk_bounds import anchored, charged, joined_loss
from starmin.models.boxes.walk.walk_data import (
    AT,
    BEGIN,
    BOUND,
    COLUMN,
    COST,
    DEPTH,
    END,
    FOUND,
    FROM,
    FULL,
    NO_ROOM_BOXES,
    NO_ROOM_MEMBERS,
    NO_ROOM_STACK,
    WORK,
    BoxWalk,
)


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
    fill = members, w.forced, must, w.seen, w.types, w.copies
    bound, _ = best_fill(b, w.prices, least, 0, *fill)
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
