"""The pool of a search for l-diversity; of losses found beside a search."""

import math

from starmin.heuristics.large_neighbourhood.means import Means
from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    LargeNeighbourhoodParams,
)
from starmin.heuristics.ruin_and_recreate.ruin_and_recreate import ruin_and_recreate
from starmin.heuristics.ruin_and_recreate.ruin_search import Assistance
from starmin.instances import Run
from starmin.instances.runs.nested import pass_on
from starmin.instances.runs.workers.threads import Threads
from starmin.models.pricing.pattern_pool import PatternPool, pool_with
from starmin.models.pricing.pool_sources import pattern_pool


def diverse_pool(means: Means) -> PatternPool:
    """Find prices and a pool; of losses beside a search for a release."""
    run, params = means.run, means.params
    if not run.objective.by_node or len(run.table.sensitive) > 1:
        return _priced_pool(means)
    left, assistance = run.remaining, Assistance()
    with Threads(1) as beside:
        search = beside.submit(
            ruin_and_recreate,
            run.table,
            run.requirement,
            objective=run.objective,
            time_limit=_price_seconds(run, params),
            seed=means.seed,
            initial=run.best,
            proposals=None if math.isinf(left) else params.ruin_proposals,
            assistance=assistance,
        )
        try:
            pool = _priced_pool(means, assistance)
        finally:
            assistance.is_over = True
            found = search.result()
            if found.best is not None:
                run.offer(found.best)
            pass_on(found)
    assert run.best is not None
    run.check_time()
    return pool_with(run, pool, run.best)


def _priced_pool(means: Means, assistance: Assistance | None = None) -> PatternPool:
    """Find prices, and the patterns that a cheap release can have at them.

    Whoever searches beside is told of the prices.
    """
    run, beside = means.run, assistance or Assistance()
    return pattern_pool(
        run,
        time_limit=_price_seconds(run, means.params),
        initial=run.best,
        prices=means.prices,
        told=beside.take_prices,
    )


def _price_seconds(run: Run, params: LargeNeighbourhoodParams) -> float:
    """Return how long prices may be improved."""
    left = run.remaining
    if not run.objective.by_node:
        return left * params.price_share
    least = min(params.price_seconds_losses, params.price_most_losses * left)
    return max(params.price_share_losses * left, least)
