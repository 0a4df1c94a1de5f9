"""Patterns listed with the row types for which they cost little: losses."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import Partition, RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.patterns.node_patterns import node_patterns_within
from starmin.models.patterns.own_cost import cheapest_pattern_costs
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.generated_patterns import patterns_of, union


@dataclass(frozen=True)
class CostListParams:
    """How long a list is."""

    # factor, extra: a type is listed with patterns that cost up to its cheapest one
    # times ``factor`` and ``extra`` of the mean loss of a column more
    factor: float = 2.0
    extra: float = 0.3
    # pairs of a pattern and a type, beyond which the extent is halved
    most_incidences: int = 4_000_000
    # share of the types whose cheapest pattern is proven before the first bound
    covered: float = 0.6


COST_LIST_PARAMS = CostListParams()


class CostList:
    """Lists patterns with those row types alone for which they cost little.

    A row hardly ever takes a vector of nodes that costs far more than the cheapest one
    that can hold it: one in a hundred of all pairs is listed. The problem is of gcp;
    the time of its run is asked for.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        k: int,
        l: int,
        params: CostListParams = COST_LIST_PARAMS,
    ) -> None:
        self.run, self.types, self.k, self.l, self.params = run, types, k, l, params
        self._step = mean_star_cost(run.table, run.objective)
        self._per_cost = PriceUnit.of(run.table, run.objective).per_cost

    def own_costs(self) -> tuple[Ints, Ints]:
        """Return what the cheapest pattern of each type about costs, and safe prices.

        The cheapest pattern of a type is known where all that cost no more than some
        limit are listed. No fill is worth anything at these costs, or at the limit for
        the types that have none below it: the prices, in units of ``PriceUnit``. Beyond
        it, types whose cost is known no longer count for the others, so that costs are
        estimates from above. TimeoutError where the time of the run is up.
        """
        whole = self.run.objective.whole(self.run.table) // self.run.table.n
        most = max(1, int(self._step) // 16)
        costs = np.full(len(self.types), -1, np.int64)
        prices, proven = np.zeros(len(self.types), np.int64), True
        while True:
            listed = self._within(np.where((costs < 0) | proven, most, costs))
            if listed is None:
                if not proven or most == 1:
                    break
                proven = False
                continue
            found = cheapest_pattern_costs(listed)
            costs = np.where((costs < 0) & (found <= most), found, costs)
            covered = float((costs >= 0).mean())
            if proven:
                prices = np.where(costs < 0, most, costs) * self._per_cost
                proven = covered < self.params.covered
            if covered == 1 or most >= whole:
                break
            most = min(2 * most, whole)
        return np.where(costs < 0, whole, costs), prices

    def list(self, costs: Ints) -> tuple[Patterns, Ints]:
        """List patterns with the types for which they cost little, and say how much."""
        excess = (self.params.factor - 1) * costs + self.params.extra * self._step
        coarsest = self.coarsest()
        while excess.max() >= 1:
            most = costs + excess.astype(np.int64)
            if (listed := self._within(most)) is not None:
                return union(coarsest, listed), most
            excess = excess / 2
        return coarsest, costs

    def coarsest(self) -> Patterns:
        """Return the patterns that the coarsest release publishes."""
        table, objective = self.run.table, self.run.objective
        always = Partition.coarsest(table, objective)
        return patterns_of(table, self.types, objective, always)

    def _within(self, most: Ints) -> Patterns | None:
        run, limit = self.run, self.params.most_incidences
        problem = run.table, self.types, run.objective, most, self.k, self.l
        return node_patterns_within(
            *problem, most_incidences=limit, check=run.check_time
        )
