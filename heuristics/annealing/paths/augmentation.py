"""Carry out an alternating path: its rows move from pattern to pattern."""

from starmin.heuristics.annealing.annealing_changes import move_row, shift
from starmin.heuristics.annealing.annealing_state import State, wide
from starmin.heuristics.annealing.paths.path_labels import (
    AT,
    JOINED,
    SOURCE,
    TAKEN,
    Labels,
)
from starmin.instances.loops.compiled import inner


@inner
def follow_path(s: State, w: Labels, root: int) -> bool:
    """Move the rows of the path that was found for an orphan.

    Parameters
    ----------
    s
        The state. Updated; moves are noted in the log.
    w
        The labels.
    root
        The type of the orphan.

    Returns
    -------
    Whether the path could be followed. It cannot where it takes the same row twice.
    """
    orphanage, steps, at = len(s.patterns.cost), 0, w.end[AT]
    while at != orphanage:
        w.path[steps] = at
        steps += 1
        at = w.parent[at]
    exposed = root
    for i in range(steps - 1, -1, -1):
        p = w.path[i]
        shift(s, exposed, orphanage, wide(w.joined[p]), 1)
        if w.taken[p] >= 0 and not move_row(s, wide(w.taken[p]), p, wide(w.joined[p])):
            return False
        exposed = wide(w.exposed[p])
        if not move_row(s, exposed, p, orphanage):
            return False
    shift(s, exposed, orphanage, wide(w.end[JOINED]), 1)
    if w.end[TAKEN] < 0:
        return True
    joined, source = wide(w.end[JOINED]), wide(w.end[SOURCE])
    return bool(move_row(s, wide(w.end[TAKEN]), source, joined))
