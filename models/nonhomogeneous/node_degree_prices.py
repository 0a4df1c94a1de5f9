"""Prices of originals for losses: found on a list, proven over all nodes."""

from dataclasses import replace

import numpy as np

from starmin.instances import Certificate, NonHomogeneous, Run
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from starmin.models.nonhomogeneous.degree_certificate import price_certificate
from starmin.models.nonhomogeneous.node_price_loops import node_price_bound
from starmin.models.patterns.node_patterns import matched_node_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import PriceUnit, exact_product
from starmin.models.pricing.cost_list import CostList, CostListParams
from starmin.models.pricing.generated_patterns import grown

# The first step is divided by k. Few steps at first: prices that suit a short list are
# far from those of a longer one.
STEPS = SubgradientParams(first_step=0.25, steps=20, last_step=0.05, share=0.4)
_MOST_STEPS, _NEXT_STEP = 80, 0.6
_LIST = CostListParams(factor=1.5, extra=0.1, most_incidences=12_000_000)


class _ListedPrices(SubgradientMethod):
    """Steps whose bounds prove nothing, since the list lacks patterns."""

    method = "degree_prices"

    def __init__(
        self,
        run: Run[NonHomogeneous],
        patterns: Patterns,
        k: int,
        prices: Ints,
        ceiling: Ints,
        params: SubgradientParams,
    ) -> None:
        super().__init__(run, prices, (k - 1) * patterns.counts, 0.0, params)
        self.patterns, self.k = patterns, k
        self.ceiling = ceiling / self.unit.per_cost

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return node_price_bound(self.patterns, self.k, prices)[:2]

    def _certificate(self, bound: int) -> Certificate | None:
        return None

    def _note(self) -> None:
        pass


class NodeDegreePrices:
    r"""Column generation for the bound of prices of originals, over vectors of nodes.

    As ``starmin.models.pricing.restricted_list`` for groups: prices climb on a list of
    the vectors of nodes that are cheap for some type. What the list says is an
    estimate; a walk over all vectors of nodes
    (``starmin.models.patterns.node_patterns``) finds those that leave a released row
    less at these prices, and with them what the prices prove. They join the list, and
    again.

    Parameters
    ----------
    run
        The problem, gcp; it learns the bounds and their certificates.
    k
        At least 2.

    Attributes
    ----------
    iterations
        Steps taken.
    """

    def __init__(self, run: Run[NonHomogeneous], k: int) -> None:
        self.run, self.k = run, k
        self._unit = PriceUnit.of(run.table, run.objective)
        self.types = run.table.row_types
        self.iterations = 0
        self._value = -1  # no bound is known, not even 0

    def improve(self, tolerance: float) -> None:
        """Raise the bound until a round gains less than this share of it.

        Raises
        ------
        TimeoutError
            The time of the run was up.
        """
        run, k = self.run, self.k
        prices = np.zeros(len(self.types), np.int64)
        listed, ceiling = self._list()
        star = mean_star_cost(run.table, run.objective)
        params, first = STEPS, STEPS.first_step * star / k
        while not run.closed:
            climb = _ListedPrices(run, listed, k, prices, ceiling, params)
            climb.improve_once(first)
            self.iterations += climb.iterations
            prices, before = climb.prices, self._value
            found = self._prove(prices, node_price_bound(listed, k, prices)[2])
            small = tolerance * self._value
            settled = self._value - before <= small
            if settled and climb.value - self._value <= small:
                return
            if found is None:
                prices = prices // 2
            elif len(found):
                listed = grown(listed, found)
            params = replace(params, steps=min(2 * params.steps, _MOST_STEPS))
            first *= _NEXT_STEP

    def _list(self) -> tuple[Patterns, Ints]:
        """Return a first list, and prices that none shall exceed; prove a first bound.

        Without prices each row is left what its cheapest pattern costs.
        """
        run = self.run
        groups = Run(run.table, run.requirement, run.objective, run.remaining)
        cheap = CostList(groups, self.types, self.k, 1, _LIST)
        costs, prices = cheap.own_costs()
        self._note(0 * prices, prices)
        listed, most = cheap.list(costs)
        return listed, self._unit.clipped(most * self._unit.per_cost)

    def _prove(self, prices: Ints, least: Ints) -> Patterns | None:
        """Return the patterns that leave less than the list; note what prices prove."""
        run = self.run
        problem = run.table, self.types, run.objective, prices, least, self.k
        found, true = matched_node_patterns(*problem, check=run.check_time)
        if found is not None:
            self._note(prices, true)
        return found

    def _note(self, prices: Ints, least: Ints) -> None:
        """Tell the run what prices prove that leave so much to each type."""
        run, counts = self.run, self.types.counts
        value = (self.k - 1) * int(prices @ counts) + exact_product(least, counts)
        if value <= self._value:
            return
        self._value, bound = value, self._unit.bound(value)
        problem = run.table, run.requirement, run.objective
        certificate = price_certificate(
            *problem, prices, bound, self._unit.per_cost, least
        )
        run.raise_bound(bound, "degree_prices", certificate)
