"""Cycles of rows, cut into groups of consecutive rows at the least cost."""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner


@compiled
def cut_cycles(following: Ints, codes: Int32s, costs: Ints, once: bool, k: int) -> Ints:
    """Cut cycles of k rows or more into groups of k to 2k - 1 rows, at the least cost.

    One of the first 2k - 1 rows of a cycle begins a group in any cut, so the cheapest
    is found from there, by dynamic programming. ``following`` is the row that follows
    each row on its cycle; for ``codes``, ``costs`` and ``once`` see
    ``starmin.heuristics.approximation.forest``. Returns a label for each row:
    that of its group.

    Notes
    -----
    O(k^3 d) for each row.

    Examples
    --------
    >>> codes = np.array([[0], [0], [1], [1]], np.int32)
    >>> following, costs = np.array([1, 2, 3, 0]), np.array([1])
    >>> cut_cycles(following, codes, costs, False, 2).tolist()
    [1, 1, 3, 3]
    """
    n = len(following)
    labels, cycle = np.full(n, -1), np.empty(n, np.int64)
    for first in range(n):
        if labels[first] >= 0:
            continue
        size, row = 0, first
        while labels[row] < 0:
            cycle[size], labels[row] = row, n
            row, size = following[row], size + 1
        least = np.iinfo(np.int64).max
        for begin in range(min(2 * k - 1, size)):
            path = np.roll(cycle[:size], -begin)
            opt, steps = _cheapest(path, codes, costs, once, k)
            if opt[size] >= least:
                continue
            least, at = opt[size], size
            while at > 0:
                labels[path[at - steps[at] : at]] = path[at - 1]
                at -= steps[at]
    return labels


@inner
def _cheapest(
    path: Ints, codes: Int32s, costs: Ints, once: bool, k: int
) -> tuple[Ints, Ints]:
    """Find the least cost of each beginning of a path, and its last group's size."""
    size = len(path)
    opt = np.full(size + 1, np.iinfo(np.int64).max // 2)
    steps = np.zeros(size + 1, np.int64)
    opt[0] = 0
    for at in range(k, size + 1):
        for step in range(k, min(2 * k - 1, at) + 1):
            cost = opt[at - step] + _cost(codes, costs, once, path[at - step : at])
            if cost < opt[at]:
                opt[at], steps[at] = cost, step
    return opt, steps


@inner
def _cost(codes: Int32s, costs: Ints, once: bool, rows: Ints) -> int:
    """Return what some rows pay together as a group."""
    paid = 0
    for j in range(len(costs)):
        for row in rows:
            if codes[row, j] != codes[rows[0], j]:
                paid = max(paid, costs[j]) if once else paid + costs[j]
                break
    return len(rows) * paid
