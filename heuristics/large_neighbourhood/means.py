"""What a large neighbourhood search has to work with."""

from concurrent.futures import Executor
from dataclasses import dataclass

from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    LargeNeighbourhoodParams,
)
from starmin.instances import Certificate, Run
from starmin.models.pricing.pool_sources import PatternPool


@dataclass(frozen=True, eq=False)
class Means:
    """The problem, where it is solved, and the constants that steer that."""

    run: Run  # it learns releases and bounds, and has a release to begin with
    # the patterns to search and the prices to go by; None: they are to be found
    pool: PatternPool | None
    seed: int  # of all choices
    stagnation: int  # stop after this many neighbourhoods in a row that gained nothing
    # executor, slots: where neighbourhoods are solved, and how many at a time
    executor: Executor
    slots: int
    params: LargeNeighbourhoodParams
    # a proof for the same table, perhaps for another requirement, whose prices the
    # search for prices begins with; None: it begins anew
    prices: Certificate | None = None
