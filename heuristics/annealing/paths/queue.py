"""The queue of labels: a binary heap in arrays, the least distance first."""

from starmin.heuristics.annealing.annealing_state import NONE
from starmin.heuristics.annealing.paths.path_labels import QUEUED, SEARCH, Labels
from starmin.instances.loops.compiled import inner

ROUNDING = 1e-9  # Distances so near are the same.


@inner
def push(w: Labels, key: float, item: int) -> None:
    """Queue a label at a distance; where the queue is full, it is left out."""
    at = w.heads[QUEUED]
    if at == len(w.key):
        return
    w.heads[QUEUED] = at + 1
    while at > 0:
        above = (at - 1) // 2
        if w.key[above] <= key:
            break
        w.key[at], w.item[at] = w.key[above], w.item[above]
        at = above
    w.key[at], w.item[at] = key, item


@inner
def pop(w: Labels) -> tuple[float, int]:
    """Take the nearest label from the queue, which has one; return it with its key."""
    key, item = w.key[0], w.item[0]
    last = w.heads[QUEUED] - 1
    w.heads[QUEUED] = last
    at, below = 0, 1
    while below < last:
        if below + 1 < last and w.key[below + 1] < w.key[below]:
            below += 1
        if w.key[below] >= w.key[last]:
            break
        w.key[at], w.item[at] = w.key[below], w.item[below]
        at, below = below, 2 * below + 1
    w.key[at], w.item[at] = w.key[last], w.item[last]
    return float(key), int(item)


@inner
def next_label(w: Labels, best: float) -> int:
    """Return the nearest label that is not done; -1 if none is near enough."""
    while w.heads[QUEUED] > 0:
        key, at = pop(w)
        if key >= best:
            break
        if w.done[at] != w.heads[SEARCH] and key <= w.distance[at] + ROUNDING:
            w.done[at] = w.heads[SEARCH]
            return int(at)
    return int(NONE)
