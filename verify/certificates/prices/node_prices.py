"""Bounds that prices prove, recomputed in integers: of rows, of cells, of originals."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.runs.places import Places
from starmin.verify.certificates.patterns.batches import Batch, NodeBatch
from starmin.verify.certificates.patterns.node_tree import (
    NodeWalk,
    PricedTypes,
    classes_of,
)
from starmin.verify.certificates.patterns.ranges import (
    PatternEnumeration,
    total_of_ranges,
)
from starmin.verify.exact import BeyondError, exact_sum, expect_time

# The bound that prices of originals prove, recomputed in integers.

MAX_COLUMNS = 16
_LARGEST = 2**62
_TOO_FEW = 2**61  # in the place of the value of a class of fewer than k rows


def nonhomogeneous_price_bound(problem: PricedTypes) -> int:
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

    The objective is stars. Raises ValueError where the sums do not fit 64 bits, more
    than 16 columns may be starred, or some row has fewer than k rows that agree with it
    on the columns to be kept.

    For each set of columns that may be starred one group-by and one sort of the m row
    types: 256 sets and 90,000 types take some ten seconds.

    >>> from starmin.instances import STARS, Table
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> given = table, table.row_types, STARS, 2, 1
    >>> [nonhomogeneous_price_bound(PricedTypes(*given, np.array(p), 1))
    ...  for p in ([0, 0, 0], [1, 0, 1])]
    [3, 4]
    """
    table, k, types = problem.table, problem.k, problem.types
    weights = problem.objective.column_weights(table).tolist()
    # In Python integers. Be M what is multiplied by n here: of a row, the sum of k
    # prices and the stars, whatever their signs, are below M < 2^61, the mark of a
    # class of fewer than k rows; and sums over all n rows are below M n < 2^62.
    most = k * problem.highest + problem.denominator * (sum(weights) + 1)
    if most * max(table.n, 2) >= _LARGEST:
        raise BeyondError("prices, weights and rows multiply beyond 64 bits")
    free = np.flatnonzero(~problem.objective.kept(table)).tolist()
    if len(free) > MAX_COLUMNS:
        raise BeyondError(f"more than {MAX_COLUMNS} columns may be starred")
    # In the order of falling prices, a class lists its dearest rows first.
    order = np.argsort(-problem.prices, kind="stable")
    codes, counts = types.codes[order], types.counts[order]
    prices = problem.prices[order]
    least = np.full(len(types), _LARGEST, np.int64)
    for size in range(len(free) + 1):
        for starred in combinations(free, size):
            expect_time()
            cost = problem.denominator * sum(weights[a] for a in starred)
            kept = [a for a in range(table.d) if a not in starred]
            among = classes_of(table, codes, kept)
            members = np.argsort(among.inverse, kind="stable")
            batch = Batch(members, among.counts, np.full(among.size, cost))
            enough = np.add.reduceat(counts[members], batch.starts) >= k
            here = np.where(
                enough[batch.set_of], _left(batch, prices, counts, k), _TOO_FEW
            )
            least[members] = np.minimum(least[members], here)
    if int(least.max()) >= _TOO_FEW:
        raise ValueError(f"some row has fewer than k = {k} rows it can be matched to")
    return problem.proven(int(counts @ ((k - 1) * prices)) + int(counts @ least))


def _left(batch: Batch, prices: Ints, counts: Ints, k: int) -> Ints:
    """Return the cost of its set less the k - 1 highest other prices, by member."""
    own, taken = prices[batch.members], batch.dearest(counts, k)
    earned = np.add.reduceat(taken * own, batch.starts)
    last = np.minimum.reduceat(np.where(taken > 0, own, _LARGEST), batch.starts)
    left = (batch.cost - earned)[batch.set_of]
    return np.asarray(left + np.maximum(own, last[batch.set_of]))


# The bound on losses that prices of row types prove, recomputed in integers.


def node_price_bound(problem: PricedTypes) -> int:
    """Compute a loss below which these prices allow no release by groups.

    docs/reference/certificate.md has the theorem (section "Kind prices"), and what need
    not be looked at. The patterns are all vectors of nodes: of trees, ranges of numbers
    and stars.

    The objective is ``gcp``. Raises ValueError where the sums do not fit 64 bits, or
    too many patterns cost less than the prices of their rows to be checked.

    >>> from starmin.instances import Objective, Scales, Table
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> given, prices = (table, table.row_types, objective), np.array([8, 8, 8])
    >>> [node_price_bound(PricedTypes(*given, k, 1, prices, 1)) for k in (2, 3)]
    [8, 24]
    """
    table, objective = problem.table, problem.objective
    # A fill has n rows at most, and one costs all that can be lost at most: what is
    # added up for a pattern stays below this, and patterns are added up in Python.
    most = problem.highest * table.n + problem.denominator * objective.whole(table)
    if most >= _LARGEST:
        raise BeyondError("prices, losses and rows multiply beyond 64 bits")
    return problem.proven(problem.paid + NodeWalk(problem).total())


# The bound that prices of row types prove, recomputed in integers.

# Starred columns are the bits of one integer.
MOST_COLUMNS = 62
# Sums over a batch fit 64 bits up to so many rows.
MOST_ROWS = 2**30
# Row types from which on it pays to look at ranges side by side.
_MANY = 200_000


def price_bound(problem: PricedTypes, where: Places | None = None) -> int:
    """Compute a number of (weighted) stars that no valid release goes below.

    The idea: pay every row its price in advance. A row that is released with stars
    ``cost`` then costs only ``cost - price`` more, and every pattern on its own can be
    given the rows that suit it best, which costs no more than what any release gives
    it. docs/reference/certificate.md has the theorem, and what need not be looked at,
    with their proofs (section "Kind prices").

    The objective is stars. ``where`` says where ranges of the patterns of a large table
    are looked at side by side; None: one after the other, here. Raises ValueError where
    prices and weights are so large that the value of one pattern might not fit 64 bits,
    or too many patterns cost less than the prices of their rows to be checked.

    Grows with the number of patterns that cost less than the prices of enough rows, not
    with all: seconds for 30,000 rows by 8 columns, and minutes by 16 or 24.

    >>> from starmin.instances import STARS, Table
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> prices = np.array([3, 3])
    >>> price_bound(PricedTypes(table, table.row_types, STARS, 2, 1, prices, 3))
    2
    """
    table, types, prices = problem.table, problem.types, problem.prices
    weights = problem.objective.column_weights(table).tolist()
    most = problem.highest + problem.denominator * (sum(weights) + 1)
    # In Python integers; what it is enough for is said at PatternEnumeration.
    if most * table.n >= _LARGEST or table.n >= MOST_ROWS:
        raise BeyondError("prices, weights and rows multiply beyond 64 bits")
    if table.d > MOST_COLUMNS:
        raise BeyondError(f"more than {MOST_COLUMNS} columns are too many to check")
    asked = problem.star_patterns
    if where is None or len(types) < _MANY:
        total = PatternEnumeration(types, prices, asked).total()
    else:
        total = total_of_ranges(table, types, prices, asked, where)
    return problem.proven(problem.paid + total)


def nonhomogeneous_node_price_bound(problem: PricedTypes, least: Ints) -> int:
    r"""Compute a loss below which these prices allow no non-homogeneous release.

    As ``nonhomogeneous_price_bound`` for stars, over all vectors of nodes p, as
    ``node_price_bound`` has them: of trees, ranges of numbers and stars.

    .. math::

        LB(\mu) = (k - 1) \sum_i \mu_i + \sum_j v_j, \qquad
        v_j \le cost_p - \max_{N \subseteq p \setminus \{j\},\ |N| = k - 1}
        \sum_{i \in N} \mu_i \quad \text{for all } p \ni j.

    The certificate states prices and what is left to each row, v. Where v is more than
    a vector of nodes leaves, it is lowered to that, so that all that is stated may be
    wrong, and what is returned is proven.

    Why it is right. Given matchings, number the released rows by the original that the
    last one matches them to: the same sets of originals are matched to the same
    released rows, which are published as before or narrower, and every row is matched
    to itself. A released row j is published as the smallest nodes p that cover it and
    k - 1 others N, so it pays :math:`cost_p \ge v_j + \sum_{i \in N} \mu_i`; and every
    original is in k - 1 of these sets N.

    What need not be looked at. Sets S are cut down column after column as there: what
    lies below has a subset of S and costs c or more. So where c less the prices of the
    k - 1 dearest other rows of S is v or more for all of S, or S has fewer than k rows,
    nothing below is looked at. Where S has a smaller node in common than the one
    chosen, the smaller one covers the same rows, costs no more, and is met elsewhere.

    The objective is ``gcp``, and ``least`` what is left, as ``prices`` are. Raises
    ValueError where the sums do not fit 64 bits, too many vectors of nodes may leave
    less than is stated, or some row has fewer than k rows that agree with it on the
    columns to be kept.

    >>> from starmin.instances import Objective, Scales, Table
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> prices = np.array([0, 0, 1])
    >>> problem = PricedTypes(table, table.row_types, objective, 2, 1, prices, 1)
    >>> [nonhomogeneous_node_price_bound(problem, np.array(least))
    ...  for least in ([1, 1, 7], [9, 9, 9])]
    [10, 10]
    """
    table, k, objective = problem.table, problem.k, problem.objective
    counts = problem.types.counts
    highest = max(problem.highest, replace(problem, prices=least).highest)
    # What a row pays, sums of k prices and what they leave stay below this, whatever
    # their signs; n times as much is below 2^62 for sums over the rows.
    row = problem.denominator * (objective.whole(table) // table.n)
    most = (k + 1) * highest + row
    if most * max(table.n, 2) >= _LARGEST:
        raise BeyondError("prices, losses and rows multiply beyond 64 bits")
    if objective.keep and int(table.grouped(objective.keep).counts.min()) < k:
        raise ValueError(f"some row has fewer than k = {k} rows it can be matched to")
    left = _MatchedWalk(problem, least).proven()
    return problem.proven((k - 1) * problem.paid + exact_sum(left * counts))


class _MatchedWalk(NodeWalk):
    """Walks to the vectors of nodes that leave some row less than is stated."""

    def __init__(self, problem: PricedTypes, least: Ints) -> None:
        super().__init__(problem)
        self.least = least[self.order]

    def proven(self) -> Ints:
        """Lower what is stated to what is true; return it in the order of the types."""
        for batch in self.patterns():
            left = _left(batch, self.prices, self.counts, self.fills.k)
            np.minimum.at(self.least, batch.members, left)
        true = np.empty_like(self.least)
        true[self.order] = self.least
        return true

    def _prune(self, batch: NodeBatch, place: int, slack: int) -> NodeBatch:
        """Drop the sets that leave no row less than is stated, and those not closed."""
        if len(batch.lengths) == 0:
            return batch
        copies = np.add.reduceat(self.counts[batch.members], batch.starts)
        left = _left(batch, self.prices, self.counts, self.fills.k)
        low = left < self.least[batch.members]
        good = (copies >= self.fills.k) & np.logical_or.reduceat(low, batch.starts)
        return batch.keep(good & self._are_closed(batch, place))

    def _most_paid(self, batch: NodeBatch, slack: int) -> Ints:
        """Set no limit: a row pays for itself alone, and earns the prices of others."""
        return np.full(len(batch.lengths), _LARGEST)
