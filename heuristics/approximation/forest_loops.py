"""The forest of near neighbours and how its trees are cut (see ``forest``)."""

import numpy as np

from starmin.heuristics.approximation.row_distance import FAR, row_distance
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner

NONE = -1


@inner
def _component(link: Ints, node: int) -> int:
    """Find the root of a node's tree; paths to it are halved on the way."""
    while link[node] != node:
        link[node] = link[link[node]]
        node = link[node]
    return node


@compiled
def grow(
    codes: Int32s,
    costs: Ints,
    once: bool,
    k: int,
    begin: int,
    scans: int,
    parent: Ints,
    weight: Ints,
    link: Ints,
    size: Ints,
) -> int:
    """Join trees of fewer than k rows to the row nearest to their root.

    O(m d) for each scan of all types. It begins with row type ``begin``, stops after
    ``scans`` of them, and returns the first type that it did not come to; the number of
    types at the end. ``costs`` and ``once`` say what a star costs
    (``row_distance.column_costs``).

    By type, changed in place: ``parent`` and ``weight`` are the edges found and their
    lengths, ``link`` the way to the root of its tree, and ``size``, by root, the rows
    of the tree.
    """
    least = FAR  # No two types are nearer than this: at it, a search may end.
    for cost in costs:
        if cost >= 0:
            least = min(least, cost)
    for start in range(begin, len(codes)):
        root = _component(link, start)
        while size[root] < k:
            if scans == 0:
                return start
            scans -= 1
            best, nearest = FAR, NONE
            for other in range(len(codes)):
                far = row_distance(codes[root], codes[other], costs, once)
                if far < best and _component(link, other) != root:
                    best, nearest = far, other
                    if best == least:
                        break
            parent[root], weight[root] = nearest, best
            link[root] = _component(link, nearest)
            size[link[root]] += size[root]
            root = link[root]
    return len(codes)


@compiled
def cut(parent: Ints, counts: Ints, k: int) -> tuple[Bools, Ints, Ints]:
    """Cut below every node under which k rows or more hang together.

    Returns which nodes are *heads*, cut off from their parents; the rows that hang
    together at each node; and the nodes, children first. What is left at a root that
    is no head is hung below a head beside it: ``parent`` of that root is set. O(m).
    """
    m = len(parent)
    children, rows = np.zeros(m, np.int64), counts.copy()
    for node in range(m):
        if parent[node] != NONE:
            children[parent[node]] += 1
    upwards = np.empty(m, np.int64)
    end = 0
    for node in range(m):
        if children[node] == 0:
            upwards[end] = node
            end += 1
    head = np.zeros(m, np.bool_)
    for i in range(m):
        node = upwards[i]
        head[node] = rows[node] >= k
        if parent[node] != NONE:
            if not head[node]:
                rows[parent[node]] += rows[node]
            children[parent[node]] -= 1
            if children[parent[node]] == 0:
                upwards[end] = parent[node]
                end += 1
    top = np.empty(m, np.int64)
    beside = np.full(m, NONE)
    for node in upwards[::-1]:
        top[node] = node if parent[node] == NONE else top[parent[node]]
        lower = head[node] and parent[node] != NONE and not head[parent[node]]
        # The first one found has no head above it: its parent is left at the root.
        if lower and beside[top[node]] == NONE:
            beside[top[node]] = node
    for node in range(m):
        if parent[node] == NONE and not head[node]:
            parent[node] = beside[node]
    return head, rows, upwards


@compiled
def spread(upwards: Ints, parent: Ints, head: Bools, of: Ints) -> None:
    """Hand the numbers ``of`` branches down to all that hangs from them. O(m).

    ``upwards``, ``parent`` and ``head`` are as ``cut`` returns and changes them. ``of``
    is the number of each branch, -1 for other nodes, and changed in place.
    """
    for node in upwards[::-1]:
        if not head[node] and of[node] == NONE:
            of[node] = of[parent[node]]


@compiled
def pack(
    starts: Ints, branches: Ints, copies: Ints, k: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Pack the branches of each head, and its own rows, into bins of k rows or more.

    The branches of head i are ``branches[starts[i]:starts[i + 1]]``: rows, fewer than
    k, in descending order. ``copies`` are the rows of each head's own type; with its
    branches k or more. Returns the bin of each branch; and for each bin with rows of
    its head's own the bin, the head, and how many.
    """
    heads = len(copies)
    bin_of = np.empty(len(branches), np.int64)
    most = len(branches) + heads
    size, own, owner = np.zeros((3, most), np.int64)
    bins = 0
    for i in range(heads):
        first, opened, rows, left = bins, starts[i], 0, copies[i]
        for j in range(starts[i], starts[i + 1]):
            bin_of[j] = bins
            rows += branches[j]
            if rows < k <= rows + left:
                own[bins] = k - rows
                left -= k - rows
                rows = k
            if rows >= k:
                size[bins], owner[bins] = rows, i
                bins, opened, rows = bins + 1, j + 1, 0
        if rows == 0 and left >= k:
            size[bins], owner[bins], own[bins] = left, i, left
            bins += 1
        else:
            smallest = first + np.argmin(size[first:bins])
            bin_of[opened : starts[i + 1]] = smallest
            own[smallest] += left
    used = np.flatnonzero(own)
    return bin_of, used, owner[used], own[used]
