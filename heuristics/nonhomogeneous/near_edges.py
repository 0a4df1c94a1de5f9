"""Candidate edges between records that differ in few layers, without all n^2 pairs."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints, Words
from starmin.instances.loops.compiled import compiled, inlined, inner

Check = Callable[[], None]


def never() -> None:
    """Do not stop: there is no limit."""


FREE = -1  # Stands for the original of a record that has none.
NEVER = 1 << 24  # The weight of an edge that must not be taken.
SCALE = 16  # Bids are made in this fraction of a unit of weight.
# The steps of bids, in 1 / SCALE: from round to round smaller, or but one round.
EXACT, QUICK = (8, 2, 1), (2,)
_FAR = 1 << 30  # More than any offer.


class Graph(NamedTuple):
    """Candidate edges, by released record."""

    start: Ints  # the edges of record j are ``start[j]`` to ``start[j + 1] - 1``
    original: Int32s  # for each edge the original
    mask: Int32s  # for each edge the layers in which record and original differ


def assign(
    graph: Graph, weight: Int32s, mate: Int32s, steps: tuple[int, ...], most: int
) -> Int32s:
    """Match the records to originals at a total weight near the least.

    Records bid for originals; a bid raises the price by what the second best offer is
    worse, and by at least ``step``. Steps shrink from round to round. At the end every
    record is matched within ``step / SCALE`` of its best offer, so the total is within
    ``n step / SCALE`` of the optimum (Bertsekas); on tables it is the optimum or nearly
    so.

    Weights are integers from 0, or ``NEVER``. ``mate`` is a matching to begin with,
    ``FREE`` where there is none. ``steps`` are ``EXACT``; or ``QUICK``: two to three
    times as fast, and seldom worse where there is a good matching to begin with. A
    record whose best offer is dearer than ``most`` gives up, and is ``FREE`` in the
    matching returned. 100,000 records with 30 edges each take a second.
    """
    price = np.zeros(len(mate), np.int32)
    mate = mate.copy()
    for step in steps:
        _bid(graph, weight, price, mate, step, most * SCALE)
    return mate


@compiled
def _bid(
    graph: Graph, weight: Int32s, price: Int32s, mate: Int32s, step: int, most: int
) -> None:
    """Let free records bid until all are matched or give up; change both in place."""
    start, original, n = graph.start, graph.original, len(mate)
    holder = np.full(n, FREE, np.int32)
    queue = np.empty(n, np.int32)
    first, waiting = 0, 0
    for j in range(n):
        if mate[j] != FREE and not _content(graph, weight, price, mate[j], j, step):
            mate[j] = FREE
        if mate[j] == FREE:
            queue[waiting] = j
            waiting += 1
        else:
            holder[mate[j]] = j
    while waiting:
        j = queue[first]
        first = first + 1 if first + 1 < n else 0
        waiting -= 1
        best, second, wish = _FAR, _FAR, FREE
        for e in range(start[j], start[j + 1]):
            offer = weight[e] * SCALE + price[original[e]]
            if offer < best:
                second, best, wish = best, offer, original[e]
            elif offer < second:
                second = offer
        if best > most:
            continue
        price[wish] += min(second, most) - best + step
        loser = holder[wish]
        if loser != FREE:
            mate[loser] = FREE
            last = first + waiting
            queue[last if last < n else last - n] = loser
            waiting += 1
        holder[wish] = j
        mate[j] = wish


@inner
def _content(
    graph: Graph, weight: Int32s, price: Int32s, own: int, j: int, step: int
) -> bool:
    """Check whether a record's original is within ``step`` of its best offer."""
    start, original = graph.start, graph.original
    best, held = _FAR, _FAR
    for e in range(start[j], start[j + 1]):
        offer = weight[e] * SCALE + price[original[e]]
        best = min(best, offer)
        if original[e] == own:
            held = offer
    return held < _FAR and held <= best + step


# What the bits of a record's mask cost: stars, or steps up a hierarchy.
#
# A mask has a bit for each *layer* of a column: for suppression one, which stands for
# the star; for a hierarchy one for each step up from the value. The records that
# agree with an original above a step are those whose layers above agree, so the mask
# that makes a released record agree with several originals is the union (bitwise or)
# of the masks of the pairs, and both problems are one.

MOST_LAYERS = 31  # Bits of a mask that are not its sign.
_CHUNK = 12  # So many bits are looked up at once.


class Charges(NamedTuple):
    """Costs of masks, in parts: some bits of the mask each."""

    shift: Int32s  # shift, low: part p are the bits ``(mask >> shift[p]) & low[p]``
    low: Int32s
    base: Int32s  # n x parts: where the costs of record j for part p begin in ``flat``
    flat: Int32s  # costs by the bits of a part, for all parts and kinds of records


class MaskArrays(NamedTuple):
    """What the loops read."""

    cells: Int32s  # n x layers
    charges: Charges  # what masks cost
    # the sets of layers that may be hidden, the cheapest first; the last is the set of
    # all that may
    masks: Int32s
    # for each row its class; rows of different classes are never matched
    classes: Int32s
    unit: int  # what a column costs at most

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.cells)

    @property
    def most(self) -> int:
        """Above this, an edge is given up: several times the dearest record."""
        return 8 * self.unit * int(self.cells.shape[1])


@inlined
def cost(charges: Charges, record: int, mask: int) -> int:
    """Return what it costs to release a record with a mask."""
    total = 0
    for p in range(len(charges.shift)):
        bits = (mask >> charges.shift[p]) & charges.low[p]
        total += charges.flat[charges.base[record, p] + bits]
    return total


@inlined
def difference(cells: Int32s, one: int, other: int) -> int:
    """Return the mask of the layers in which two records differ."""
    mask = 0
    for c in range(cells.shape[1]):
        if cells[one, c] != cells[other, c]:
            mask |= 1 << c
    return mask


def star_charges(weights: Ints, n: int) -> Charges:
    """Charge each star the weight of its column.

    Examples
    --------
    >>> charges = star_charges(np.array([1, 3]), 5)
    >>> cost(charges, 4, 0b10), cost(charges, 0, 0b11)
    (3, 4)
    """
    d = len(weights)
    shift = np.arange(0, d, _CHUNK, dtype=np.int32)
    tables = []
    for first in shift:
        part = weights[first : first + _CHUNK]
        bits = np.arange(1 << len(part))[:, None] >> np.arange(len(part)) & 1
        tables.append(bits @ part)
    sizes = np.array([len(table) for table in tables])
    begin = (np.cumsum(sizes) - sizes).astype(np.int32)
    return Charges(
        shift,
        (sizes - 1).astype(np.int32),
        np.tile(begin, (n, 1)),
        np.concatenate(tables).astype(np.int32),
    )


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
        key, among = outside(hashes, whole, mask), order
        if 4 * np.count_nonzero(active) < n:
            among = _with_active_key(key, order, active)
        by_key = bucket_order(key, among)
        found.append(_walk(cells, key, by_key, mask, wanted, each, degree, active))
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


@inner
def bucket_shift(n: int) -> np.uint64:
    """Return the shift that makes of the keys of n records those of their buckets."""
    bits = 1
    while 1 << bits < n:
        bits += 1
    return np.uint64(64 - bits)


@inlined
def bucket_end(key: Words, by_key: Int32s, low: int, shift: np.uint64) -> int:
    """Return where the bucket ends that begins at place ``low`` of ``by_key``."""
    high = low + 1
    bucket = key[by_key[low]] >> shift
    while high < len(by_key) and key[by_key[high]] >> shift == bucket:
        high += 1
    return high


@compiled
def bucket_order(key: Words, order: Int32s) -> Int32s:
    """Sort records so that those with equal keys are together, up to collisions."""
    shift = bucket_shift(len(order))
    starts = np.zeros((1 << (64 - np.int64(shift))) + 1, np.int32)
    for i in order:
        starts[np.int64(key[i] >> shift) + 1] += 1
    starts = np.cumsum(starts).astype(np.int32)
    ordered = np.empty_like(order)
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
    n, shift = len(by_key), bucket_shift(len(by_key))
    one, two = np.empty(1024, np.int32), np.empty(1024, np.int32)
    many = 0
    low = 0
    while low < n:
        high = bucket_end(key, by_key, low, shift)
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
    """Gather the edges by record, each once, though some are given more than once."""
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
