"""Perfect matchings where candidate edges have none: edges are added."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.nonhomogeneous.near_edges import (
    FREE,
    Charges,
    MaskArrays,
    cost,
    difference,
)
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.tables.table_loops import by_key

_LOOKED_AT = 500  # A free record looks at so many other pairs to swap with.
_SPARES = 50  # A free record looks at so many free originals.


class _Free(NamedTuple):
    """What is free in a layer, and where to look for swaps."""

    # record, spare: free records and originals, those of one class at the same places
    record: Int32s
    spare: Int32s
    by_class: Int32s  # all rows by their class
    # place, end, turn: for each free record where its class begins and ends in
    # ``by_class``, and where in the class it begins to look
    place: Ints
    end: Ints
    turn: Ints


def complete(problem: MaskArrays, rest: Int32s, mates: Int32s, layer: int) -> None:
    """Match what an auction left free in a layer.

    A free record takes a free original of its class, or swaps: it takes the original
    of another record, and that one takes the free original, whichever costs least of
    some hundreds. All of the class are looked at where none of these will do. Of a
    class of more than 2k + 1 rows some pair always will; smaller ones have all their
    pairs as candidate edges, where a perfect matching is left as long as k does not
    exceed the class.

    Parameters
    ----------
    rest
        The mask of each record for its other layers.
    mates, layer
        Layers x n, changed in place, and the layer to complete.
    """
    classes = problem.classes
    free = np.flatnonzero(mates[layer] == FREE).astype(np.int32)
    if not len(free):
        return
    taken = np.zeros(len(rest), np.bool_)
    taken[mates[layer][mates[layer] != FREE]] = True
    spare = np.flatnonzero(~taken).astype(np.int32)
    # As many are free on either side in every class, so that sorting pairs them.
    free = free[np.argsort(classes[free], kind="stable")]
    spare = spare[np.argsort(classes[spare], kind="stable")]
    first, by_class = by_key(classes, int(classes.max()) + 1)
    place, end = first[classes[free]], first[classes[free] + 1]
    turn = np.random.default_rng(0).integers(0, 1 << 30, len(free))
    state = _Free(free, spare, by_class.astype(np.int32), place, end, turn)
    _place(problem, rest, mates, layer, state)


@compiled
def _place(
    problem: MaskArrays, rest: Int32s, mates: Int32s, layer: int, state: _Free
) -> None:
    """Match each free record, or swap; ``mates`` changes in place."""
    cells, charges, classes = problem.cells, problem.charges, problem.classes
    record, spare, by_class, place, end, turn = state
    for f in range(len(record)):
        j = record[f]
        best, swap, taken = np.inf, FREE, f
        for q in range(f, min(len(spare), f + _SPARES)):
            i = spare[q]
            if classes[i] == classes[j] and may(mates, layer, j, i):
                value = added(cells, charges, rest, j, i)
                if value < best:
                    best, swap, taken = value, j, q
        i = spare[f]
        size = end[f] - place[f]
        for step in range(size):
            if step >= _LOOKED_AT and swap != FREE:
                break
            other = by_class[place[f] + (turn[f] + step) % size]
            theirs = mates[layer, other]
            if theirs == FREE or other == j:
                continue
            if not (may(mates, layer, j, theirs) and may(mates, layer, other, i)):
                continue
            value = (
                added(cells, charges, rest, j, theirs)
                + added(cells, charges, rest, other, i)
                - added(cells, charges, rest, other, theirs)
            )
            if value < best:
                best, swap = value, other
        if swap == j:
            spare[f], spare[taken] = spare[taken], i
            mates[layer, j] = spare[f]
        elif swap != FREE:
            mates[layer, j] = mates[layer, swap]
            mates[layer, swap] = i


@inner
def may(mates: Int32s, layer: int, j: int, i: int) -> bool:
    """Check whether record j may have original i: not its own, nor twice."""
    if i == j:
        return False
    for other in range(len(mates)):
        if other != layer and mates[other, j] == i:
            return False
    return True


@inner
def added(cells: Int32s, charges: Charges, rest: Int32s, j: int, i: int) -> int:
    """Return what original i adds to the mask of j, beside ``rest`` of other layers."""
    together = rest[j] | difference(cells, j, i)
    more: int = cost(charges, j, together) - cost(charges, j, rest[j])
    return more
