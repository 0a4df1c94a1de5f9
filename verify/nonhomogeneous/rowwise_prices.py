"""The bound that prices of originals prove, recomputed in integers."""

from itertools import combinations

import numpy as np

from starmin.instances import Objective, Table, group_by
from starmin.instances.arrays import Int32s, Ints
from starmin.verify.beyond import BeyondError, expect_time

MAX_COLUMNS = 16
_LARGEST = 2**62
_TOO_FEW = 2**61  # in the place of the value of a class of fewer than k rows


def nonhomogeneous_price_bound(
    table: Table, k: int, objective: Objective, prices: Ints, denominator: int
) -> int:
    r"""Compute the (weighted) stars that prices prove of every such release.

    The idea: pay every original its price for each of the k - 1 other released rows
    that it is matched to; a released row then earns the prices of the k - 1 other
    originals that are matched to it, and can be given the dearest ones for free.

    .. math::

        LB(\mu) = (k - 1) \sum_i \mu_i + \sum_j \min_S \Big( cost_S -
        \max_{N \subseteq C_S(j) \setminus \{j\},\ |N| = k - 1}
        \sum_{i \in N} \mu_i \Big),

    S being a set of starred columns and :math:`C_S(j)` the rows that agree with row j
    on all others, k at least.

    Why it is right. Some optimal release matches every row to itself in one of the k
    matchings (given matchings :math:`P_1, .., P_k` as maps of originals to released
    rows, those by :math:`P_k^{-1} P_m` cost no more: if i and i' are both matched to
    j, a column on which they differ is one on which one of them differs from j). In
    it each original is matched to k - 1 other released rows, so the first sum is what
    the second one is charged for. Any prices will do, negative ones too. Releases by
    groups of k rows are a special case, so the bound holds for them as well.

    The best N for row j: of the k dearest rows of the class leave out row j, or, if it
    is not among them, the last one. That is their sum less the larger of the price of
    j and the least price among them.

    Equal values of the table are merged; ``k`` is at most n. The objective is stars:
    its weights and kept columns count. ``prices`` are by row type, in units of
    1/``denominator``, a positive integer.

    Raises ValueError where the sums do not fit 64 bits, more than 16 columns may be
    starred, or some row has fewer than k rows that agree with it on the columns to be
    kept.

    Notes
    -----
    For each set of columns that may be starred one group-by and one sort of the m row
    types: 256 sets and 90,000 types take some ten seconds.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> bounds = [nonhomogeneous_price_bound(table, 2, STARS, np.array(p), 1)
    ...           for p in ([0, 0, 0], [1, 0, 1])]
    >>> bounds
    [3, 4]
    """
    types = table.row_types
    weights = [objective.weights.get(column, 1) for column in table.qi]
    highest = max(abs(int(prices.min())), abs(int(prices.max())))
    # In Python integers. Be M what is multiplied by n here: of a row, the sum of k
    # prices and the stars, whatever their signs, are below M < 2^61, the mark of a
    # class of fewer than k rows; and sums over all n rows are below M n < 2^62.
    most = k * highest + denominator * (sum(weights) + 1)
    if most * max(table.n, 2) >= _LARGEST:
        raise BeyondError("prices, weights and rows multiply beyond 64 bits")
    free = np.flatnonzero(~objective.kept(table)).tolist()
    if len(free) > MAX_COLUMNS:
        raise BeyondError(f"more than {MAX_COLUMNS} columns may be starred")
    # In the order of falling prices, a class lists its dearest rows first.
    order = np.argsort(-prices, kind="stable")
    codes, counts = types.codes[order], types.counts[order]
    prices = prices[order]
    least = np.full(len(types), _LARGEST, np.int64)
    for size in range(len(free) + 1):
        for starred in combinations(free, size):
            expect_time()
            cost = denominator * sum(weights[a] for a in starred)
            kept = [a for a in range(table.d) if a not in starred]
            classes, number = _classes(table, codes, kept)
            here = _least_values(classes, number, counts, prices, k)
            np.minimum(least, cost + here, out=least)
    if int(least.max()) >= _TOO_FEW:
        raise ValueError(f"some row has fewer than k = {k} rows it can be matched to")
    total = int(counts @ ((k - 1) * prices)) + int(counts @ least)
    return max(0, -(-total // denominator))


def _classes(table: Table, codes: Int32s, kept: list[int]) -> tuple[Int32s, int]:
    """Return for each type its class, and how many there are."""
    if not kept:
        return np.zeros(len(codes), np.int32), 1
    groups = group_by(
        [codes[:, a] for a in kept], [table.qi_cardinalities[a] for a in kept]
    )
    return groups.inverse, groups.size


def _least_values(
    classes: Int32s, number: int, counts: Ints, prices: Ints, k: int
) -> Ints:
    """Return the least that its class leaves each type, huge below k rows."""
    order = np.argsort(classes, kind="stable")
    lengths = np.bincount(classes, minlength=number)
    starts = np.cumsum(lengths) - lengths
    ahead = np.cumsum(counts[order]) - counts[order]
    ahead -= np.repeat(ahead[starts], lengths)
    taken = np.clip(k - ahead, 0, counts[order])
    dearest = np.add.reduceat(taken * prices[order], starts)
    last = np.minimum.reduceat(np.where(taken > 0, prices[order], _LARGEST), starts)
    enough = np.add.reduceat(taken, starts) == k
    value = np.maximum(prices, last[classes]) - dearest[classes]
    return np.where(enough[classes], value, _TOO_FEW)
