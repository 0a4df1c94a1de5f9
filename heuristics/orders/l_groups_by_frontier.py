"""l-diverse groups of rows with different sensitive values, nearest rows first."""

import heapq

import numba
import numpy as np
import numpy.typing as npt


@numba.njit(cache=True)
def l_groups_by_frontier(
    sensitive: npt.NDArray[np.int32], k: int, l: int
) -> npt.NDArray[np.int32]:
    """Groups of l or a few more rows with different values, nearest rows first.

    Of r rows that are left and l-eligible, p values have ``q = r // l`` rows, the most
    there can be. Each group takes one row of each of these, so that the rest stays
    l-eligible, and the first rows of other values up to ``max(l, p)`` in all: where
    p > l, ``r - p >= (q - 1) l`` still, because ``p q <= r < (q + 1) l``. Groups are
    then joined in their order until they have k rows.

    Parameters
    ----------
    sensitive
        n codes in the order of the rows, no value more than n / l times.

    Returns
    -------
    array
        A group for each place in the order.

    Notes
    -----
    O(n log m) for m values, and O(m) for each group that must take some value.
    """
    n, values = len(sensitive), sensitive.max() + 1
    after = np.full(n, n, np.int64)  # the next row of the same value
    head = np.full(values, n, np.int64)
    count = np.zeros(values, np.int64)
    for place in range(n - 1, -1, -1):
        value = sensitive[place]
        after[place], head[value] = head[value], place
        count[value] += 1
    with_count = np.zeros(n + 1, np.int64)  # values by their rows that are left
    for value in range(values):
        with_count[count[value]] += 1
    queue = [np.int64(place) for place in head if place < n]
    heapq.heapify(queue)
    group = np.full(n, -1, np.int32)
    taken = np.empty(values, np.int64)
    left, label, size = n, 0, 0
    while left > 0:
        most = left // l
        target = max(l, with_count[most])
        members = 0
        if with_count[most] > 0:
            for value in range(values):
                if count[value] == most:
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
            with_count[count[value]] -= 1
            count[value] -= 1
            with_count[count[value]] += 1
            head[value] = after[head[value]]
            if head[value] < n:
                heapq.heappush(queue, head[value])
        left -= members
        size += members
        if size >= k and left > 0:
            label, size = label + 1, 0
    if 0 < size < k and label > 0:
        group[group == label] = label - 1
    return group
