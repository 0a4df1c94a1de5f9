"""The best consecutive groups of k to 2k - 1 rows along an order of all rows."""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled

# More than any release costs; sums with it do not overflow.
_FAR = np.iinfo(np.int64).max // 4


@compiled
def cheapest_cuts(codes: Int32s, costs: Ints, once: bool, k: int) -> Ints:
    """Find the cheapest way to cut an order of rows into consecutive groups of k rows.

    ``opt(i) = min over i - 2k < j <= i - k of opt(j) + cost of rows j .. i - 1``: a
    group of 2k rows falls into two that cost no more. O(n k d).

    ``codes`` are n x d, the rows in their order. Where stars are forbidden in some
    columns, the rows that agree on these are consecutive, k at least. ``costs`` is what
    a star costs in each column, negative where there must be none; with ``once`` a row
    pays the largest cost instead of the sum. Returns where the groups begin.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]], np.int32)
    >>> cheapest_cuts(codes, np.array([1, 2]), False, 2).tolist()
    [0, 2]
    """
    n, d = codes.shape
    opt, begin = np.full(n + 1, _FAR, np.int64), np.zeros(n + 1, np.int64)
    opt[0] = 0
    starred = np.zeros(d, np.bool_)
    for i in range(k, n + 1):
        starred[:] = False
        paid = 0
        for j in range(i - 1, max(i - 2 * k, -1), -1):
            for column in range(d):
                if starred[column] or codes[j, column] == codes[i - 1, column]:
                    continue
                starred[column] = True
                if costs[column] < 0:
                    paid = -1
                    break
                if once:
                    paid = max(paid, costs[column])
                else:
                    paid += costs[column]
            if paid < 0:
                break
            cost = opt[j] + (i - j) * paid
            if i - j >= k and cost < opt[i]:
                opt[i], begin[i] = cost, j
    cuts = [np.int64(0) for _ in range(0)]
    cut = np.int64(n)
    while cut > 0:
        cut = begin[cut]
        cuts.append(cut)
    return np.array(cuts)[::-1]
