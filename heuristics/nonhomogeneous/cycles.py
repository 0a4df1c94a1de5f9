"""Negative cycles: originals passed on from record to record, at a gain."""

import heapq
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from starmin.heuristics.nonhomogeneous.near_edges import (
    FREE,
    Charges,
    Graph,
    cost,
    difference,
)
from starmin.instances.arrays import Bools, Int32s
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.tables.table_loops import by_key

_LONGEST = 64  # Originals on a cycle at most; longer ones are left alone.


def by_original(graph: Graph) -> Graph:
    """Sort the edges by original: ``original`` of the graph returned holds records."""
    n = len(graph.start) - 1
    record = np.repeat(np.arange(n, dtype=np.int32), np.diff(graph.start))
    start, order = by_key(graph.original, n)
    return Graph(start, record[order], graph.mask[order])


class Labels(NamedTuple):
    """Layers in which cycles are cancelled, and where the labels of originals are from.

    Nodes are originals; an arc from i to h goes through a record that would take i and
    give up h, and its weight is what that adds to the record's mask.
    """

    cells: Int32s
    charges: Charges
    mates: Int32s  # layers x n
    # rests, full: the masks without each layer, layers x n, and in full
    rests: Int32s
    full: Int32s
    # parent, record, slot: of an original: who takes its place, at which record, and in
    # which layer
    parent: Int32s
    record: Int32s
    slot: Int32s
    used: Bools  # scratch by record


@inner
def _no_labels(cells: Int32s, charges: Charges, mates: Int32s) -> Labels:
    """Return the masks of these layers, without a label."""
    layers, n = mates.shape
    rests, full = np.zeros((layers, n), np.int32), np.zeros(n, np.int32)
    parent, record = np.full((2, n), FREE, np.int32)
    slot, used = np.zeros(n, np.int32), np.zeros(n, np.bool_)
    labels = Labels(cells, charges, mates, rests, full, parent, record, slot, used)
    for j in range(n):
        _remask(labels, j)
    return labels


@compiled
def cancel_cycles(
    cells: Int32s,
    charges: Charges,
    edges: Graph,
    mates: Int32s,
    steps: int,
    visits: int,
    first: int = 0,
    many: int = 1 << 30,
) -> int:
    """Cancel negative cycles; return what that gains.

    Labels spread from ``many`` originals in turn, beginning at ``first``, over at most
    ``steps`` originals each, the smallest label first; a cycle is looked for upstream
    of a label that was lowered ``visits`` times, and at each return to the root. Rows
    of ``mates`` are no matchings afterwards, only together a regular graph: see
    ``decompose``.

    Labels that are not negative are left out: each negative cycle has an original from
    which all its partial sums are negative. So most records are passed over at a look
    at what they could save at best.

    ``edges`` are candidates by original; ``mates``, layers x n, change in place.
    """
    layers, n = mates.shape
    label, lowered, saved = np.zeros((3, n), np.int32)
    labels = _no_labels(cells, charges, mates)
    rests, full, parent = labels.rests, labels.full, labels.parent
    record, slot = labels.record, labels.slot
    for j in range(n):
        saved[j] = _saved(charges, rests, full, j)
    gain = 0
    for root in range(first, min(n, first + many)):
        reached = [np.int32(root)]
        heap = [(np.int32(0), np.int32(root))]
        done = 0
        while heap and done < steps:
            length, i = heapq.heappop(heap)
            if length > label[i]:
                continue
            done += 1
            found = 0
            for e in range(edges.start[i], edges.start[i + 1]):
                j = edges.original[e]
                if length >= saved[j]:
                    continue
                held = False
                for l in range(layers):
                    held = held or mates[l, j] == i
                if held:
                    continue
                paid = cost(charges, j, full[j])
                for l in range(layers):
                    value = (
                        length + cost(charges, j, rests[l, j] | edges.mask[e]) - paid
                    )
                    h = mates[l, j]
                    if value >= label[h]:
                        continue
                    if label[h] == 0:
                        reached.append(h)
                    label[h] = value
                    parent[h], record[h], slot[h] = i, j, l
                    lowered[h] += 1
                    if h == root or lowered[h] >= visits:
                        lowered[h] = 0
                        found = cancel_upstream(labels, h)
                        if found or h == root:
                            break
                    heapq.heappush(heap, (np.int32(value), h))
                if found or label[root] < 0:
                    break
            if found:
                gain += found
                for h in reached:
                    if record[h] != FREE:
                        saved[record[h]] = _saved(charges, rests, full, record[h])
            if found or label[root] < 0:
                break
        for h in reached:
            label[h] = 0
            parent[h], record[h] = FREE, FREE
            lowered[h] = 0
    return gain


@inner
def _saved(charges: Charges, rests: Int32s, full: Int32s, j: int) -> int:
    """Return what a record pays less at most if it gives up an original."""
    paid, saved = cost(charges, j, full[j]), 0
    for l in range(len(rests)):
        saved = max(saved, paid - cost(charges, j, rests[l, j]))
    return saved


@inner
def _remask(labels: Labels, j: int) -> None:
    """Compute the masks of a record anew."""
    cells, mates, rests, full = labels.cells, labels.mates, labels.rests, labels.full
    rests[:, j] = 0
    full[j] = 0
    for l in range(len(mates)):
        mask = difference(cells, j, mates[l, j])
        full[j] |= mask
        for other in range(len(mates)):
            if other != l:
                rests[other, j] |= mask


@inner
def cancel_upstream(labels: Labels, h: int) -> int:
    """Cancel the cycle upstream of an original, if any; return what it gains.

    A record that is passed twice would pay otherwise than the arcs say: such a cycle
    is left alone, and one that gains nothing is undone.
    """
    cells, charges, mates, rests, full, parent, record, slot, used = labels
    on = [h]
    i = parent[h]
    while i != FREE and i != h and len(on) < _LONGEST:
        on.append(i)
        i = parent[i]
    if i != h:
        return 0
    simple = True
    for node in on:
        simple = simple and not used[record[node]]
        used[record[node]] = True
    for node in on:
        used[record[node]] = False
    if not simple:
        return 0
    change = 0
    for node in on:
        j = record[node]
        if mates[slot[node], j] != node:
            return 0
        mask = rests[slot[node], j] | difference(cells, j, parent[node])
        change += cost(charges, j, mask) - cost(charges, j, full[j])
    if change >= 0:
        return 0
    for node in on:
        mates[slot[node], record[node]] = parent[node]
        _remask(labels, record[node])
    return -change


def decompose(mates: Int32s, rng: np.random.Generator) -> Int32s:
    """Decompose a regular graph into perfect matchings; ValueError if it is not."""
    layers, n = mates.shape
    if (np.bincount(mates.ravel(), minlength=n) != layers).any():
        raise ValueError("Expected every original as often as there are layers.")
    left = np.ascontiguousarray(mates.T)
    result = np.empty_like(mates)
    for layer in range(layers, 0, -1):
        ends = np.arange(0, n * layer + 1, layer)
        graph = csr_matrix((np.ones(n * layer, np.int8), left.ravel(), ends), (n, n))
        match = maximum_bipartite_matching(graph, perm_type="column")
        result[layer - 1] = match
        left = left[left != match[:, None]].reshape(n, layer - 1)
    return result[rng.permutation(layers)]


_UNKNOWN = 1 << 30
_FUTILE = 8  # So often an original leads upstream to no gain; then it is left alone.


class Tree(NamedTuple):
    """A tree of labels, by original."""

    label: Int32s
    lowered: Int32s  # how often the label was lowered
    parent: Int32s
    # child, later, earlier: the first child; of its parent the next and the last child
    child: Int32s
    later: Int32s
    earlier: Int32s


@compiled
def cancel_in_tree(
    cells: Int32s,
    charges: Charges,
    edges: Graph,
    mates: Int32s,
    root: int,
    iterations: int,
    visits: int,
) -> tuple[int, int]:
    """Cancel the negative cycles that one tree of labels meets.

    The nodes, arcs and arguments are those of ``cancel_cycles``. Labels spread from the
    root, the smallest first, and stay when a cycle is cancelled, but for those of the
    originals on it and of all that are below them in the tree, which are forgotten
    (section 3.2.2, steps 0 to 6). When all labels are settled the next original without
    one becomes a root.

    ``iterations`` are the steps at most: the paper's p; ``visits`` is its t. Returns
    what that gains, and the steps that were made.
    """
    layers, n = mates.shape
    label = np.full(n, _UNKNOWN, np.int32)
    lowered, futile = np.zeros((2, n), np.int32)
    child, later, earlier = np.full((3, n), FREE, np.int32)
    labels = _no_labels(cells, charges, mates)
    rests, full, record, slot = labels.rests, labels.full, labels.record, labels.slot
    tree = Tree(label, lowered, labels.parent, child, later, earlier)
    gain, done = 0, 0
    for turn in range(n):
        start = (root + turn) % n
        if label[start] != _UNKNOWN:
            continue
        label[start] = 0
        heap = [(np.int32(0), np.int32(start))]
        while heap and done < iterations:
            length, i = heapq.heappop(heap)
            if length != label[i]:
                continue
            done += 1
            found = 0
            for e in range(edges.start[i], edges.start[i + 1]):
                j = edges.original[e]
                held = False
                for l in range(layers):
                    held = held or mates[l, j] == i
                if held:
                    continue
                paid = cost(charges, j, full[j])
                for l in range(layers):
                    h = mates[l, j]
                    value = (
                        length + cost(charges, j, rests[l, j] | edges.mask[e]) - paid
                    )
                    if value >= label[h] or futile[h] >= _FUTILE:
                        continue
                    _hang(tree, h, i)
                    label[h], record[h], slot[h] = value, j, l
                    lowered[h] += 1
                    if lowered[h] >= visits or h == start:
                        lowered[h] = 0
                        found = cancel_upstream(labels, h)
                        if found:
                            gain += found
                            _forget(tree, h)
                            break
                        futile[h] += 1
                    heapq.heappush(heap, (np.int32(value), h))
                if found:
                    break
            if found and label[i] != _UNKNOWN:
                heapq.heappush(heap, (label[i], i))
        if done >= iterations:
            break
    return gain, done


@inner
def _hang(t: Tree, h: int, i: int) -> None:
    """Hang an original below another one."""
    _unhang(t, h)
    t.parent[h], t.later[h] = i, t.child[i]
    if t.child[i] != FREE:
        t.earlier[t.child[i]] = h
    t.child[i] = h


@inner
def _unhang(t: Tree, h: int) -> None:
    """Take an original out of the children of its parent."""
    parent, earlier, later = t.parent[h], t.earlier[h], t.later[h]
    if parent == FREE:
        return
    if earlier != FREE:
        t.later[earlier] = later
    else:
        t.child[parent] = later
    if later != FREE:
        t.earlier[later] = earlier
    t.parent[h], t.later[h], t.earlier[h] = FREE, FREE, FREE


@inner
def _forget(t: Tree, h: int) -> None:
    """Forget the labels of a cycle and of all that hangs below it."""
    waiting = [np.int32(h)]
    _unhang(t, h)
    while waiting:
        i = waiting.pop()
        t.label[i], t.lowered[i] = _UNKNOWN, 0
        while t.child[i] != FREE:
            below = t.child[i]
            _unhang(t, below)
            waiting.append(below)
