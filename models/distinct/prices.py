"""Prices of the rows that must be placed, under distinct l-diversity."""

import numpy as np

from instances import Run
from models.distinct.reduction import Core, Ints
from models.lagrangian_relaxation.prices import mean_star
from models.lagrangian_relaxation.subgradient import SubgradientMethod
from models.patterns.own_cost import cheapest
from models.patterns.unit import DENOMINATOR
from models.solvers.program import Floats

_FIRST_STEP = 0.3  # of a star


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
    core
        What is placed; under a requirement that ``has_prices``.

    Notes
    -----
    Adult by 7 columns, occupation sensitive, in seconds of one core: the bound 10,275
    for l = 2 in 3 s, where the relaxation takes 17 s for the same; 19,357 for l = 4 in
    9 s, where it takes more than 36.
    """

    method = "pattern_ilp"
    steps = 500
    last_step = 0.005

    def __init__(self, run: Run, core: Core) -> None:
        part = core.part
        star = mean_star(run.table, run.objective)
        first = cheapest(part) * DENOMINATOR
        super().__init__(run, first, part.counts, _FIRST_STEP * star)
        self.part, self.distinct = part, core.distinct
        self.cost = part.cost.astype(np.int64) * DENOMINATOR
        self.of = np.ascontiguousarray(core.part_types.sensitive[:, 0])
        self.lends = np.zeros(len(part), bool)
        self.lends[core.borrowers] = True

    def least(self) -> Floats:
        """For each incidence of the part what a release with it costs at least."""
        least = np.zeros(len(self.part.types), np.int64)
        bound, _ = self._swept(self.prices, least)
        return np.asarray((bound + least) / DENOMINATOR)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return self._swept(prices, np.zeros(0, np.int64))

    def _swept(self, prices: Ints, least: Ints) -> tuple[int, Ints]:
        from models.lagrangian_relaxation.pricing_distinct import sweep_distinct

        part, residual = self.part, self.part.counts.copy()
        gains = sweep_distinct(
            *(part.starts, part.types, self.of, int(self.of.max()) + 1, self.cost),
            *(part.counts, prices, self.lends, self.distinct, residual, least),
        )
        return int(prices @ part.counts) + int(gains), residual

    def _certificate(self, bound: int) -> None:
        return None
