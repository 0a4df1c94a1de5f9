"""Steps of a chain are noted: labels that are reached, and where chains may end."""

from starmin.heuristics.annealing.annealing_state import State
from starmin.heuristics.annealing.chains.chain_labels import (
    AT,
    HOW,
    JOINED,
    SEARCH,
    ChainLabels,
)
from starmin.heuristics.annealing.paths.queue import ROUNDING, push
from starmin.instances.loops.compiled import inner


@inner
def label(
    w: ChainLabels, number: int, distance: float, at: int, joined: int, who: int
) -> bool:
    """Reach a label, where that is nearer than before; one that is done stays.

    ``w`` is updated. ``at`` is the label before, whose rows are then in pattern
    ``joined``; the pattern of the label lacks a row of type ``who``, or that is left
    over. Returns whether the label was reached.
    """
    search = w.heads[SEARCH]
    nearer = distance < w.distance[number] - ROUNDING
    if w.reached[number] == search and (w.done[number] == search or not nearer):
        return False
    w.reached[number], w.distance[number], w.parent[number] = search, distance, at
    w.joined[number], w.who[number] = joined, who
    w.spared[number] = w.spared_from[number] = -1
    push(w, distance, number)
    return True


@inner
def set_end(w: ChainLabels, at: int, how: int, joined: int) -> None:
    """Note where and how the best chain ends; no row joins besides.

    ``w`` is updated. ``at`` is the last label, ``how`` is ``JOIN``, ``FILL`` or
    ``SCATTER``, and ``joined`` is the pattern that is joined or filled, or whose rows
    scatter.
    """
    w.end[:] = -1
    w.end[AT], w.end[HOW], w.end[JOINED] = at, how, joined


@inner
def fits(s: State, w: ChainLabels, t: int, q: int) -> bool:
    """Check whether row type t fits pattern q."""
    low, high = s.patterns.starts[q], s.patterns.starts[q + 1]
    while low < high:
        middle = (low + high) // 2
        if w.rising[middle] < t:
            low = middle + 1
        else:
            high = middle
    return bool(low < s.patterns.starts[q + 1] and w.rising[low] == t)
