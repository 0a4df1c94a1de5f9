"""Layers of matchings: what each record pays for its originals, and re-matching.

Layers are an array ``mates``, (k - 1) x n: the original of each released record in
each matching but the identity.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from starmin.heuristics.nonhomogeneous.complete import complete
from starmin.heuristics.nonhomogeneous.near_edges import (
    EXACT,
    FREE,
    MOST_LAYERS,
    NEVER,
    QUICK,
    SCALE,
    Charges,
    Check,
    Graph,
    MaskArrays,
    assign,
    bucket_end,
    bucket_order,
    bucket_shift,
    cost,
    difference,
    gather_edges,
    hash_cells,
    near_edges,
    never,
    outside,
    star_charges,
)
from starmin.instances import NotSupportedError, Objective, Table
from starmin.instances.arrays import Bools, Floats, Int32s, Ints, Words
from starmin.instances.loops.compiled import compiled

_FINEST = 8  # Where weights are rounded, the dearest column costs so many units.
_MOST_MASKS = 1000  # So many masks of one size are tried; 12 columns have fewer.


def star_problem(table: Table, objective: Objective, seed: int = 0) -> MaskArrays:
    """Pose the hiding of cells of a table, each column at its weight.

    Weights are rounded to eighths of the largest, and tuples are taken for stars: the
    search is a heuristic, and what it finds is recounted. Raises NotSupportedError for
    more than 31 QI columns.
    """
    if table.d > MOST_LAYERS:
        raise NotSupportedError(
            f"Expected at most {MOST_LAYERS} QI columns, got {table.d}."
        )
    weights = objective.column_weights(table)
    if weights.max() > _FINEST:
        weights = -(-_FINEST * weights // weights.max())
    kept = objective.kept(table)
    classes = ranks_of(table, objective.keep)
    cells = np.ascontiguousarray(table.codes[table.positions(table.qi)].T)
    masks = _masks(np.flatnonzero(~kept), weights, seed)
    charges = star_charges(weights, table.n)
    return MaskArrays(cells, charges, masks, classes, max(1, int(weights.max())))


def ranks_of(table: Table, columns: Sequence[str]) -> Int32s:
    """Return for each row its place in the sorted combinations of some columns."""
    if not columns:
        return np.zeros(table.n, np.int32)
    return table.grouped(columns).inverse


def _masks(columns: Ints, weights: Ints, seed: int) -> Int32s:
    """Return sets of columns by cost: all of them, or of each size a thousand."""
    rng = np.random.default_rng(seed)
    found = []
    for size in range(len(columns) + 1):
        if comb(len(columns), size) <= _MOST_MASKS:
            found += list(combinations(columns.tolist(), size))
        else:
            some = (rng.permutation(columns)[:size] for _ in range(_MOST_MASKS))
            found += sorted({tuple(sorted(s.tolist())) for s in some})
    paid = np.array([weights[list(columns)].sum() for columns in found])
    masks = np.array([sum(1 << c for c in columns) for columns in found], np.int32)
    sizes = np.array([len(columns) for columns in found])
    return masks[np.lexsort((sizes, paid))]


Edges = tuple[Int32s, Int32s, Int32s]

_COMPLETE = 40  # In classes of so many rows at most all pairs are candidates.


def first_graph(
    problem: MaskArrays,
    k: int,
    wanted: int,
    *more: Edges,
    seed: int = 0,
    check: Check = never,
) -> Graph:
    """Find edges to records that differ little, and all within small classes.

    A record looks for ``wanted``, in an order by ``seed``; ``check`` is called now and
    then.
    """
    each = max(2, wanted // 10)
    near = near_edges(problem.cells, problem.masks, wanted, each, seed, check)
    small = small_classes(problem.classes, max(_COMPLETE, 2 * k + 2))
    all_pairs = with_masks(problem.cells, *small)
    parts = zip(near, all_pairs, *more, strict=True)
    gathered: Graph = gather_edges(problem.n, *(np.concatenate(part) for part in parts))
    return gathered


def with_masks(cells: Int32s, record: Int32s, original: Int32s) -> Edges:
    """Return edges with the layers in which their ends differ."""
    return record, original, _edges_masks(cells, record, original)


@compiled
def _edges_masks(cells: Int32s, record: Int32s, original: Int32s) -> Int32s:
    mask = np.empty(len(record), np.int32)
    for e in range(len(record)):
        mask[e] = difference(cells, record[e], original[e])
    return mask


def small_classes(classes: Int32s, most: int) -> tuple[Int32s, Int32s]:
    """Return all pairs of different rows in classes of at most so many rows."""
    sizes = np.bincount(classes)
    rows = np.flatnonzero(sizes[classes] <= most).astype(np.int32)
    rows = rows[np.argsort(classes[rows], kind="stable")]
    pairs: tuple[Int32s, Int32s] = _class_pairs(rows, classes[rows])
    return pairs


@compiled
def _class_pairs(rows: Int32s, of: Int32s) -> tuple[Int32s, Int32s]:
    many = 0
    record, original = np.empty(64, np.int32), np.empty(64, np.int32)
    first = 0
    for p in range(len(rows)):
        if of[p] != of[first]:
            first = p
        for q in range(first, p):
            if many + 2 > len(record):
                record = np.concatenate((record, np.empty_like(record)))
                original = np.concatenate((original, np.empty_like(original)))
            record[many], original[many] = rows[p], rows[q]
            record[many + 1], original[many + 1] = rows[q], rows[p]
            many += 2
    return record[:many].copy(), original[:many].copy()


def refreshed(
    problem: MaskArrays,
    graph: Graph,
    full: Int32s,
    held: Int32s,
    each: int,
    seed: int,
    check: Check = never,
) -> Graph:
    """Find candidates for the present masks, ``full``.

    Each record gets ``each`` originals that its mask covers already, found in an order
    by ``seed``. Of the other candidates those are kept that would cost two columns at
    most, and what is ``held``, layers x n.
    """
    cells, n = problem.cells, problem.n
    rng = np.random.default_rng(seed)
    hashes, whole = hash_cells(cells, rng)
    order = rng.permutation(n).astype(np.int32)
    used = np.unique(full)
    found = []
    for mask in used.tolist():
        check()
        key = outside(hashes, whole, mask)
        wanting = full == mask
        known = np.isin(key, key[wanting])
        by_key = bucket_order(key, order[known[order]])
        found.append(_covered(key, by_key, wanting, each))
    own = np.tile(np.arange(n, dtype=np.int32), len(held))
    found.append((own, held.ravel()))
    record, original = (np.concatenate(part) for part in zip(*found, strict=True))
    near = _affordable(graph, problem.charges, full, 2 * problem.unit)
    new = with_masks(cells, record, original)
    parts = zip(near, new, strict=True)
    gathered: Graph = gather_edges(n, *(np.concatenate(part) for part in parts))
    return gathered


@compiled
def _covered(
    key: Words, by_key: Int32s, wanting: Bools, each: int
) -> tuple[Int32s, Int32s]:
    """Find pairs with equal keys, ``each`` for every record that wants some."""
    n, shift = len(by_key), bucket_shift(len(by_key))
    most = 0
    for j in by_key:
        most += wanting[j]
    record, original = (
        np.empty(most * each, np.int32),
        np.empty(most * each, np.int32),
    )
    many, low = 0, 0
    while low < n:
        high = bucket_end(key, by_key, low, shift)
        for p in range(low, high):
            j = by_key[p]
            taken = 0
            for step in range(1, high - low if wanting[j] else 1):
                q = p + step
                i = by_key[q if q < high else q - (high - low)]
                if key[i] == key[j]:
                    record[many], original[many] = j, i
                    many += 1
                    taken += 1
                    if taken == each:
                        break
        low = high
    return record[:many].copy(), original[:many].copy()


@compiled
def _affordable(graph: Graph, charges: Charges, full: Int32s, most: int) -> Edges:
    """Return the edges that add at most so much to the masks."""
    kept = np.zeros(len(graph.original), np.bool_)
    record = np.empty(len(graph.original), np.int32)
    for j in range(len(full)):
        paid = cost(charges, j, full[j])
        for e in range(graph.start[j], graph.start[j + 1]):
            record[e] = j
            kept[e] = cost(charges, j, full[j] | graph.mask[e]) - paid <= most
    return record[kept], graph.original[kept], graph.mask[kept]


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
    none). ``floor`` is for each record a mask that it will have anyway. With ``shares``
    (``weigh_shared``) the new matching may cost more.
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
    complete(problem, rest, mates, layer)
    if (mates[layer] == FREE).any():  # in small classes, of which all pairs are there
        mates[layer] = assign(graph, weight, mates[layer], EXACT, NEVER // SCALE)
        complete(problem, rest, mates, layer)
    if not anew and shares is None:
        old = masks_of(problem.cells, before) | rest
        new = masks_of(problem.cells, mates[layer]) | rest
        if total(problem.charges, new) > total(problem.charges, old):
            mates[layer] = before


def match_layers(
    problem: MaskArrays, graph: Graph, k: int, check: Check, floor: Int32s | None = None
) -> Int32s:
    """Match k - 1 layers, one after the other; ``check`` is called before each."""
    mates = np.full((k - 1, problem.n), FREE, np.int32)
    for layer in range(k - 1):
        check()
        match_layer(problem, graph, mates, layer, floor)
    return mates


@compiled
def weigh(
    graph: Graph, charges: Charges, rest: Int32s, mates: Int32s, layer: int
) -> Int32s:
    """Compute what each edge adds to the masks ``rest`` of the layers but ``layer``.

    ``NEVER`` where another layer of ``mates``, layers x n, has it.
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
def weigh_shared(
    graph: Graph,
    problem: MaskArrays,
    rest: Int32s,
    mates: Int32s,
    layer: int,
    shares: Floats,
) -> Int32s:
    """Compute what each edge adds, and a share of what it needs besides, in 1/``FINE``.

    A part of a mask that one layer alone needs goes when that layer finds another
    original; one that several need stays. So parts that few layers need are made dear:
    an edge pays ``shares[s]`` of the cost of each part that s other layers need, the
    last for all greater s. Summed over the layers that need it, a part costs a concave
    function of their number: layers gather on few parts. ``rest``, ``mates`` and
    ``layer`` are those of ``weigh``.
    """
    cells, charges = problem.cells, problem.charges
    weight: Int32s = weigh(graph, charges, rest, mates, layer)
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
    return weight


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
    """Exchange originals between layers along cycles of two matchings, at random."""
    layers, n = mates.shape
    turn = rng.permutation(layers)
    for one, two in zip(turn[::2], turn[1::2], strict=False):
        holder = np.empty(n, np.int32)
        holder[mates[two]] = np.arange(n, dtype=np.int32)
        ends = np.ones(n, np.int8), holder[mates[one]], np.arange(n + 1)
        cycles, cycle = connected_components(csr_matrix(ends, (n, n)))
        swap = rng.random(cycles)[cycle] < 1 / 2
        mates[one], mates[two] = (
            np.where(swap, mates[two], mates[one]),
            np.where(swap, mates[one], mates[two]),
        )
