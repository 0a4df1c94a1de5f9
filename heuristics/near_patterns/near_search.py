"""The search on a list of near patterns: prices and release side by side."""

import math
from collections.abc import Callable
from concurrent.futures import Future

import numpy as np

from starmin.heuristics.annealing.annealing_rounds import AnnealingRounds
from starmin.heuristics.near_patterns.memory import SearchMemory
from starmin.heuristics.near_patterns.near_params import NearPatternParams
from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.workers.threads import Threads
from starmin.models.near_patterns.near_listing import near_patterns
from starmin.models.near_patterns.near_prices import NearPrices
from starmin.models.pricing.pattern_pool import PatternPool


def search_near(
    run: Run,
    types: RowTypes,
    seed: int,
    threads: Threads,
    params: NearPatternParams,
    memory: SearchMemory,
    before: Ints | None,
    bounded: bool = True,
) -> None:
    """List the patterns; improve prices and release side by side.

    ``run`` learns the releases and the bound; its time ends the search. ``types`` are
    by QI. ``threads`` are two, or one where nothing is bounded: without ``bounded`` the
    prices are only estimated, and nothing is certified. ``memory`` keeps what this
    search finds. ``before`` are the prices of a search that is to go on, whose release
    the run has; or None. Raises TimeoutError where the time of the run was up before
    the patterns were listed.
    """
    run.begin("patterns")
    began = run.elapsed
    k = run.requirement.core.size
    near = memory.patterns(lambda: near_patterns(run, types, k, threads))
    listing = run.elapsed - began
    closing = params.closing_of(len(types), run.time_limit)
    seconds = run.remaining - closing
    inner = Run(run.table, run.requirement, run.objective, seconds)
    prices = NearPrices.of_list(inner, near, types, k)
    try:
        _estimate(prices, before, params)
        run.learn(inner)
        if before is None:
            memory.keep(run, prices, annealed=False)
        if inner.remaining < params.dealing * listing:  # no time for a first deal
            return
        nothing = np.zeros(0, np.int64)
        pool = PatternPool(types, near.patterns, prices.prices, nothing)
        rounds = AnnealingRounds(run, pool, seed, run.best if memory.annealed else None)
        refining: Future[None] | None = None
        if bounded:
            refining = threads.submit(prices.improve, params.tolerance)
        _anneal(run, inner, rounds, threads, params, lambda: memory.keep(run, prices))
        if refining is not None:
            refining.result()
    finally:  # also where it is interrupted
        if bounded:
            prices.certify(run)


def _estimate(
    prices: NearPrices, before: Ints | None, params: NearPatternParams
) -> None:
    """Improve prices, or take up those of before, until they do for a search."""
    run = prices.run
    run.begin("prices")
    seconds = params.estimating * run.remaining
    prices.run = Run(run.table, run.requirement, run.objective, seconds)
    try:
        if before is None:
            prices.estimate(params.estimate)
        else:
            prices.take_up(before)
    finally:
        run.learn(prices.run)
        prices.run = run


def _anneal(
    run: Run,
    inner: Run,
    rounds: AnnealingRounds,
    threads: Threads,
    params: NearPatternParams,
    keep: Callable[[], None],
) -> None:
    """Anneal in rounds that become longer; tell the run the bound after each.

    How long they are does not depend on the time limit, but for the last one: a search
    that is stopped early has what a short one finds.
    """
    types = len(rounds.pool.types)
    length, ended = params.first * types, 0
    while inner.remaining > 0 and not run.closed and ended < params.rounds:
        run.begin("annealing")
        left, began = inner.remaining, inner.elapsed
        seconds = length if params.last * length < left < math.inf else left
        rounds.anneal(seconds, threads, 1, params.proposals * types)
        ended += inner.elapsed - began < 0.9 * seconds  # all moves were made
        run.learn(inner)
        keep()
        length *= params.longer
