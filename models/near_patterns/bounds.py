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

    Returns the own cost of each type, or less where the time of the run was up. The row
    types are by QI; sets of columns are looked at side by side in ``where``. The
    checkpoint keeps own costs that were found in time, to be taken up again.
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

    The run learns the bound, its certificate and the number of steps; where its time is
    up TimeoutError is raised, and it knows the best bound by then. The row types are by
    QI, with their ``own`` costs; ranges are listed and priced in ``where``. The search
    ends with a round that raises the bound by less than the share ``tolerance``. In the
    end the best prices are kept in the checkpoint, from which prices are taken at
    first.
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
