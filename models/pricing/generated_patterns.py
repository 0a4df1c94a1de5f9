"""Patterns for searches in wide tables, where all of them are too many to list."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import Objective, Partition, RowTypes, Table
from starmin.instances.arrays import Int32s, Ints, distinct
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost, price_step
from starmin.models.patterns.closed_listing import cheapest_pattern_costs
from starmin.models.patterns.node_patterns import all_fitting, node_patterns_within
from starmin.models.patterns.patterns import (
    Patterns,
    Sought,
    group_nodes,
    numbers_of,
    numbers_of_both,
)
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.pricing import priced_patterns

_TRIES = 6
_FIRST_THRESHOLD = 2.0  # in mean prices
_FIRST_THRESHOLD_LOSSES = 0.5  # likewise, for losses under k-anonymity
_AMPLE, _ENOUGH = 4, 3  # times the incidences wanted, and a part of them


def generated_patterns(
    sought: Sought, prices: Ints, per_type: int, initial: Partition | None
) -> Patterns:
    """Generate patterns whose best fills are worth little at good prices.

    Fills must be worth less than a threshold, which is doubled until there are enough.
    The coarsest pattern of each type is among them.

    Parameters
    ----------
    sought, prices
        Prices are by type, in units of ``PriceUnit``.
    per_type, initial
        Pairs wanted, by type; a release whose patterns shall be among them.
    """
    table, types, objective = sought[:3]
    wanted = per_type * len(types)
    unit = PriceUnit.of(table, objective)
    star = price_step(table, objective, prices) * unit.per_cost
    found: Patterns | None = None
    few = objective.by_node and sought.l == 1
    threshold = _FIRST_THRESHOLD_LOSSES if few else _FIRST_THRESHOLD
    factor = 2.0
    for _ in range(_TRIES):
        more = priced_patterns(
            *(sought, prices),
            threshold=int(threshold * star),
            by_sets=True,
            most_incidences=_AMPLE * wanted,
        )
        if more is None:
            factor = 0.25
        found = more or found
        if found is not None and (more is None or _ENOUGH * len(found.types) > wanted):
            break
        threshold *= factor
    always = Partition.coarsest(table, objective)
    patterns = patterns_of(table, types, objective, always)
    if initial is not None:
        patterns = union(patterns_of(table, types, objective, initial), patterns)
    return patterns if found is None else union(patterns, found)


def patterns_of(
    table: Table, types: RowTypes, objective: Objective, partition: Partition
) -> Patterns:
    """Return the patterns that the groups of a partition are published as, in full.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> one = patterns_of(table, table.row_types, STARS, Partition.single(table))
    >>> one.starred.tolist(), one.types.tolist()
    ([[True, True]], [0, 1, 2])
    """
    nodes = group_nodes(table, objective, partition)
    nodes = nodes[np.unique(numbers_of(nodes), return_index=True)[1]]
    cost = objective.node_costs(table, nodes)
    return in_full(table, types, objective, nodes, cost)


def in_full(
    table: Table, types: RowTypes, objective: Objective, nodes: Int32s, cost: Ints
) -> Patterns:
    """Return patterns with all types that fit them."""
    scales = objective.scales_of(table)
    starts, members = all_fitting(scales.positions(types.codes), *scales.spans(nodes))
    unit = PriceUnit.of(table, objective)
    return Patterns(nodes, cost, starts, members, types, unit)


def union(some: Patterns, others: Patterns) -> Patterns:
    """Return all of ``some``, and of the others those that are not among them."""
    known, asked = numbers_of_both(some, others)
    new = others.select(~np.isin(asked, known))
    return Patterns(
        np.concatenate([some.nodes, new.nodes]),
        np.concatenate([some.cost, new.cost]),
        np.concatenate([some.starts, some.starts[-1] + new.starts[1:]]),
        np.concatenate([some.types, new.types]),
        some.row_types,
        some.unit,
    )


def grown(some: Patterns, others: Patterns) -> Patterns:
    """Return all patterns of both; those in both have the members of either."""
    here, there = numbers_of_both(some, others)
    shared = some.select(np.isin(here, there))
    index = np.full(len(some) + len(others), -1, np.int64)
    index[there] = np.arange(len(others))
    m = len(some.counts)
    old = index[here[np.isin(here, there)]][shared.pattern] * m + shared.types
    pairs = distinct(others.pattern.astype(np.int64) * m + others.types, old)
    pattern, members = np.divmod(pairs, m)
    joined = Patterns(
        others.nodes,
        others.cost,
        np.searchsorted(pattern, np.arange(len(others) + 1)),
        members.astype(np.int32),
        some.row_types,
        some.unit,
    )
    return union(joined, some)


# Patterns listed with the row types for which they cost little: losses.


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
    that can hold it: one in a hundred of all pairs is listed. The problem is of gcp.
    """

    def __init__(
        self, sought: Sought, params: CostListParams = COST_LIST_PARAMS
    ) -> None:
        self.sought, self.params = sought, params
        self._step = mean_star_cost(sought.table, sought.objective)
        self._per_cost = PriceUnit.of(sought.table, sought.objective).per_cost

    def own_costs(self) -> tuple[Ints, Ints]:
        """Return what the cheapest pattern of each type about costs, and safe prices.

        The cheapest pattern of a type is known where all that cost no more than some
        limit are listed. No fill is worth anything at these costs, or at the limit for
        the types that have none below it: the prices, in units of ``PriceUnit``. Beyond
        it, types whose cost is known no longer count for the others, so that costs are
        estimates from above. TimeoutError where the time of the run is up.
        """
        table, types, objective = self.sought[:3]
        whole = objective.whole(table) // table.n
        most = max(1, int(self._step) // 16)
        costs = np.full(len(types), -1, np.int64)
        prices, proven = np.zeros(len(types), np.int64), True
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
        table, types, objective = self.sought[:3]
        always = Partition.coarsest(table, objective)
        return patterns_of(table, types, objective, always)

    def _within(self, most: Ints) -> Patterns | None:
        return node_patterns_within(self.sought, most, self.params.most_incidences)
