"""Layers of matchings: what each record pays for its originals, and re-matching.

Layers are an array ``mates``, (k - 1) x n: the original of each released record in
each matching but the identity.
"""

import numpy as np

from heuristics.matchings.auction import (
    EXACT,
    FREE,
    NEVER,
    QUICK,
    SCALE,
    Graph,
    Ints,
    assign,
)
from heuristics.matchings.charges import Charges, cost, difference
from heuristics.matchings.complete import complete
from heuristics.matchings.problem import Problem
from instances.loops.compiled import compiled


def match_layer(
    problem: Problem, graph: Graph, mates: Ints, layer: int, floor: Ints | None = None
) -> None:
    """Re-match one layer at the least cost, the others fixed.

    Parameters
    ----------
    problem, graph
        The problem and its candidates.
    mates
        Changed in place, if the new matching costs no more (``FREE``: there is none).
    layer
        Which one.
    floor
        For each record a mask that it will have anyway.
    """
    rest = masks_without(problem.cells, mates, layer)
    if floor is not None:
        rest |= floor
    weight = weigh(graph, problem.charges, rest, mates, layer)
    before = mates[layer].copy()
    anew = bool((before == FREE).any())
    steps = EXACT if anew else QUICK
    mates[layer] = assign(graph, weight, before, steps, problem.most)
    arrays = problem.cells, problem.charges, problem.classes, rest
    complete(*arrays, mates, layer)
    if (mates[layer] == FREE).any():  # in small classes, of which all pairs are there
        mates[layer] = assign(graph, weight, mates[layer], EXACT, NEVER // SCALE)
        complete(*arrays, mates, layer)
    if not anew:
        old = masks_of(problem.cells, before) | rest
        new = masks_of(problem.cells, mates[layer]) | rest
        if total(problem.charges, new) > total(problem.charges, old):
            mates[layer] = before


@compiled
def weigh(graph: Graph, charges: Charges, rest: Ints, mates: Ints, layer: int) -> Ints:
    """Compute what each edge adds to the masks ``rest``; ``NEVER`` if in use.

    In use is what another layer than ``layer`` has.

    Parameters
    ----------
    graph, charges
        The candidates, and what masks cost.
    rest
        The mask of each record for its other layers.
    mates, layer
        Layers x n, and the layer that is matched.
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


@compiled
def masks_without(cells: Ints, mates: Ints, layer: int) -> Ints:
    """Compute the masks for the originals of all layers but one (-1: of all)."""
    masks = np.zeros(mates.shape[1], np.int32)
    for other in range(len(mates)):
        if other != layer:
            for j in range(len(masks)):
                if mates[other, j] != FREE:
                    masks[j] |= difference(cells, j, mates[other, j])
    return masks


@compiled
def total(charges: Charges, masks: Ints) -> int:
    """Return what all records pay."""
    paid = 0
    for j in range(len(masks)):
        paid += cost(charges, j, masks[j])
    return paid


@compiled
def masks_of(cells: Ints, originals: Ints) -> Ints:
    """Return the mask of each record for one original."""
    masks = np.empty(len(originals), np.int32)
    for j in range(len(masks)):
        masks[j] = difference(cells, j, originals[j])
    return masks


def mix_layers(mates: Ints, rng: np.random.Generator) -> None:
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
def _cycles(following: Ints) -> Ints:
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
