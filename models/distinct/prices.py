"""Prices of the rows that must be placed, under distinct l-diversity."""

import numpy as np

from instances import Run
from models.distinct.reduction import Ints, Reduction
from models.lagrangian_relaxation.prices import mean_star
from models.lagrangian_relaxation.pricing_distinct import sweep_distinct
from models.lagrangian_relaxation.subgradient import SubgradientMethod
from models.patterns.own_cost import cheapest
from models.patterns.unit import DENOMINATOR
from models.solvers.program import Floats

_FIRST_STEP = 0.3  # The first step of the prices, as a share of a star's cost.


class DistinctPrices(SubgradientMethod):
    r"""The Lagrangian dual of the distinct program, improved step by step.

    A price for each type that is placed splits the program into one small problem for
    each pattern (``models.lagrangian_relaxation.pricing_distinct``), as for the other
    requirements (``models.bounds.lagrangian``). It is an integer one, so the bound at
    the best prices is that of the relaxation or more.

    Parameters
    ----------
    run
        It learns the bounds.
    reduction
        Which types are placed; under a requirement that ``has_prices``.

    Notes
    -----
    Adult by 7 columns, occupation sensitive, on one processor: the bound 10,275 for
    l = 2 in 3 s, where the relaxation takes 17 s for the same; 19,357 for l = 4 in 9 s,
    where it takes more than 36.
    """

    method = "pattern_ilp"
    steps = 500
    last_step = 0.005

    def __init__(self, run: Run, reduction: Reduction) -> None:
        placed = reduction.placed_patterns
        star = mean_star(run.table, run.objective)
        first = cheapest(placed) * DENOMINATOR
        super().__init__(run, first, placed.counts, _FIRST_STEP * star)
        self.patterns, self.distinct = placed, reduction.distinct
        self.cost = placed.cost.astype(np.int64) * DENOMINATOR
        self.of = np.ascontiguousarray(reduction.placed_types.sensitive[:, 0])
        self.lends = np.zeros(len(placed), bool)
        self.lends[reduction.borrowers] = True

    def least(self) -> Floats:
        """Return what a release that uses each placed incidence costs at least."""
        least = np.zeros(len(self.patterns.types), np.int64)
        bound, _ = self._swept(self.prices, least)
        return np.asarray((bound + least) / DENOMINATOR)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return self._swept(prices, np.zeros(0, np.int64))

    def _swept(self, prices: Ints, least: Ints) -> tuple[int, Ints]:
        placed, residual = self.patterns, self.patterns.counts.copy()
        gains = sweep_distinct(
            *(placed.starts, placed.types, self.of, int(self.of.max()) + 1, self.cost),
            *(placed.counts, prices, self.lends, self.distinct, residual, least),
        )
        return int(prices @ placed.counts) + int(gains), residual

    def _certificate(self, bound: int) -> None:
        return None
