"""The candidate edges of a problem: near records, small classes, groups of masks."""

import numpy as np

from starmin.heuristics.matchings.auction import Graph
from starmin.heuristics.matchings.charges import Charges, cost, difference
from starmin.heuristics.matchings.checks import Check, never
from starmin.heuristics.matchings.mask_arrays import MaskArrays
from starmin.heuristics.matchings.near_edges import (
    bucket_order,
    gather_edges,
    hash_cells,
    near_edges,
    outside,
)
from starmin.instances.arrays import Bools, Int32s, Words
from starmin.instances.loops.compiled import compiled

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

    A record looks for ``wanted`` edges, in an order by ``seed``. ``more`` are other
    edges: record, original, mask. ``check`` is called between masks.
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
    return record, original, _masks(cells, record, original)


@compiled
def _masks(cells: Int32s, record: Int32s, original: Int32s) -> Int32s:
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
    """Find candidates for the present masks.

    Each record gets ``each`` originals that its mask covers already, found in an order
    by ``seed``. Of the other candidates those are kept that would cost two columns at
    most, and what is held. ``full`` is the mask of each record, and ``held``, layers x
    n, its originals. ``check`` is called between masks.
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
    key: Words,
    by_key: Int32s,
    wanting: Bools,
    each: int,
) -> tuple[Int32s, Int32s]:
    """Find pairs with equal keys, ``each`` for every record that wants some."""
    n = len(by_key)
    bits = 1
    while 1 << bits < n:
        bits += 1
    shift = np.uint64(64 - bits)
    most = 0
    for j in by_key:
        most += wanting[j]
    record, original = (
        np.empty(most * each, np.int32),
        np.empty(most * each, np.int32),
    )
    many, low = 0, 0
    while low < n:
        high = low + 1
        while high < n and key[by_key[high]] >> shift == key[by_key[low]] >> shift:
            high += 1
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
