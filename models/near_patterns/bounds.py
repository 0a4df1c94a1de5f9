"""Bounds for millions of row types: own costs, and prices that are improved."""

import numpy as np

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.checkpoint import Checkpoint
from starmin.instances.runs.workers.places import Places
from starmin.models.lagrangian_relaxation.price_bound import price_certificate
from starmin.models.near_patterns.near_listing import usual_slack
from starmin.models.near_patterns.near_prices import NearPrices
from starmin.models.near_patterns.own_costs import own_costs
from starmin.models.near_patterns.ranged_function import ranged_function
from starmin.models.price_unit import PriceUnit


def prove_own_costs(
    run: Run,
    types: RowTypes,
    k: int,
    where: Places,
    checkpoint: Checkpoint | None = None,
) -> Ints:
    """Tell a run the sum of the own costs as a bound, with its certificate.

    Parameters
    ----------
    run
        It learns the bound; its time ends the search for own costs.
    types, k
        The row types by QI, and the least size of a group.
    where
        Where sets of columns are looked at, side by side.
    checkpoint
        Where own costs are kept that were found in time, to be taken up again.

    Returns
    -------
    The own cost of each type, or less where the time was up.
    """
    own = own_costs(run, types, k, where, checkpoint)
    unit = PriceUnit.of(run.table, run.objective)
    _prove(run, types, own * unit.per_cost, int(own @ types.counts), "own_pattern")
    return own


def prove_prices(
    run: Run,
    types: RowTypes,
    k: int,
    own: Ints,
    where: Places,
    tolerance: float,
    checkpoint: Checkpoint | None = None,
) -> None:
    """Improve prices on the near patterns, which are priced range by range.

    Each step is a task for each worker. Prices, bound and steps are those of
    ``NearPrices`` on one list of all near patterns, where time does not end them.

    Parameters
    ----------
    run
        It learns the bound, its certificate and the number of steps; its time ends the
        search.
    types, k, own
        The row types by QI, the least size of a group, and their own costs.
    where
        Where ranges are listed and priced.
    tolerance
        The search ends with a round that raises the bound by less than this share.
    checkpoint
        Where the best prices are kept in the end, and taken from.

    Raises
    ------
    TimeoutError
        The time of the run was up; it knows the best bound by then.
    """
    if checkpoint is not None and (kept := checkpoint.load()) is not None:
        bound = int(kept["bound"])
        _prove(run, types, kept["prices"], bound, NearPrices.method)
        return
    slack = usual_slack(run)
    with ranged_function(run, types, k, own, slack, where) as function:
        found = NearPrices(run, types, own, slack, function)
        try:
            found.improve(tolerance)
        finally:
            if checkpoint is not None and found.iterations:
                best = {"prices": found.prices, "bound": np.array(found.bound)}
                checkpoint.save(best)
            run.stats["iterations"] = found.iterations
            found.certify(run)


def _prove(run: Run, types: RowTypes, prices: Ints, bound: int, method: str) -> None:
    """Tell a run a bound that prices prove, with its certificate."""
    problem = run.table, types, run.requirement, run.objective
    run.raise_bound(bound, method, price_certificate(*problem, prices, bound))
