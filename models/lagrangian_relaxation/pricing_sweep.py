"""The price bound and its supergradient, computed again and again."""

import numpy as np
import numpy.typing as npt

from instances import RowTypes
from models.lagrangian_relaxation.diverse_sets import sort_by_value
from models.lagrangian_relaxation.pricing_k import sweep_k
from models.lagrangian_relaxation.pricing_l import Queue, sweep_l
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]


class PricingSweep:
    """Bounds of prices and what their best fills lack, for many prices in turn.

    Keeps from one call to the next what it learned of the patterns.

    Parameters
    ----------
    patterns, types, k, l
        As for ``models.lagrangian_relaxation.prices.price_bound``.
    count_fills
        For l > 1: add up in ``filled`` how many copies of each of ``members`` the best
        fills had so far.

    Attributes
    ----------
    members
        The members of the patterns; for l > 1 in order of their sensitive values.
    filled
        One number for each of them, where counted.
    """

    def __init__(
        self,
        patterns: Patterns,
        types: RowTypes,
        k: int,
        l: int,
        count_fills: bool = False,
    ) -> None:
        self.patterns, self.k, self.l = patterns, k, l
        self.cost = patterns.cost * DENOMINATOR
        widest = int(np.diff(patterns.starts).max())
        self.keys, self.items = np.empty(widest, np.int64), np.empty(widest, np.int32)
        self.due = np.zeros(len(patterns), np.int64)
        self.moved = 0
        self.last: Ints | None = None
        self.members = patterns.types
        self.filled = np.zeros(len(self.members) if count_fills else 0, np.int64)
        if l > 1:
            self.values = types.sensitive[:, 0].astype(np.int32)
            distinct = int(self.values.max()) + 1
            self.members = sort_by_value(
                patterns.starts, patterns.types, self.values, distinct
            )
            self.used, self.tops = np.zeros(distinct, np.int64), np.empty(l, np.int64)
            self.place = np.zeros(len(types), np.int64)
            self.caps = np.ones(len(patterns), np.int64)
            self.queue = Queue(
                self.keys.copy(), self.items.copy(), np.zeros(2, np.int64)
            )

    def __call__(self, prices: Ints) -> tuple[int, Ints]:
        """The bound in units of 1/DENOMINATOR; the copies that the fills lack."""
        if self.last is not None:
            self.moved += max(0, int((prices - self.last).max()))
        self.last = prices
        p = self.patterns
        residual = p.counts.copy()
        arguments = (
            *(p.starts, self.members, self.cost, p.counts, prices, self.k),
            *(self.moved, self.due, self.keys, self.items, residual),
        )
        if self.l == 1:
            gains = sweep_k(*arguments)
        else:
            gains = sweep_l(
                *(*arguments, self.values, self.l),
                *(self.used, self.caps, self.queue, self.tops),
                *(self.filled, self.place),
            )
        return int(prices @ p.counts) + int(gains), residual
