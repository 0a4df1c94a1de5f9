"""The subgradient method on the patterns near the least cost of their row types."""

import numpy as np
import numpy.typing as npt

from instances import Certificate, RowTypes, Run
from models.lagrangian_relaxation.lagrangian_subgradient import (
    LagrangianSubgradient,
)
from models.lagrangian_relaxation.prices import price_certificate
from models.near_patterns.listing import NearPatterns
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]


class NearPrices(LagrangianSubgradient):
    """Prices of row types, none above own cost and slack, and the bound they prove.

    The bound holds for all patterns. One that is not listed has no choice of negative
    value, for none of its types has a price above its cost. In one that is, a copy of a
    type that is not near costs more than ``NearPatterns.outside`` beyond its price, and
    there are taken to be as many of them as are wanted.

    The first prices are the own costs, so the bound is never below their sum.
    No certificate is made on the way: that takes as long as many steps.

    Parameters
    ----------
    run
        It learns the bounds; its time ends the search.
    near, types, k
        The patterns, the row types they are made of, and the least size of a group.
    """

    def __init__(self, run: Run, near: NearPatterns, types: RowTypes, k: int) -> None:
        own = near.own * DENOMINATOR
        super().__init__(
            run,
            near.patterns,
            types,
            k,
            1,
            own,
            ceiling=own + near.slack * DENOMINATOR,
            outside=near.outside,
        )

    def estimate(self, steps: int) -> None:
        """Take a few steps: too few for a good bound, but enough for a search."""
        self.improve_once(self._first, steps)

    def take_up(self, prices: Ints) -> None:
        """Go on from prices that such a search has found before."""
        self.prices = prices
        self._evaluate(prices)
        self._note()

    def certify(self, run: Run) -> None:
        """Tell a run on the same problem the bound, with its certificate."""
        if self.run.lower_bound is None:
            return
        bound = max(0, -(-self.value // DENOMINATOR))
        table, objective = run.table, run.objective
        proof = price_certificate(
            table, self.types, run.requirement, objective, self.prices, bound
        )
        run.raise_bound(bound, self.method, proof)

    def _certificate(self, bound: int) -> Certificate | None:
        return None
