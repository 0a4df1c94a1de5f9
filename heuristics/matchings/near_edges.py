"""Candidate edges between records that differ in few layers, without all n^2 pairs."""

import numpy as np

from starmin.heuristics.matchings.auction import Graph
from starmin.heuristics.matchings.charges import difference
from starmin.heuristics.matchings.checks import Check, never
from starmin.instances.arrays import Bools, Int32s, Words
from starmin.instances.loops.compiled import compiled

_LOOKED_AT = 4  # A record looks at so many members for each edge that it wants.


def near_edges(
    cells: Int32s,
    masks: Int32s,
    wanted: int,
    each: int,
    seed: int = 0,
    check: Check = never,
) -> tuple[Int32s, Int32s, Int32s]:
    """Find pairs of records that differ exactly in one of some sets of layers.

    Records that agree outside a mask are found by hashing what is outside. Each record
    looks at those behind it in its group, in turn, so that all are found equally
    often; pairs are candidates in both directions.

    Parameters
    ----------
    cells
        n x layers.
    masks
        Sets of layers, the cheapest first.
    wanted
        A record that has so many edges looks for no more.
    each
        Edges at most that a record takes from one group.
    seed
        Of the order within groups.
    check
        Called between masks; may raise, as where no time is left.

    Returns
    -------
    tuple
        Record, original and mask of each edge; some more than once.
    """
    n = len(cells)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n).astype(np.int32)
    hashes, whole = hash_cells(cells, rng)
    degree = np.zeros(n, np.int32)
    active = np.ones(n, np.bool_)
    found = []
    for mask in masks.tolist():
        check()
        if not active.any():
            break
        found.append(
            _pairs(cells, hashes, whole, order, mask, wanted, each, degree, active)
        )
    one = np.concatenate([pair[0] for pair in found] or [np.empty(0, np.int32)])
    two = np.concatenate([pair[1] for pair in found] or [np.empty(0, np.int32)])
    sizes = [len(pair[0]) for pair in found]
    used = np.repeat(masks[: len(found)], sizes)
    return np.r_[one, two], np.r_[two, one], np.r_[used, used]


def hash_cells(cells: Int32s, rng: np.random.Generator) -> tuple[list[Words], Words]:
    """Draw a random word for every cell, and sum them for every record."""
    hashes = []
    for column in cells.T:
        words = rng.integers(0, 2**64, int(column.max()) + 1, np.uint64)
        hashes.append(words[column])
    return hashes, np.sum(hashes, axis=0, dtype=np.uint64)


def outside(hashes: list[Words], whole: Words, mask: int) -> Words:
    """Return a hash of the layers outside a mask, for every record."""
    key = whole.copy()
    for c, words in enumerate(hashes):
        if mask >> c & 1:
            key -= words
    return key


def _pairs(
    cells: Int32s,
    hashes: list[Words],
    whole: Words,
    order: Int32s,
    mask: int,
    wanted: int,
    each: int,
    degree: Int32s,
    active: Bools,
) -> tuple[Int32s, Int32s]:
    key = outside(hashes, whole, mask)
    if 4 * np.count_nonzero(active) < len(order):
        order = _with_active_key(key, order, active)
    pairs: tuple[Int32s, Int32s] = _walk(
        cells, key, bucket_order(key, order), mask, wanted, each, degree, active
    )
    return pairs


@compiled
def _with_active_key(key: Words, order: Int32s, active: Bools) -> Int32s:
    """Find the records whose keys, but for collisions, some active record has."""
    shift = np.uint64(64 - 20)
    known = np.zeros(1 << 20, np.bool_)
    for i in range(len(key)):
        if active[i]:
            known[key[i] >> shift] = True
    kept = np.empty_like(order)
    many = 0
    for i in order:
        if known[key[i] >> shift]:
            kept[many] = i
            many += 1
    return kept[:many]


@compiled
def bucket_order(key: Words, order: Int32s) -> Int32s:
    """Sort records so that those with equal keys are together, up to collisions."""
    bits, n = 1, len(order)
    while 1 << bits < n:
        bits += 1
    shift = np.uint64(64 - bits)
    starts = np.zeros((1 << bits) + 1, np.int32)
    for i in order:
        starts[np.int64(key[i] >> shift) + 1] += 1
    starts = np.cumsum(starts).astype(np.int32)
    ordered = np.empty(n, np.int32)
    for i in order:
        bucket = np.int64(key[i] >> shift)
        ordered[starts[bucket]] = i
        starts[bucket] += 1
    return ordered


@compiled
def _walk(
    cells: Int32s,
    key: Words,
    by_key: Int32s,
    mask: int,
    wanted: int,
    each: int,
    degree: Int32s,
    active: Bools,
) -> tuple[Int32s, Int32s]:
    n = len(by_key)
    bits = 1
    while 1 << bits < n:
        bits += 1
    shift = np.uint64(64 - bits)
    one, two = np.empty(1024, np.int32), np.empty(1024, np.int32)
    many = 0
    low = 0
    while low < n:
        high = low + 1
        bucket = key[by_key[low]] >> shift
        while high < n and key[by_key[high]] >> shift == bucket:
            high += 1
        if high - low > 1:
            for p in range(low, high):
                j = by_key[p]
                if not active[j]:
                    continue
                taken = 0
                looks = min(high - low - 1, _LOOKED_AT * each)
                for step in range(1, looks + 1):
                    q = p + step
                    if q >= high:
                        q -= high - low
                    i = by_key[q]
                    if key[i] != key[j] or difference(cells, i, j) != mask:
                        continue
                    if many == len(one):
                        one = np.concatenate((one, np.empty_like(one)))
                        two = np.concatenate((two, np.empty_like(two)))
                    one[many], two[many] = j, i
                    many += 1
                    taken += 1
                    degree[j] += 1
                    degree[i] += 1
                    if taken == each:
                        break
        low = high
    for j in by_key:
        if degree[j] >= wanted:
            active[j] = False
    return one[:many].copy(), two[:many].copy()


@compiled
def gather_edges(n: int, record: Int32s, original: Int32s, mask: Int32s) -> Graph:
    """Gather the edges by record, each once.

    There are ``n`` records, and some of the edges are given more than once.
    """
    start = np.zeros(n + 1, np.int64)
    for j in record:
        start[j + 1] += 1
    start = np.cumsum(start)
    fill = start[:-1].copy()
    to, differ = np.empty_like(original), np.empty_like(mask)
    for e in range(len(record)):
        to[fill[record[e]]] = original[e]
        differ[fill[record[e]]] = mask[e]
        fill[record[e]] += 1
    last = np.full(n, -1, np.int32)
    kept = 0
    begin = 0
    for j in range(n):
        end = start[j + 1]
        for e in range(begin, end):
            if last[to[e]] != j:
                last[to[e]] = j
                to[kept], differ[kept] = to[e], differ[e]
                kept += 1
        begin = end
        start[j + 1] = kept
    return Graph(start, to[:kept].copy(), differ[:kept].copy())
