"""The bound of prices that no group of rows is cheaper than, with its certificate."""

from typing import Any

from starmin.instances import Certificate, RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.models.cheapest_groups.diversity import Diversity
from starmin.models.patterns.coarse_losses import CoarseLosses


def prove_group_prices(
    run: Run[Any],
    types: RowTypes,
    coarse: CoarseLosses,
    prices: Ints,
    diversity: Diversity,
    method: str,
) -> None:
    """Raise the bound of a run to the sum of prices, and certify it.

    Parameters
    ----------
    run
        The problem, gcp.
    types
        What has prices.
    coarse
        The losses in which the prices are.
    prices
        Of each type: no rows that may be a group pay less together.
    diversity
        What groups need in a sensitive column.
    method
        Who has found them.
    """
    table = run.table
    bound = coarse.bound(int(prices @ types.counts), table.n)
    stated = prices[canonical_order(table, types)].tolist()
    data = {"denominator": 1, "unit": coarse.unit, "prices": stated}
    if diversity.column > 0:
        data["sensitive"] = table.sensitive[diversity.column]
    claim = table, run.requirement, run.objective, "group_prices", bound, data
    run.raise_bound(bound, method, Certificate.of(*claim))
