"""Group-count cuts that raise the bound beside a search."""

import math
from contextlib import suppress

from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    LargeNeighbourhoodParams,
)
from starmin.instances import Run
from starmin.instances.arrays import Ints
from starmin.models.pricing.cut_prices import CutPrices


def seeks_cuts(run: Run, params: LargeNeighbourhoodParams) -> bool:
    """Return whether there are cuts, and time to raise the bound by them."""
    if run.requirement.core.diversity > 1 or run.requirement.core.size == 1:
        return False
    return params.cut_seconds <= run.remaining < math.inf


def raise_by_cuts(run: Run, prices: Ints, seconds: float) -> None:
    """Raise the bound of prices of the row types by cuts, for so many seconds."""
    part = Run(run.table, run.requirement, run.objective, seconds)
    k = run.requirement.core.size
    try:
        with suppress(TimeoutError):
            CutPrices(part, run.table.row_types, k, prices).improve()
    finally:
        run.learn(part)
