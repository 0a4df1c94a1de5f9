"""The large neighbourhood search for l-diversity: searches with growing budgets."""

import math
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from threading import Lock

import numpy as np

from starmin.heuristics.diving.group_neighbourhoods import GroupNeighbourhoods
from starmin.heuristics.large_neighbourhood.ejection_moves import ChainOperator
from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    Means,
    OpeningParams,
)
from starmin.heuristics.large_neighbourhood.operator_schedule import (
    LONG,
    OperatorSchedule,
)
from starmin.heuristics.ruin_and_recreate.ruin_and_recreate import (
    RuinInParts,
    ruin_beside,
)
from starmin.heuristics.ruin_and_recreate.ruin_search import Assistance
from starmin.instances import Run
from starmin.instances.runs.checkpoint import take_from
from starmin.instances.runs.cores import Threads
from starmin.models.pattern_program.destroy_operators import DestroyOperators
from starmin.models.pattern_program.pattern_program import partition_of_loads
from starmin.models.patterns.patterns import is_wide, threshold
from starmin.models.pricing.pool_sources import (
    ListedPatterns,
    PatternPool,
    pattern_pool,
    pool_with,
)


def diverse_pool(means: Means) -> PatternPool:
    """Find prices and a pool; of losses beside a search for a release."""
    run, assistance = means.run, Assistance()
    if not run.objective.by_node or len(run.table.sensitive) > 1:
        return _priced_pool(means, assistance)
    with Threads(1) as beside:
        seconds, most = _price_seconds(means), means.params.ruin_proposals
        search = ruin_beside(run, beside, assistance, seconds, means.seed, most)
        try:
            pool = _priced_pool(means, assistance)
        finally:
            assistance.is_over = True
            take_from(run, search.result())
    run.check_time()
    return pool_with(run, pool, run.release)


def _priced_pool(means: Means, beside: Assistance) -> PatternPool:
    """Find prices, told to who searches beside, and patterns that are cheap at them."""
    return pattern_pool(
        means.run,
        time_limit=_price_seconds(means),
        initial=means.run.best,
        prices=means.prices,
        told=beside.take_prices,
    )


def _price_seconds(means: Means) -> float:
    """Return how long prices may be improved."""
    left, params = means.run.remaining, means.params
    if not means.run.objective.by_node:
        return left * params.price_share
    least = min(params.price_seconds_losses, params.price_most_losses * left)
    return max(params.price_share_losses * left, least)


def open_search(means: Means) -> None:
    """Offer the releases of dives: a hurried one soon, then better ones.

    Prices that a few dozen steps have found are good enough to dive by, long before
    their bound is. So there are few steps, a hurried dive at the prices reached, more
    steps beside it, and then dives that are less and less in a hurry, the last of which
    takes its time. How long this takes depends on the table, not on the time limit,
    unless that is short: then TimeoutError.

    The problem is l-diversity of one column with few enough patterns to list.
    """
    run, steps = means.run, means.params.opening
    size = max(1.0, len(run.table.sensitive_types) / steps.types)
    run.begin("patterns")
    listed, offering = ListedPatterns(run, means.prices), Lock()
    with Threads(means.slots) as threads:
        diving: list[Future[None]] = []
        for price_steps, limits in steps.stages:
            run.begin("prices")
            _estimate(run, listed, price_steps, means.params.price_share)
            dive = _dive_by(run, listed, steps, offering)
            run.begin("dives")
            diving += [threads.submit(dive, seconds * size) for seconds in limits]
        for each in diving:
            each.result()
    run.check_time()


def _estimate(run: Run, listed: ListedPatterns, steps: int, share: float) -> None:
    """Improve the prices by some steps, for no more than a share of the time left."""
    pricing = Run(*run.asked, share * run.remaining)
    listed.estimate(pricing, steps)
    run.learn(pricing)


def _dive_by(
    run: Run, listed: ListedPatterns, steps: OpeningParams, offering: Lock
) -> Callable[[float], None]:
    """Choose patterns by the prices; return what dives for all rows, and offers.

    It takes so many seconds, or a share of those left where that is less.
    """
    pool = listed.pool(run, steps.per_type, run.release)
    loads = pool.loads(run, run.release)
    k, l = run.requirement.core.size, run.requirement.core.diversity
    groups = GroupNeighbourhoods(pool, k, l, np.random.default_rng(0))

    def dive(seconds: float) -> None:
        if run.remaining == 0:
            return
        part = groups.whole(loads, min(seconds, steps.share * run.remaining))
        solved = part.solve()
        with offering:
            found = groups.merge(loads, part, *solved)
            if found is not None:
                run.offer(partition_of_loads(pool.patterns, found))

    return dive


def search_by_budgets(means: Means) -> None:
    """Search with a short time limit, then with longer ones, as long as there is time.

    For l-diversity of one column, where patterns are listed, dives by rough prices come
    first, and prices are improved from there. Each search begins at the best release of
    those before. What it has found when it ends is what a search with that time limit
    finds, whatever the limit of them all.
    """
    run, steps = means.run, means.params.budgets
    if means.pool is None and not run.objective.by_node and _has_dives(run):
        types = run.table.sensitive_types
        if not is_wide(run.table, types, run.objective, run.time_limit):
            open_search(means)
            means = replace(means, prices=run.certificate)
    budget = steps.first * max(1.0, len(run.table.row_types) / steps.types)
    if run.objective.by_node:
        # All at once: ruin and recreate offers releases all along.
        budget = math.inf
    while True:
        left = run.remaining
        last = left <= steps.last * budget or math.isinf(left)
        part = Run(*run.asked, left if last else budget)
        part.offer(run.release)
        try:
            _search(replace(means, run=part))
            return
        except TimeoutError:
            if last:
                raise
        finally:
            run.offer(part.release)
            run.learn(part)
        budget *= steps.longer


def _search(means: Means) -> None:
    """Find prices and a release to begin with, then improve it by neighbourhoods."""
    priced = means.pool or diverse_pool(means)
    schedule = _schedule(means, priced)
    if means.run.objective.by_node and _has_dives(means.run):
        _take_turns(means, priced)
    else:
        schedule.improve(means.executor, means.slots)


def _take_turns(means: Means, pool: PatternPool) -> None:
    """Let ruin and recreate, in parts, take turns with neighbourhoods of a pool."""
    run, slots, params = means.run, means.slots, means.params
    # Compiled loops: threads, wherever neighbourhoods are solved.
    with Threads(slots) as threads:
        ruin, turn = RuinInParts(run, means.seed, prices=pool.prices), True
        while turn:
            left = run.remaining
            least = min(left, params.part_seconds)
            run.begin("ruin and recreate")
            ruin.improve(threads, slots, max(params.part_share * left, least))
            run.check_time()
            pool = pool_with(run, pool, run.release)
            schedule = _schedule(means, pool, dives=False)
            seconds = params.part_share * run.remaining
            turn = schedule.improve(means.executor, slots, seconds)


def _schedule(means: Means, pool: PatternPool, dives: bool = True) -> OperatorSchedule:
    """Schedule the operators for l-diversity from the best release on, after dives."""
    run, params, rng = means.run, means.params, np.random.default_rng(means.seed)
    k, l = run.requirement.core.size, run.requirement.core.diversity
    whole = pool.loads(run, run.release)
    pool = pool.thinner(params.per_type_diverse, max(k, l), whole)
    loads = pool.loads(run, run.release)
    useful = pool.least <= threshold(pool.least, params.per_type * len(pool.types))
    prices = pool.worth
    schedule = OperatorSchedule(run, pool, loads, means.stagnation, params.schedule)
    if _has_dives(run):
        groups = GroupNeighbourhoods(pool, k, l, rng, params=params.diving)
        schedule.add(groups)
        chains = pool, k, l, useful, rng, means.slots, params.chains
        schedule.add(ChainOperator(*chains))
        if dives:
            _dive(means, schedule, groups)
    schedule.add(DestroyOperators(pool.patterns, k, l, useful, rng, prices))
    return schedule


def _has_dives(run: Run) -> bool:
    """Return whether rows are dived for: for l-diversity of one column."""
    return run.requirement.core.diversity > 1 and len(run.table.sensitive) == 1


def _dive(
    means: Means, schedule: OperatorSchedule, groups: GroupNeighbourhoods
) -> None:
    """Dive for all rows: plainly, several at a time, then once with a look ahead.

    Of losses there is no look ahead: ruin and recreate, which follows, gains more in
    one second than that does in ten.
    """
    run, params = means.run, means.params
    plain = groups.whole(schedule.loads, min(params.dive_share * run.remaining, LONG))
    solving = [
        means.executor.submit(replace(plain, window=window).solve)
        for window in params.diving.dive.windows[: means.slots]
    ]
    found = [future.result() for future in solving]
    schedule.take(groups, plain, *min(found, key=lambda one: plain.part.cost(one[0])))
    run.check_time()
    if not run.objective.by_node:
        limit = min(params.pilot_share * run.remaining, LONG)
        pilot = replace(groups.whole(schedule.loads, limit), width=params.width)
        # Its ways share their tables and are tried for moments: not in other processes.
        with Threads(means.slots) as threads:
            schedule.take(groups, pilot, *pilot.solve(threads.map))
    groups.width = params.part_width
