"""Negative cycles in one tree of labels, to the end, as Murakami and Uno find them."""

import heapq

import numpy as np

from starmin.heuristics.matchings.auction import FREE, Graph
from starmin.heuristics.matchings.charges import Charges, cost
from starmin.heuristics.nonhomogeneous.cycles import cancel_upstream, rests_of
from starmin.instances.arrays import Int32s
from starmin.instances.loops.compiled import compiled, inner

_UNKNOWN = 1 << 30
_FUTILE = 8  # So often an original leads upstream to no gain; then it is left alone.


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

    The nodes and arcs are those of ``cancel_cycles``. Labels spread from the root, the
    smallest first, and stay when a cycle is cancelled, but for those of the originals
    on it and of all that are below them in the tree, which are forgotten (section
    3.2.2, steps 0 to 6). When all labels are settled the next original without one
    becomes a root.

    ``edges`` are candidates by original. ``mates``, layers x n, are the originals of
    each record, changed in place. ``root`` is the first root, ``iterations`` the steps
    at most: the paper's p. A cycle is looked for upstream of a label that was lowered
    ``visits`` times: t. Returns what that gains, and the steps that were made.
    """
    layers, n = mates.shape
    label = np.full(n, _UNKNOWN, np.int32)
    lowered, futile = np.zeros(n, np.int32), np.zeros(n, np.int32)
    parent = np.full(n, FREE, np.int32)
    record = np.full(n, FREE, np.int32)
    slot = np.zeros(n, np.int32)
    # Children of each original: a list through ``later`` and ``earlier``.
    child = np.full(n, FREE, np.int32)
    later, earlier = np.full(n, FREE, np.int32), np.full(n, FREE, np.int32)
    rests, full = rests_of(cells, mates)
    used = np.zeros(n, np.bool_)
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
                    _hang(parent, child, later, earlier, h, i)
                    label[h], record[h], slot[h] = value, j, l
                    lowered[h] += 1
                    if lowered[h] >= visits or h == start:
                        lowered[h] = 0
                        found = cancel_upstream(
                            cells, charges, mates, rests, full, parent, record, slot,
                            used, h,
                        )  # fmt: skip
                        if found:
                            gain += found
                            _forget(label, parent, child, later, earlier, lowered, h)
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
def _hang(
    parent: Int32s, child: Int32s, later: Int32s, earlier: Int32s, h: int, i: int
) -> None:
    """Hang an original below another one."""
    _unhang(parent, child, later, earlier, h)
    parent[h], later[h] = i, child[i]
    if child[i] != FREE:
        earlier[child[i]] = h
    child[i] = h


@inner
def _unhang(
    parent: Int32s, child: Int32s, later: Int32s, earlier: Int32s, h: int
) -> None:
    """Take an original out of the children of its parent."""
    if parent[h] == FREE:
        return
    if earlier[h] != FREE:
        later[earlier[h]] = later[h]
    else:
        child[parent[h]] = later[h]
    if later[h] != FREE:
        earlier[later[h]] = earlier[h]
    parent[h], later[h], earlier[h] = FREE, FREE, FREE


@inner
def _forget(
    label: Int32s,
    parent: Int32s,
    child: Int32s,
    later: Int32s,
    earlier: Int32s,
    lowered: Int32s,
    h: int,
) -> None:
    """Forget the labels of a cycle and of all that hangs below it."""
    waiting = [np.int32(h)]
    _unhang(parent, child, later, earlier, h)
    while waiting:
        i = waiting.pop()
        label[i], lowered[i] = _UNKNOWN, 0
        while child[i] != FREE:
            below = child[i]
            _unhang(parent, child, later, earlier, below)
            waiting.append(below)
