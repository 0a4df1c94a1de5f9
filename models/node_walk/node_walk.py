"""The depth-first walk over vectors of nodes that finds priced patterns: loops."""

from starmin.instances.loops.compiled import compiled
from starmin.models.node_walk.descent import choose, enter, wide
from starmin.models.node_walk.emission import emit
from starmin.models.node_walk.node_ranges import narrow, next_apart
from starmin.models.node_walk.node_walk_data import (
    APART,
    CHOOSE,
    COLUMN_AT,
    FULL,
    LEVEL,
    LINE,
    PART,
    SPLIT,
    STAGE,
    WORK,
    NodeWalk,
)
from starmin.models.node_walk.tree_nodes import next_part, split


@compiled
def start(w: NodeWalk) -> None:
    """Go to the set of all types."""
    for t in range(len(w.counts)):
        w.members[t] = t
    w.state[LEVEL] = -1
    zero = wide(0)
    enter(w, zero, zero, zero, len(w.counts), len(w.counts))


@compiled
def walk_on(w: NodeWalk) -> None:
    """Depth first: a column's nodes from the root down, below each the next column.

    Stops when the work is used up, or the room, and goes on from there when called
    again.
    """
    stack, state = w.stack, w.state
    while state[LEVEL] >= 0 and state[FULL] == 0 and state[WORK] > 0:
        frame = stack[state[LEVEL]]
        if frame[COLUMN_AT] == len(w.codes):
            emit(w, frame)
        elif frame[STAGE] == CHOOSE:
            choose(w, frame)
        elif frame[PART] == APART:
            next_apart(w, frame)
        elif w.columns[frame[COLUMN_AT], LINE]:
            narrow(w, frame)
        elif frame[STAGE] == SPLIT:
            split(w, frame)
        else:
            next_part(w, frame)
