"""A dive: rows are dealt as prices settle, those that are surest first."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from heuristics.diving_loops import commit, distances, what_fits
from instances import RowTypes
from models.bounds.diverse_sets import sort_by_value
from models.bounds.fill_sweep import FillSweep
from models.bounds.prices import integer_prices
from models.bounds.smoothed_steps import SmoothedSteps
from models.patterns import Patterns

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Clock = Callable[[], float]

_STEP, _LAST_STEP = 0.06, 0.02  # stars
_FIRST_STEPS = 8  # not counted
_LEAST = 0.003  # of the rows a round deals, or it is the last one
_FASTEST = 100.0  # times as much as rows the reserves fall where nothing else helps
_NEAR = 0.03  # of its rows a pattern may always be from a group
_UP = (0.7, 0.99)  # what is added to shares when rounding to the nearest is in vain


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
        self,
        counts: Ints,
        prices: Floats,
        fills: int,
        part: float,
        faster: float,
        clock: Clock,
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
        part
            Of the patterns whose average holds a group: how many are committed at a
            time, the nearest ones; more where that are too few rows.
        faster
            How many times as much as the rows the reserves of values may fall, by
            which the rows that are left stay diverse (``heuristics.diving_loops``);
            more where hardly a row can be dealt otherwise.
        clock
            Seconds that are left: after half of them all that holds a group is
            committed.

        Returns
        -------
        Copies by incidence of ``self.patterns``: eligible groups. A few rows are left.
        """
        dealt = np.zeros(len(self.patterns.types), np.int64)
        left, prices = counts.copy(), prices.copy()
        later = clock() / 2
        while left.any() and clock() > 0:
            if clock() < later:
                part = 1.0  # in a hurry
            some, incidences = self._what_fits(left)
            if len(some) == 0:
                break
            prices, shares = self._settle(some, prices, fills, clock)
            here = np.zeros(len(incidences), np.int64)
            rows = self._commit(some, shares, left, here, part, faster)
            dealt[incidences] += here
            if rows <= _LEAST * left.sum():
                if faster > _FASTEST:
                    break
                faster *= 2
        return dealt

    def _what_fits(self, left: Ints) -> tuple[Patterns, Ints]:
        whole = self.patterns
        chosen, starts, incidences = what_fits(
            whole.starts, whole.types, self.values, left, self.k, self.l
        )
        some = Patterns(
            whole.starred[chosen],
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
        sweep = FillSweep(patterns, self.types, self.k, self.l, count_fills=True)
        counts = np.maximum(patterns.counts, 1)
        smoothed = SmoothedSteps(len(prices))
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
        part: float,
        faster: float,
    ) -> int:
        """Deal what is surest, and less sure rows as well where those are too few."""
        wanted, rows = part / 4 * float(left.sum()), 0
        tries = [(0.5, part), (0.5, 2 * part), (0.5, 1.0)]
        for add, share in tries + [(up, 1.0) for up in _UP]:
            rest = np.maximum(shares - dealt, 0)
            problem = (patterns.starts, patterns.types, rest, self.values, left)
            rounded = (*problem, self.k, self.l, add)
            far = distances(*rounded)
            order = np.argsort(far, kind="stable")[: int(np.isfinite(far).sum())]
            if len(order):
                last = order[int(min(share, 1.0) * (len(order) - 1))]
                farthest = max(_NEAR, far[last])
                rows += commit(*rounded, order, farthest, faster, dealt)
            if rows >= wanted:
                break
        return rows
