"""The boxes whose cheapest group is worth less than a threshold, found by loops."""

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.walk.geometry import closed_loss, find_ends
from starmin.models.boxes.walk.walk_admit import admit
from starmin.models.boxes.walk.walk_bounds import joined_loss
from starmin.models.boxes.walk.walk_data import (
    BEGIN,
    BOUND,
    COLUMN,
    DEPTH,
    END,
    FOUND,
    FULL,
    WORK,
    BoxWalk,
)
from starmin.models.boxes.walk.walk_splits import split_line, split_tree


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
