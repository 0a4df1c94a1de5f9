"""l-diverse groups of rows with different sensitive values, nearest rows first."""

import heapq

import numpy as np

from starmin.heuristics.cuts.remaining_rows import all_rows, take
from starmin.instances.arrays import Int32s
from starmin.instances.loops.compiled import compiled


@compiled
def l_groups_by_frontier(sensitive: Int32s, l: int) -> Int32s:
    """Form groups of l or a few more rows with different values, nearest rows first.

    Of r rows that remain and are l-eligible, p values have ``q = r // l`` rows, the
    most there can be. Each group takes one row of each of these, so that the rest stays
    l-eligible, and the first rows of other values up to ``max(l, p)`` in all: where
    p > l, ``r - p >= (q - 1) l`` still, because ``p q <= r < (q + 1) l``.

    Parameters
    ----------
    sensitive
        n codes in the order of the rows, no value more than n / l times.
    l
        The least number of values in a group.

    Returns
    -------
    array
        A group for each place in the order.

    Notes
    -----
    O(n log m) for m values, and O(m) for each group that must take some value.

    Examples
    --------
    >>> l_groups_by_frontier(np.array([0, 1, 0, 2], np.int32), 2).tolist()
    [0, 0, 1, 1]
    """
    n, values = len(sensitive), sensitive.max() + 1
    rows = all_rows(sensitive)
    head = rows.head
    queue = [np.int64(row) for row in head if row < n]
    heapq.heapify(queue)
    group = np.full(n, -1, np.int32)
    taken = np.empty(values, np.int64)
    label = 0
    while rows.left[0] > 0:
        most = rows.left[0] // l
        target = max(l, rows.with_count[most])
        members = 0
        if rows.with_count[most] > 0:
            for value in range(values):
                if rows.counts[value] == most:
                    group[head[value]] = label
                    taken[members] = value
                    members += 1
        while members < target:
            nearest = heapq.heappop(queue)
            if group[nearest] == -1:
                group[nearest] = label
                taken[members] = sensitive[nearest]
                members += 1
        for value in taken[:members]:
            take(rows, value)
            head[value] = rows.after[head[value]]
            if head[value] < n:
                heapq.heappush(queue, head[value])
        label += 1
    return group
