"""The bound on losses that prices of originals prove, recomputed in integers."""

import numpy as np

from starmin.instances import Objective, Table, group_by
from starmin.instances.arrays import Ints
from starmin.verify.beyond import BeyondError
from starmin.verify.certificates.exact_sums import exact_sum
from starmin.verify.certificates.patterns.batches import NodeBatch
from starmin.verify.certificates.patterns.node_tree import NodeWalk

_LARGEST = 2**62


def nonhomogeneous_node_price_bound(
    table: Table,
    k: int,
    objective: Objective,
    prices: Ints,
    least: Ints,
    denominator: int,
) -> int:
    r"""Compute a loss below which these prices allow no non-homogeneous release.

    As ``starmin.verify.nonhomogeneous.rowwise_prices.nonhomogeneous_price_bound`` for
    stars, over all vectors of nodes p: of trees, ranges of numbers and stars.

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

    What need not be looked at. Column after column a node is chosen
    (``starmin.verify.certificates.patterns.node_tree``): a set S of types that fit the
    nodes chosen so far, at a loss of c so far, is cut down to those below a node of the
    next column.
    What lies below has a subset of S and costs c or more. So where c less the prices of
    the k - 1 dearest other rows of S is v or more for all of S, or S has fewer than k
    rows, nothing below is looked at. Where S has a smaller node in common than the one
    chosen, the smaller one covers the same rows, costs no more, and is met elsewhere.

    Equal values of the table are merged; ``k`` is at most n. The objective is ``gcp``:
    its scales, weights and kept columns count. ``prices`` and ``least``, what is left,
    are by row type in units of 1/``denominator``, a positive integer.

    Raises ValueError where the sums do not fit 64 bits, too many vectors of nodes may
    leave less than is stated, or some row has fewer than k rows that agree with it on
    the columns to be kept.

    Examples
    --------
    >>> from starmin.instances import Scales
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> problem = table, 2, objective, np.array([0, 0, 1])
    >>> nonhomogeneous_node_price_bound(*problem, np.array([1, 1, 7]), 1)
    10
    >>> nonhomogeneous_node_price_bound(*problem, np.array([9, 9, 9]), 1)
    10
    """
    counts = table.row_types.counts
    stated = np.concatenate([prices, least])
    highest = max(abs(int(stated.min())), abs(int(stated.max())))
    # What a row pays, sums of k prices and what they leave stay below this, whatever
    # their signs; n times as much is below 2^62 for sums over the rows.
    most = (k + 1) * highest + denominator * (objective.whole(table) // table.n)
    if most * max(table.n, 2) >= _LARGEST:
        raise BeyondError("prices, losses and rows multiply beyond 64 bits")
    _expect_partners(table, k, objective)
    walk = _MatchedWalk(table, k, objective, prices, least, denominator)
    total = (k - 1) * exact_sum(prices * counts) + exact_sum(walk.proven() * counts)
    return max(0, -(-total // denominator))


def _expect_partners(table: Table, k: int, objective: Objective) -> None:
    """Raise ValueError where the columns to be kept leave a row fewer than k rows."""
    if objective.keep:
        sizes = [len(table.dictionary(column)) for column in objective.keep]
        classes = group_by([table.column(c) for c in objective.keep], sizes)
        if int(classes.counts.min()) < k:
            raise ValueError(
                f"some row has fewer than k = {k} rows it can be matched to"
            )


class _MatchedWalk(NodeWalk):
    """Walks to the vectors of nodes that leave some row less than is stated."""

    def __init__(
        self,
        table: Table,
        k: int,
        objective: Objective,
        prices: Ints,
        least: Ints,
        denominator: int,
    ) -> None:
        types = table.row_types
        super().__init__(table, types, objective, prices, denominator, k, 1, 0)
        self.least = least[self.order]

    def proven(self) -> Ints:
        """Lower what is stated to what is true; return it in the order of the types."""
        for batch in self.patterns():
            np.minimum.at(self.least, batch.members, self._left(batch))
        true = np.empty_like(self.least)
        true[self.order] = self.least
        return true

    def _prune(self, batch: NodeBatch, place: int, slack: int) -> NodeBatch:
        """Drop the sets that leave no row less than is stated, and those not closed."""
        if len(batch.lengths) == 0:
            return batch
        copies = np.add.reduceat(self.counts[batch.members], batch.starts)
        low = self._left(batch) < self.least[batch.members]
        good = (copies >= self.fills.k) & np.logical_or.reduceat(low, batch.starts)
        return batch.keep(good & self._are_closed(batch, place))

    def _most_paid(self, batch: NodeBatch, slack: int) -> Ints:
        """Set no limit: a row pays for itself alone, and earns the prices of others."""
        return np.full(len(batch.lengths), _LARGEST)

    def _left(self, batch: NodeBatch) -> Ints:
        """Return the cost of its set less the k - 1 highest other prices, by member."""
        prices, taken = self.prices[batch.members], self._dearest(batch)
        earned = np.add.reduceat(taken * prices, batch.starts)
        cheap = np.where(taken > 0, prices, _LARGEST)
        last = np.minimum.reduceat(cheap, batch.starts)
        own = np.maximum(prices, last[batch.set_of])
        return np.asarray((batch.cost - earned)[batch.set_of] + own)
