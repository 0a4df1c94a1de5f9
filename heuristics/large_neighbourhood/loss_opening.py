"""The opening of a search for losses under k-anonymity: prices beside a search."""

import math
from concurrent.futures import Executor, Future

from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.heuristics.large_neighbourhood.means import Means
from starmin.heuristics.ruin_and_recreate.ruin_and_recreate import ruin_and_recreate
from starmin.heuristics.ruin_and_recreate.ruin_search import Assistance
from starmin.instances import Result
from starmin.instances.runs.nested import pass_on
from starmin.instances.runs.workers.cores import pause
from starmin.models.pricing.pool_sources import GeneratedPatterns

_LOOK = 0.05  # seconds between two looks at the prices


class LossOpening:
    """Ruin and recreate, until the prices that are found beside it are good.

    Where patterns are too many to list, it takes a while until prices say which ones a
    search needs. Ruin and recreate needs no such pool, and goes by whatever prices
    there are. It ends as soon as they are good. Where that takes much of the time, or
    where a short list of patterns says little of all, as with ranges of numbers, it
    comes farther than a search of a pool: there it goes on to the end, but for large k,
    for which each of its moves breaks up groups of many rows.

    ``means`` has k-anonymity with losses, and a release to begin with; prices are
    found, and the search made, in ``threads``. ``source`` has the prices at hand, and
    the patterns that they generate; ``refining`` makes them better.
    """

    def __init__(self, means: Means, threads: Executor) -> None:
        self.means, self.threads = means, threads
        run, steps = means.run, means.params.rounds
        self._assistance = Assistance()
        self.source = GeneratedPatterns(
            run, self._assistance.take_prices, math.isfinite(run.remaining)
        )
        params, left = means.params, run.remaining
        least = min(params.price_seconds_late, params.price_most_late * left)
        seconds = max(least, params.price_share_late * left)
        self.refining: Future[None] = threads.submit(
            self.source.refine, run, seconds, steps.tolerance
        )

    def search(self) -> None:
        """Search until prices are good, or time is up: then it raises TimeoutError."""
        means, run, assistance = self.means, self.means.run, self._assistance
        began, limit, params = run.elapsed, run.remaining, means.params
        self._cover()
        left = run.remaining
        run.begin("ruin and recreate")
        search: Future[Result] = self.threads.submit(
            ruin_and_recreate,
            run.table,
            run.requirement,
            objective=run.objective,
            time_limit=left,
            seed=means.seed,
            initial=run.best,
            proposals=None if math.isinf(left) else params.ruin_proposals,
            assistance=assistance,
        )
        late = began + params.ruin_share * limit
        large = run.requirement.core.size >= params.large_k
        large = large and limit >= params.ruin_seconds
        try:
            while not search.done():
                pause(_LOOK)
                done = self.refining.done()
                assistance.threads = max(1, means.slots - (not done))
                soon = self.source.begins_well and run.elapsed < late
                if soon or (large and (done or self.source.has_settled)):
                    break
        finally:
            assistance.is_over = True
        found = search.result()
        if found.best is not None:
            run.offer(found.best)
        pass_on(found)
        run.check_time()

    def _cover(self) -> None:
        """Offer the release of a pattern cover, where there is time for it."""
        run, params = self.means.run, self.means.params
        table, objective = run.table, run.objective
        vectors = objective.vectors_above(table)
        pairs = float(len(table.row_types)) * vectors
        if pairs > params.cover_pairs * run.remaining:
            return
        run.begin("pattern cover")
        limit = params.cover_share * run.remaining
        found = pattern_cover(
            table, run.requirement, objective=objective, time_limit=limit
        )
        if found.best is not None:
            run.offer(found.best)
        run.learn(found)
        pass_on(found)
        run.check_time()
