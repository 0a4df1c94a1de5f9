"""The bound that prices of row types prove, recomputed in integers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from instances import Objective, RowTypes, Table, group_by

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

    The best fill. Order the types by falling price; the cost is the same for all. For
    a given h, take from each value the first h copies, and of these all that are
    worth more than they cost, then the next ones up to ``max(k, l h)``: greedy is
    right, as the bounds on types, values and the total form a laminar family. Call
    its value f(h). For real h it is a linear program whose matrix is totally
    unimodular, so that f(h) at an integer h is its value there; and it is convex in h,
    since h stands only on the right-hand sides, linearly. The h for which a fill
    exists are an interval: those of ``sum_v min(C_v, h) >= k``, which is increasing in
    h, and of ``sum_v min(C_v, h) >= l h``, concave and 0 at h = 0. So the ends of the
    interval and the first h at which f stops falling are found by bisection, for all
    patterns of one set of starred columns at once.

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
        fills = _Fills(cost - self.prices[members], self.counts[members], lengths)
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


@dataclass(eq=False)
class _Fills:
    """Cheapest fills of many patterns at once.

    Attributes
    ----------
    reduced, copies
        For each pattern its types, cheapest first: cost less price of one copy, and
        how many copies there are.
    lengths
        Number of types of each pattern.
    """

    reduced: Ints
    copies: Ints
    lengths: Ints

    def __post_init__(self) -> None:
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.pattern = np.repeat(np.arange(len(self.lengths)), self.lengths)
        self.support = np.add.reduceat(self.copies, self.starts)
        self.ahead = np.zeros_like(self.copies)

    def separate(self, values: npt.NDArray[np.int32]) -> None:
        """Note how many cheaper copies of its own sensitive value each type has."""
        pairs = group_by(
            [self.pattern, values], [len(self.lengths), int(values.max()) + 1]
        ).inverse
        order = np.argsort(pairs, kind="stable")
        before = _before(self.copies[order])
        first = np.flatnonzero(np.diff(pairs[order], prepend=-1))
        runs = np.diff(np.append(first, len(order)))
        self.ahead[order] = before - np.repeat(before[first], runs)

    def cheapest(self, least: Ints | int, offered: Ints | None = None) -> Ints:
        """The cheapest choice of at least ``least`` of the copies offered."""
        offered = self.copies if offered is None else offered
        before = _before(offered)
        before -= before[self.starts][self.pattern]
        gainful = np.add.reduceat(np.where(self.reduced < 0, offered, 0), self.starts)
        until = np.maximum(gainful, least)[self.pattern]
        taken = np.clip(until - before, 0, offered)
        return np.asarray(np.add.reduceat(self.reduced * taken, self.starts))

    def cheapest_diverse(self, k: int, l: int) -> Ints:
        """The least f(h) over all h; 0 for patterns that no h fits."""
        one = np.ones_like(self.support)
        too_high = _first(
            one, self.support // l + 1, lambda h: self._offered(h)[1] < l * h
        )
        high = too_high - 1
        low = _first(one, high, lambda h: self._offered(h)[1] >= k)
        possible = (high >= 1) & (self._offered(high)[1] >= k)
        low, high = np.where(possible, low, 1), np.where(possible, high, 1)
        best = _first(low, high, lambda h: self._at(h + 1, k, l) >= self._at(h, k, l))
        return np.where(possible, self._at(best, k, l), 0)

    def _offered(self, h: Ints) -> tuple[Ints, Ints]:
        """The cheapest h copies of each value, by type and in all."""
        offered = np.clip(h[self.pattern] - self.ahead, 0, self.copies)
        return offered, np.asarray(np.add.reduceat(offered, self.starts))

    def _at(self, h: Ints, k: int, l: int) -> Ints:
        """f(h)."""
        return self.cheapest(np.maximum(k, l * h), self._offered(h)[0])


def _before(copies: Ints) -> Ints:
    return np.asarray(np.cumsum(copies) - copies, np.int64)


def _first(
    low: Ints, high: Ints, test: Callable[[Ints], npt.NDArray[np.bool_]]
) -> Ints:
    """Elementwise the least h in low..high that passes, high if none below does.

    The test is monotone: an h that passes is followed by such only.
    """
    low, high = low.copy(), high.copy()
    while (searching := low < high).any():
        middle = (low + high) // 2
        passes = test(middle)
        high = np.where(searching & passes, middle, high)
        low = np.where(searching & ~passes, middle + 1, low)
    return high
