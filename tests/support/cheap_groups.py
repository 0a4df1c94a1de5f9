"""What the cheapest group of each row type costs, as bounds find it."""

import numpy as np

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.runs.search_control import Pace
from starmin.models.bounds.cheapest_groups import (
    Diversity,
    costs_in_order,
    group_search,
)


def cheapest_group_costs(
    table: Table, types: RowTypes, objective: Objective, k: int, diversity: Diversity
) -> np.ndarray:
    """What a row pays at least, by type."""
    order, search = group_search(table, types, objective, k, diversity)
    row = objective.whole(table) // table.n
    *_, found = costs_in_order(search, row + 1, Pace())
    costs = np.empty_like(found)
    costs[order] = found
    return costs
