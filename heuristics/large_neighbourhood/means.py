"""What a large neighbourhood search has to work with."""

from concurrent.futures import Executor
from dataclasses import dataclass

from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    LargeNeighbourhoodParams,
)
from starmin.instances import Certificate, Run
from starmin.models.pricing.pattern_pool import PatternPool


@dataclass(frozen=True, eq=False)
class Means:
    """The problem, where it is solved, and the constants that steer that.

    Attributes
    ----------
    run
        It learns releases and bounds, and has a release to begin with.
    pool
        The patterns to search and the prices to go by; None: they are to be found.
    seed
        Of all choices.
    stagnation
        Stop after this many neighbourhoods in a row that gained nothing.
    executor, slots
        Where neighbourhoods are solved, and how many at a time.
    params
        Constants that steer the search.
    prices
        A proof for the same table, perhaps for another requirement, whose prices the
        search for prices begins with; None: it begins anew.
    """

    run: Run
    pool: PatternPool | None
    seed: int
    stagnation: int
    executor: Executor
    slots: int
    params: LargeNeighbourhoodParams
    prices: Certificate | None = None
