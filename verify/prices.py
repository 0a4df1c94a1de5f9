"""The bound that prices of row types prove, recomputed in integers."""

import numpy as np
import numpy.typing as npt

from instances import Objective, RowTypes, Table, group_by
from verify.fills import Fills

Ints = npt.NDArray[np.int64]

MAX_SUBSETS = 2**16
_LARGEST = 2**62


def price_bound(
    table: Table,
    types: RowTypes,
    k: int,
    l: int,
    objective: Objective,
    prices: Ints,
    denominator: int,
    sensitive: int = 0,
) -> int:
    """No valid release has fewer (weighted) stars than these prices prove.

    The idea: pay every row its price in advance. A row that is released with stars
    ``cost`` then costs only ``cost - price`` more, and every pattern on its own can
    be given the rows that suit it best, which costs no more than what any release
    gives it.

    .. math::

        LB(\\lambda) = \\sum_t \\lambda_t s_t + \\sum_p v_p, \\qquad
        v_p = \\min\\Big(0, \\min_x \\sum_{t \\sim p} (cost_p - \\lambda_t) x_t\\Big),

    the inner minimum over integers :math:`0 \\le x_t \\le s_t` such that, for some
    integer h >= 1, no sensitive value has more than h copies and there are at least
    ``max(k, l h)`` copies in all (with k-anonymity alone: at least k).

    Why it is right. The rows of a valid release that are published as pattern p are
    none, or a union of valid groups and so valid themselves: at least k, and l times
    as many as of their most frequent value, which has h. So their numbers
    :math:`x_{pt}` are one of the x above, or 0, and the value of the release is
    :math:`\\sum_{p,t} cost_p x_{pt} = \\sum_t \\lambda_t s_t
    + \\sum_{p,t} (cost_p - \\lambda_t) x_{pt} \\ge LB(\\lambda)`. Any prices will do.

    What need not be looked at. A pattern is left out if no group is published as it:
    fewer than k rows fit it, or fewer than l values of some sensitive column; or some
    column that it stars is constant on all rows that fit it, for a column is starred
    only where rows of a group differ. And where all prices are at most the cost,
    :math:`v_p = 0`.

    The best fill is found by ``verify.fills.Fills``, for all patterns of one set of
    starred columns at once.

    Parameters
    ----------
    table
        Equal values merged.
    types
        ``table.row_types`` if l is 1, else ``table.sensitive_types``.
    k, l
        Of the requirement, 1 where it asks for none; at most n.
    objective
        Stars: its weights and kept columns.
    prices
        For each row type, in units of 1/denominator.
    denominator
        A positive integer.
    sensitive
        The position of the sensitive column whose diversity is used. Leaving out the
        condition on the others keeps the bound valid.

    Raises
    ------
    ValueError
        The sums do not fit 64 bits, or more than 65,536 sets of starred columns cost
        less than the highest price.

    Notes
    -----
    For each set of starred columns that costs less than the highest price: one
    group-by and one sort of the m types; with l, some 2 log(n / l) passes more.

    Examples
    --------
    >>> from instances import STARS
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> price_bound(table, table.row_types, 2, 1, STARS, np.array([3, 3]), 3)
    2
    """
    weights = [objective.weights.get(column, 1) for column in table.qi]
    highest = max(abs(int(prices.min())), abs(int(prices.max())))
    total_weight = denominator * (sum(weights) + 1)
    if (highest + total_weight) * table.n >= _LARGEST:
        raise ValueError("prices, weights and rows multiply beyond 64 bits")
    market = _Market(table, types, prices, sensitive, k, l)
    total = int((prices * types.counts).sum())
    may_star = np.flatnonzero(~objective.kept(table)).tolist()
    costs = [denominator * weight for weight in weights]
    for starred, cost in _cheap_subsets(may_star, costs, int(prices.max())):
        total += market.value(starred, cost)
    return max(0, -(-total // denominator))


def _cheap_subsets(
    columns: list[int], costs: list[int], budget: int
) -> list[tuple[tuple[int, ...], int]]:
    """The sets of columns that cost less than ``budget``, with their costs."""
    found: list[tuple[tuple[int, ...], int]] = [((), 0)] if budget > 0 else []
    for j in columns:
        found += [((*s, j), c + costs[j]) for s, c in found if c + costs[j] < budget]
        if len(found) > MAX_SUBSETS:
            raise ValueError(
                f"more than {MAX_SUBSETS} sets of columns cost less than the highest "
                "price: too many to check"
            )
    return found


class _Market:
    """Row types in the order of falling prices, and what patterns make of them."""

    def __init__(
        self,
        table: Table,
        types: RowTypes,
        prices: Ints,
        sensitive: int,
        k: int,
        l: int,
    ) -> None:
        order = np.argsort(-prices, kind="stable")
        self.cardinalities = table.qi_cardinalities
        self.codes = np.ascontiguousarray(types.codes[order].T)
        self.values = np.ascontiguousarray(types.sensitive[order].T)
        self.counts = types.counts[order]
        self.prices = prices[order]
        self.sensitive = sensitive
        self.k = k
        self.l = l

    def value(self, starred: tuple[int, ...], cost: int) -> int:
        """The sum of ``v_p`` over the patterns that star exactly these columns."""
        kept = [j for j in range(len(self.codes)) if j not in starred]
        groups = group_by(
            [self.codes[j] for j in kept] or [np.zeros(len(self.prices), np.int32)],
            [self.cardinalities[j] for j in kept] or [1],
        )
        # The first type of a group is the dearest one.
        may_gain = self.prices[groups.first] > cost
        chosen = np.flatnonzero(may_gain[groups.inverse])
        members = chosen[np.argsort(groups.inverse[chosen], kind="stable")]
        lengths = groups.counts[may_gain]
        open_ = self._may_open(members, lengths, starred)
        members, lengths = members[np.repeat(open_, lengths)], lengths[open_]
        if len(lengths) == 0:
            return 0
        fills = Fills(cost - self.prices[members], self.counts[members], lengths)
        if self.l == 1:
            return int(np.minimum(fills.cheapest(self.k), 0).sum())
        fills.separate(self.values[self.sensitive][members])
        return int(np.minimum(fills.cheapest_diverse(self.k, self.l), 0).sum())

    def _may_open(
        self, members: Ints, lengths: Ints, starred: tuple[int, ...]
    ) -> npt.NDArray[np.bool_]:
        """Which patterns some group may be published as."""
        starts = np.cumsum(lengths) - lengths
        if len(starts) == 0:
            return np.zeros(0, bool)
        open_ = np.add.reduceat(self.counts[members], starts) >= max(self.k, self.l)
        for j in starred:
            codes = self.codes[j][members]
            open_ &= np.minimum.reduceat(codes, starts) < np.maximum.reduceat(
                codes, starts
            )
        if self.l > 1:
            pattern = np.repeat(np.arange(len(starts)), lengths)
            for values in self.values:
                pairs = group_by(
                    [pattern, values[members]], [len(starts), int(values.max()) + 1]
                )
                distinct = np.bincount(pattern[pairs.first], minlength=len(starts))
                open_ &= distinct >= self.l
        return np.asarray(open_, bool)
