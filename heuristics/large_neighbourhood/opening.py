"""The first seconds of a search for l-diversity: dives by prices of a few steps."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock

import numpy as np

from starmin.heuristics.diving.group_neighbourhoods import GroupNeighbourhoods
from starmin.heuristics.large_neighbourhood.means import Means
from starmin.instances import Run
from starmin.instances.runs.workers.threads import Threads
from starmin.models.pattern_program.decode import loads_of, partition_of_loads
from starmin.models.pricing.pool_sources import ListedPatterns

Dive = Callable[[float], None]


def open_search(means: Means) -> None:
    """Offer the releases of dives: a hurried one soon, then better ones.

    Prices that a few dozen steps have found are good enough to dive by, long before
    their bound is. So there are few steps, a hurried dive at the prices reached, more
    steps beside it, and then dives that are less and less in a hurry, the last of which
    takes its time. How long this takes depends on the table, not on the time limit,
    unless that is short.

    The problem is l-diversity of one column with few enough patterns to list. The run
    learns the bound of the prices, too. Raises TimeoutError when the time is up; what
    was found until then is known to the run.
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
            dive = _dive_by(run, listed, steps.per_type, offering)
            run.begin("dives")
            diving += [
                threads.submit(_timed, run, dive, seconds * size, steps.share)
                for seconds in limits
            ]
        for each in diving:
            each.result()
    run.check_time()


def _timed(run: Run, dive: Dive, seconds: float, share: float) -> None:
    """Dive for so many seconds, or for that share of those left where it is less."""
    if run.remaining > 0:
        dive(min(seconds, share * run.remaining))


def _estimate(run: Run, listed: ListedPatterns, steps: int, share: float) -> None:
    """Improve the prices by some steps, for no more than a share of the time left."""
    pricing = Run(run.table, run.requirement, run.objective, share * run.remaining)
    listed.estimate(pricing, steps)
    run.learn(pricing)


def _dive_by(run: Run, listed: ListedPatterns, per_type: int, offering: Lock) -> Dive:
    """Choose patterns by the prices; return what dives for all rows, and offers."""
    best = run.best
    assert best is not None
    pool = listed.pool(run, per_type, best)
    loads = loads_of(run.table, run.objective, pool.types, pool.patterns, best)
    assert loads is not None
    k, l = run.requirement.core.size, run.requirement.core.diversity
    groups = GroupNeighbourhoods(pool, k, l, np.random.default_rng(0))

    def dive(limit: float) -> None:
        part = groups.whole(loads, limit)
        solved = part.solve()
        with offering:
            found = groups.merge(loads, part, *solved)
            if found is not None:
                run.offer(partition_of_loads(pool.types, pool.patterns, found))

    return dive
