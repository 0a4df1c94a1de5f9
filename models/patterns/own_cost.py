"""What each row pays at least: the cost of the cheapest pattern that can be a group."""

import numpy as np

from starmin.instances import Partition, RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.group_nodes import group_nodes
from starmin.models.patterns.patterns import Patterns


def own_costs(run: Run, types: RowTypes, k: int, l: int) -> Ints:
    """Return for each type the cost of its cheapest pattern that can be a group.

    A release that the run holds makes the search among nodes shorter. The row types are
    by QI, or by QI and sensitive values; ``k`` and ``l`` are 1 where there is no such
    requirement. Raises TimeoutError where the time of the run was up.
    """
    table, objective = run.table, run.objective
    if not objective.by_node:
        return cheapest_pattern_costs(
            closed_patterns(table, types, objective, k, l, run.check_time)
        )
    from starmin.models.patterns.node_patterns import cheapest_node_patterns

    held = run.best or Partition.coarsest(table, objective)
    paid = objective.node_costs(table, group_nodes(table, objective, held))
    most = np.zeros(len(types), np.int64)
    np.maximum.at(most, held.of_rows(types.inverse), paid[held.groups])
    return cheapest_node_patterns(table, types, objective, most, k, l, run.check_time)


def cheapest_pattern_costs(patterns: Patterns) -> Ints:
    """Return for each type the cost of its cheapest pattern."""
    costs = np.full(len(patterns.counts), np.iinfo(np.int64).max)
    np.minimum.at(costs, patterns.types, patterns.cost[patterns.pattern])
    return costs
