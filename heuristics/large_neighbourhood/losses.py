"""Losses in the search by budgets: prices, cuts and releases, side by side."""

import math

from heuristics.annealing.rounds import AnnealingRounds
from heuristics.large_neighbourhood.cuts import raise_by_cuts, seeks_cuts
from heuristics.large_neighbourhood.means import Means
from heuristics.large_neighbourhood.params import LargeNeighbourhoodParams
from heuristics.ruin_and_recreate.ruin_and_recreate import ruin_and_recreate
from heuristics.ruin_and_recreate.search import Assistance
from instances import Run, least_diversity, least_size
from instances.runs.nested import pass_on
from instances.runs.threads import Threads
from models.pricing.pattern_pool import PatternPool, pool_with
from models.pricing.pool_sources import pattern_pool


def chosen_pool(means: Means) -> PatternPool:
    """Find prices and a pool; of losses beside a search for a release."""
    run, params = means.run, means.params
    if run.objective.kind != "gcp" or len(run.table.sensitive) > 1:
        return _priced_pool(means)
    left, assistance = run.remaining, Assistance()
    seconds = params.ruin_end * left
    by_prices = least_diversity(run.requirement) > 1 or anneals_losses(run, params)
    if by_prices:
        seconds = min(_price_seconds(run, params), seconds)
    elif left - seconds < params.ruin_rest:
        seconds = left
    with Threads(1) as beside:
        search = beside.submit(
            ruin_and_recreate,
            run.table,
            run.requirement,
            objective=run.objective,
            time_limit=seconds,
            seed=means.seed,
            initial=run.best,
            proposals=None if math.isinf(left) else params.ruin_proposals,
            assistance=assistance,
        )
        try:
            cuts = seeks_cuts(run, params)
            pool = _priced_pool(means, assistance)
            if cuts and not by_prices:
                raise_by_cuts(run, pool, params.cut_share * run.remaining)
        finally:
            assistance.threads, assistance.is_over = means.slots, by_prices
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
        cuts_follow=seeks_cuts(run, means.params),
    )


def anneals_losses(run: Run, params: LargeNeighbourhoodParams) -> bool:
    """Return whether losses under k-anonymity are annealed once there are prices.

    A move of ruin and recreate breaks up groups of k rows, up to k of them, so that it
    takes long where k is large; a move of the annealing changes some rows only.
    """
    large = least_size(run.requirement) >= params.anneal_k
    diverse = least_diversity(run.requirement) > 1
    return large and not diverse and params.anneal_seconds <= run.remaining < math.inf


def anneal_losses(means: Means, pool: PatternPool, cuts: bool) -> None:
    """Anneal with all threads, in rounds that grow, for most of the time left.

    One thread less where cuts are to be sought beside.
    """
    run, steps = means.run, means.params.rounds
    until = run.elapsed + means.params.ruin_end * run.remaining
    rounds, length = AnnealingRounds(run, pool, means.seed, run.best), steps.longest
    run.begin("annealing")
    with Threads(means.slots + 1) as threads:
        left = until - run.elapsed
        cutting = threads.submit(raise_by_cuts, run, pool, left) if cuts else None
        while (left := until - run.elapsed) > 0 and not run.closed:
            seconds = length if left > steps.last * length else left
            busy = cutting is not None and not cutting.done()
            rounds.anneal(seconds, threads, max(1, means.slots - busy))
            length *= steps.longer
        if cutting is not None:
            cutting.result()


def _price_seconds(run: Run, params: LargeNeighbourhoodParams) -> float:
    """Return how long prices may be improved."""
    diverse, left = least_diversity(run.requirement) > 1, run.remaining
    if run.objective.kind != "gcp":
        return left * (params.price_share_diverse if diverse else params.price_share)
    share = params.price_share_both if diverse else params.price_share_losses
    least = min(params.price_seconds_losses, params.price_most_losses * left)
    return max(share * left, least)
