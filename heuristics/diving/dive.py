"""A dive: rows are dealt as prices settle, those that are surest first."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from heuristics.diving.dive_loops import commit, distances, what_fits
from instances import RowTypes
from models.lagrangian_relaxation.adam_step import AdamStep
from models.lagrangian_relaxation.diverse_sets import sort_by_value
from models.lagrangian_relaxation.prices import integer_prices
from models.lagrangian_relaxation.pricing_sweep import PricingSweep
from models.patterns.patterns import Patterns

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Clock = Callable[[], float]

_STEP, _LAST_STEP = 0.06, 0.02  # stars
_FIRST_STEPS = 8  # not counted
_SHARE = 0.05  # of the rows left that a stage deals
LEAST = 0.003  # of them, or no stage follows that is like it
FASTEST = 100.0  # times as much as rows the reserves fall where nothing else helps
_NEAR = 0.03  # of its rows a pattern may always be from a group
_ADD = (0.5, 0.7, 0.99)  # to shares that are rounded down: more where it is in vain
_ENOUGH = 0.25  # of the rows wanted


@dataclass(frozen=True, eq=False)
class Stage:
    """Some groups that a dive commits at a time.

    Attributes
    ----------
    prices
        At which they were chosen.
    incidences, copies
        Of the patterns of the dive: those with copies, and how many.
    """

    prices: Floats
    incidences: Ints
    copies: Ints

    @property
    def rows(self) -> int:
        """How many rows it deals."""
        return int(self.copies.sum())

    def rest(self, left: Ints, patterns: Patterns) -> Ints:
        """The copies of each type that are left after it."""
        after = left.copy()
        np.subtract.at(after, patterns.types[self.incidences], self.copies)
        return after


class Dive:
    """Deals rows to patterns such that few stars are paid.

    A fill of a pattern is worth most at given prices; where prices are near the best,
    the fills of one step lack some rows and have others twice, but on average over
    many steps they are near an optimal point of the linear relaxation
    (``models.bounds.lagrangian``). A dive commits what is almost integral in an
    average, even in one of a few steps, and goes on with the rows and the patterns
    that are left.

    Parameters
    ----------
    patterns, types
        The patterns and the row types.
    k, l
        The requirement, l > 1.
    star
        What a star costs.
    """

    def __init__(
        self, patterns: Patterns, types: RowTypes, k: int, l: int, star: float
    ) -> None:
        self.types, self.k, self.l, self.star = types, k, l, star
        self.values = types.sensitive[:, 0].astype(np.int32)
        distinct = int(self.values.max()) + 1
        self.patterns = replace(
            patterns,
            types=sort_by_value(patterns.starts, patterns.types, self.values, distinct),
        )

    def __call__(
        self, counts: Ints, prices: Floats, fills: int, faster: float, clock: Clock
    ) -> Ints:
        """Deal as many of ``counts`` rows of the types as possible.

        Parameters
        ----------
        counts
            Copies of each type to deal.
        prices
            To begin with, in stars.
        fills
            For each average: from few, shares are coarse, and more is committed on
            less; from many, hardly a share is nearly integral, and what is committed
            in the end is rounded far.
        faster
            How many times as much as the rows the reserves of values may fall, by which
            the rows that are left stay diverse (``heuristics.diving.dive_loops``); more
            where hardly a row can be dealt otherwise.
        clock
            Seconds that are left: after half of them all that holds a group is
            committed.

        Returns
        -------
        Copies by incidence of ``self.patterns``: eligible groups. A few rows are left.
        """
        dealt = np.zeros(len(self.patterns.types), np.int64)
        left = counts
        later = clock() / 2
        while left.any() and clock() > 0:
            share = _SHARE if clock() >= later else 1.0  # in a hurry
            stage = self.stage(left, prices, fills, share, faster, clock)
            prices, left = stage.prices, stage.rest(left, self.patterns)
            dealt[stage.incidences] += stage.copies
            if stage.rows <= LEAST * left.sum():
                if faster > FASTEST:
                    break
                faster *= 2
        return dealt

    def stage(
        self,
        left: Ints,
        prices: Floats,
        fills: int,
        share: float,
        faster: float,
        clock: Clock,
    ) -> Stage:
        """Settle the prices, and commit that share of the rows left or a group more."""
        some, incidences = self.what_fits(left)
        if len(some) == 0:
            return Stage(prices, incidences, incidences)
        prices, shares = self._settle(some, prices, fills, clock)
        copies = np.zeros(len(incidences), np.int64)
        rows = share * float(left.sum())
        self._commit(some, shares, left.copy(), copies, rows, faster)
        dealt = copies > 0
        return Stage(prices, incidences[dealt], copies[dealt])

    def what_fits(self, left: Ints) -> tuple[Patterns, Ints]:
        """The patterns these rows can be groups of, and the numbers of incidences."""
        whole = self.patterns
        chosen, starts, incidences = what_fits(
            whole.starts, whole.types, self.values, left, self.k, self.l
        )
        some = Patterns(
            whole.nodes[chosen],
            whole.cost[chosen],
            starts,
            whole.types[incidences],
            left.copy(),
        )
        return some, incidences

    def _settle(
        self, patterns: Patterns, prices: Floats, fills: int, clock: Clock
    ) -> tuple[Floats, Floats]:
        """Prices near the best ones, and the fills on average over the last steps."""
        sweep = PricingSweep(patterns, self.types, self.k, self.l, count_fills=True)
        counts = np.maximum(patterns.counts, 1)
        smoothed = AdamStep(len(prices))
        prices = prices.copy()
        counted, steps = 0, _FIRST_STEPS + fills
        for step in range(1, steps + 1):
            if step > 1 and clock() <= 0:
                break
            counted = counted + 1 if step != _FIRST_STEPS + 1 else 1
            if step == _FIRST_STEPS + 1:
                sweep.filled[:] = 0
            lack = sweep(integer_prices(prices))[1] / counts
            size = _STEP * (_LAST_STEP / _STEP) ** (step / steps)
            prices += self.star * size * smoothed.along(lack)
        return prices, sweep.filled / counted

    def _commit(
        self,
        patterns: Patterns,
        shares: Floats,
        left: Ints,
        dealt: Ints,
        wanted: float,
        faster: float,
    ) -> None:
        """Deal that many rows, the surest first, rounded up where those are too few."""
        rows = 0
        for add in _ADD:
            rest = np.maximum(shares - dealt, 0)
            problem = (patterns.starts, patterns.types, rest, self.values, left)
            rounded = (*problem, self.k, self.l, add)
            far = distances(*rounded)
            order = np.argsort(far, kind="stable")[: int(np.isfinite(far).sum())]
            begin = 0
            while begin < len(order) and rows < wanted:
                # Half as many at once as may be wanted, of the smallest size.
                end = begin + max(1, int((wanted - rows) / (2 * self.l)))
                some, begin = order[begin:end], end
                farthest = max(_NEAR, far[some[-1]])
                rows += commit(*rounded, some, farthest, faster, dealt)
            if rows >= _ENOUGH * wanted:
                break
