"""The pricing problems of many patterns, solved exactly and all at once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances import group_by
from starmin.instances.arrays import Bools, Int32s, Ints


@dataclass(eq=False)
class PricingProblems:
    """The least reduced cost of a valid group of each of many patterns, exactly.

    The *pricing problem* of a pattern is the choice of copies of the types that fit it,
    at a reduced cost each, which may be negative, so that they make a valid group at
    least cost. docs/reference/certificate.md has the ways to solve it, and why they are
    right (section "Fills"). With l-diversity f(h) is the least cost where no value has
    more than h copies: convex in h, over an interval of h, whose ends are found by
    bisection as well.

    >>> costs, copies = np.array([-2, 1, -1, 3]), np.array([2, 2, 1, 9])
    >>> problems = PricingProblems(costs, copies, np.array([2, 2]))
    >>> problems.least_cost(3).tolist()
    [-3, 5]
    """

    # reduced, copies: for each pattern its types, cheapest first: cost less price of
    # one copy, and how many copies there are
    reduced: Ints
    copies: Ints
    lengths: Ints  # number of types of each pattern

    def __post_init__(self) -> None:
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.pattern = np.repeat(np.arange(len(self.lengths)), self.lengths)
        self.support = np.add.reduceat(self.copies, self.starts)
        self.ahead = np.zeros_like(self.copies)
        self.heads, self.distinct_values = np.zeros_like(self.copies), 0

    def separate(self, values: Int32s, distinct: int = 0) -> None:
        """Note how many cheaper copies of its own sensitive value each type has.

        The *head* of a value is its cheapest copy. A choice with so many distinct
        values may be supposed to have the head of each value that it has, and that many
        of the cheapest heads: where one of them is missing, so is its value, and it can
        take the place of a dearer head.

        ``values`` has the sensitive value of each entry of ``copies``; every choice has
        at least ``distinct`` distinct values.
        """
        pairs = group_by([self.pattern, values]).inverse
        order = np.argsort(pairs, kind="stable")
        before = _before(self.copies[order])
        first = np.flatnonzero(np.diff(pairs[order], prepend=-1))
        runs = np.diff(np.append(first, len(order)))
        self.ahead[order] = before - np.repeat(before[first], runs)
        heads = (self.ahead == 0) & (self.copies > 0)
        earlier = _before(heads.astype(np.int64))
        earlier -= earlier[self.starts][self.pattern]
        self.heads = (heads & (earlier < distinct)).astype(np.int64)
        self.distinct_values = distinct

    def least_cost(
        self, least: Ints | int, offered: Ints | None = None, most: Ints | None = None
    ) -> Ints:
        """Return what the best choice of at least ``least`` copies costs.

        ``least`` is for each pattern or for all, ``offered`` by type: copies that may
        be chosen, all by default. The choice does not exceed ``most``, a number of
        copies for each pattern.
        """
        offered = self.copies if offered is None else offered
        before = _before(offered)
        before -= before[self.starts][self.pattern]
        gainful = np.add.reduceat(np.where(self.reduced < 0, offered, 0), self.starts)
        until = np.maximum(gainful, least)
        if most is not None:
            until = np.minimum(until, most)
        until = until[self.pattern]
        taken = np.clip(until - before, 0, offered)
        return np.asarray(np.add.reduceat(self.reduced * taken, self.starts))

    def between(
        self, k: int, l: int, lowest: Ints, highest: Ints
    ) -> tuple[Ints, Bools]:
        """Return the least f(h) of each pattern over some h, and if one is valid.

        With k-anonymity alone (``l == 1``) h bounds the copies in all, and ``lowest``
        is a least number of them; else call ``separate`` before. For each pattern h
        goes from ``lowest``, at least 1, to ``highest``.
        """
        if l == 1:
            need = np.maximum(lowest, k)
            possible = np.minimum(highest, self.support) >= need
            cost = self.least_cost(np.where(possible, need, 0), most=highest)
            return np.where(possible, cost, 0), possible
        last = np.minimum(highest, self.support // l)
        low = np.minimum(lowest, last + 1)
        too_high = _first(low, last + 1, lambda h: self._offered(h)[1] < l * h)
        high = too_high - 1
        low = _first(low, high, lambda h: self._offered(h)[1] >= k)
        possible = (high >= lowest) & (self._offered(high)[1] >= k)
        possible &= self._held() >= self.distinct_values
        low, high = np.where(possible, low, 1), np.where(possible, high, 1)
        best = _first(low, high, lambda h: self._at(h + 1, k, l) >= self._at(h, k, l))
        return np.where(possible, self._at(best, k, l), 0), possible

    def distinct(self, k: int, lowest: Ints, highest: Ints) -> tuple[Ints, Bools]:
        """Return the least cost with distinct values alone, and where there is one.

        Call ``separate`` before. The heads are taken; any other copies may join, by
        rising cost. ``k`` is a least number of copies, not below that of distinct
        values; ``lowest`` and ``highest`` bound the number of copies of each pattern.
        """
        need, held = np.maximum(lowest, k), self._held()
        possible = np.minimum(highest, self.support) >= need
        possible &= held >= self.distinct_values
        cost = np.add.reduceat(self.reduced * self.heads, self.starts)
        rest = np.where(possible, need - held, 0)
        cost += self.least_cost(rest, self.copies - self.heads, highest - held)
        return np.where(possible, cost, 0), possible

    def _held(self) -> Ints:
        """Return how many heads each choice has for certain."""
        return np.asarray(np.add.reduceat(self.heads, self.starts))

    def _offered(self, h: Ints) -> tuple[Ints, Ints]:
        """Return the cheapest h copies of each value, by type and in all."""
        offered = np.clip(h[self.pattern] - self.ahead, 0, self.copies)
        return offered, np.asarray(np.add.reduceat(offered, self.starts))

    def _at(self, h: Ints, k: int, l: int) -> Ints:
        """Return f(h)."""
        offered = self._offered(h)[0] - self.heads
        need = np.maximum(k, l * h) - self._held()
        cost = np.add.reduceat(self.reduced * self.heads, self.starts)
        return np.asarray(cost + self.least_cost(need, offered))


def _before(copies: Ints) -> Ints:
    """Return the sum of all entries before each one."""
    return np.asarray(np.cumsum(copies) - copies, np.int64)


def _first(low: Ints, high: Ints, test: Callable[[Ints], Bools]) -> Ints:
    """Find elementwise the least h in low..high that passes; else ``high``.

    The test is monotone: an h that passes is followed by such only.
    """
    low, high = low.copy(), high.copy()
    while (searching := low < high).any():
        middle = (low + high) // 2
        passes = test(middle)
        high = np.where(searching & passes, middle, high)
        low = np.where(searching & ~passes, middle + 1, low)
    return high
