"""Layers of matchings: what each record pays for its originals, and re-matching.

Layers are an array ``mates``, (k - 1) x n: the original of each released record in
each matching but the identity.
"""

import numpy as np

from starmin.heuristics.matchings.auction import (
    EXACT,
    FREE,
    NEVER,
    QUICK,
    SCALE,
    Graph,
    assign,
)
from starmin.heuristics.matchings.charges import Charges, cost, difference
from starmin.heuristics.matchings.complete import complete
from starmin.heuristics.matchings.mask_arrays import MaskArrays
from starmin.instances.arrays import Floats, Int32s
from starmin.instances.loops.compiled import compiled

FINE = 16  # Shares of costs are rounded to this fraction of their unit.


def match_layer(
    problem: MaskArrays,
    graph: Graph,
    mates: Int32s,
    layer: int,
    floor: Int32s | None = None,
    shares: Floats | None = None,
) -> None:
    """Re-match one layer at the least cost, the others fixed.

    ``mates`` is changed in place, if the new matching costs no more (``FREE``: there is
    none). ``floor`` is for each record a mask that it will have anyway. ``shares`` is
    what an original pays that needs a part of the mask which s other layers need, as a
    share of the cost of that part, by s (``weigh_shared``); the new matching may cost
    more then.
    """
    rest = masks_without(problem.cells, mates, layer)
    if floor is not None:
        rest |= floor
    before, most = mates[layer].copy(), problem.most
    anew = bool((before == FREE).any())
    steps: tuple[int, ...] = EXACT if anew else QUICK
    if shares is None:
        weight = weigh(graph, problem.charges, rest, mates, layer)
    else:
        weight = weigh_shared(graph, problem, rest, mates, layer, shares)
        steps, most = tuple(FINE * step for step in steps), FINE * most
    mates[layer] = assign(graph, weight, before, steps, most)
    arrays = problem.cells, problem.charges, problem.classes, rest
    complete(*arrays, mates, layer)
    if (mates[layer] == FREE).any():  # in small classes, of which all pairs are there
        mates[layer] = assign(graph, weight, mates[layer], EXACT, NEVER // SCALE)
        complete(*arrays, mates, layer)
    if not anew and shares is None:
        old = masks_of(problem.cells, before) | rest
        new = masks_of(problem.cells, mates[layer]) | rest
        if total(problem.charges, new) > total(problem.charges, old):
            mates[layer] = before


@compiled
def weigh(
    graph: Graph, charges: Charges, rest: Int32s, mates: Int32s, layer: int
) -> Int32s:
    """Compute what each edge adds to the masks ``rest``; ``NEVER`` if in use.

    In use is what another layer than ``layer``, the one that is matched, has. ``rest``
    is the mask of each record for its other layers, and ``mates`` are layers x n.
    """
    weight = np.empty(len(graph.original), np.int32)
    for j in range(len(rest)):
        paid = cost(charges, j, rest[j])
        for e in range(graph.start[j], graph.start[j + 1]):
            weight[e] = cost(charges, j, rest[j] | graph.mask[e]) - paid
            for other in range(len(mates)):
                if other != layer and mates[other, j] == graph.original[e]:
                    weight[e] = NEVER
    return weight


def weigh_shared(
    graph: Graph,
    problem: MaskArrays,
    rest: Int32s,
    mates: Int32s,
    layer: int,
    shares: Floats,
) -> Int32s:
    """Compute what each edge adds, and a share of what it needs besides, finely.

    A part of a mask that one layer alone needs goes when that layer finds another
    original; one that several need stays. So parts that few layers need are made dear:
    an edge pays ``shares[s]`` of the cost of each part that s other layers need, the
    last for all greater s. Summed over the layers that need it, a part costs a concave
    function of their number: layers gather on few parts.

    ``rest`` is the mask of each record for its other layers, ``mates`` are layers x n,
    and ``layer`` is the one that is matched. Returns weights in 1/``FINE`` of the unit
    of costs.
    """
    weight: Int32s = weigh(graph, problem.charges, rest, mates, layer)
    arrays = problem.cells, problem.charges
    _add_shares(graph, *arrays, rest, mates, layer, shares, weight)
    return weight


@compiled
def _add_shares(
    graph: Graph,
    cells: Int32s,
    charges: Charges,
    rest: Int32s,
    mates: Int32s,
    layer: int,
    shares: Floats,
    weight: Int32s,
) -> None:
    """Turn the weights of ``weigh`` into those of ``weigh_shared``, in place."""
    parts = cells.shape[1]
    needed, shared = np.empty(parts, np.int64), np.empty(parts, np.int32)
    for j in range(len(rest)):
        needed[:] = 0
        for other in range(len(mates)):
            if other != layer and mates[other, j] != FREE:
                for c in range(parts):
                    needed[c] += cells[mates[other, j], c] != cells[j, c]
        for c in range(parts):
            below = rest[j] & ((1 << c) - 1)  # a step of a tree comes after lower ones
            own = cost(charges, j, below | 1 << c) - cost(charges, j, below)
            share = shares[min(needed[c], len(shares) - 1)]
            shared[c] = np.int32(np.rint(FINE * share * own))
        for e in range(graph.start[j], graph.start[j + 1]):
            if weight[e] == NEVER:
                continue
            weight[e] *= FINE
            for c in range(parts):
                if (graph.mask[e] & rest[j]) >> c & 1:
                    weight[e] += shared[c]


@compiled
def masks_without(cells: Int32s, mates: Int32s, layer: int) -> Int32s:
    """Compute the masks for the originals of all layers but one (-1: of all)."""
    masks = np.zeros(mates.shape[1], np.int32)
    for other in range(len(mates)):
        if other != layer:
            for j in range(len(masks)):
                if mates[other, j] != FREE:
                    masks[j] |= difference(cells, j, mates[other, j])
    return masks


@compiled
def total(charges: Charges, masks: Int32s) -> int:
    """Return what all records pay."""
    paid = 0
    for j in range(len(masks)):
        paid += cost(charges, j, masks[j])
    return paid


@compiled
def masks_of(cells: Int32s, originals: Int32s) -> Int32s:
    """Return the mask of each record for one original."""
    masks = np.empty(len(originals), np.int32)
    for j in range(len(masks)):
        masks[j] = difference(cells, j, originals[j])
    return masks


def mix_layers(mates: Int32s, rng: np.random.Generator) -> None:
    """Exchange originals between layers along cycles, at random.

    Two matchings make cycles, along each of which they may be exchanged.
    """
    layers, n = mates.shape
    turn = rng.permutation(layers)
    for one, two in zip(turn[::2], turn[1::2], strict=False):
        holder = np.empty(n, np.int32)
        holder[mates[two]] = np.arange(n, dtype=np.int32)
        cycle = _cycles(holder[mates[one]])
        swap = rng.random(int(cycle.max()) + 1)[cycle] < 1 / 2
        mates[one], mates[two] = (
            np.where(swap, mates[two], mates[one]),
            np.where(swap, mates[one], mates[two]),
        )


@compiled
def _cycles(following: Int32s) -> Int32s:
    """Return for each element of a permutation the number of its cycle."""
    cycle = np.full(len(following), -1, np.int32)
    cycles = 0
    for start in range(len(following)):
        at = start
        while cycle[at] == -1:
            cycle[at] = cycles
            at = following[at]
        cycles += cycle[at] == cycles
    return cycle
