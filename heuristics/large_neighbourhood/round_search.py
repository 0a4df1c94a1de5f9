"""The large neighbourhood search for k-anonymity, in rounds that grow."""

import math
from concurrent.futures import Executor, Future
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial

from starmin.heuristics.annealing.pattern_annealing import AnnealingRounds
from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    LargeNeighbourhoodParams,
    Means,
)
from starmin.heuristics.ruin_and_recreate.ruin_and_recreate import ruin_beside
from starmin.heuristics.ruin_and_recreate.ruin_search import Assistance
from starmin.instances import Partition, Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.checkpoint import take_from
from starmin.instances.runs.cores import Threads, pause
from starmin.models.patterns.patterns import is_wide
from starmin.models.pricing.cut_prices import CutPrices
from starmin.models.pricing.pool_sources import (
    POOL_PARAMS,
    GeneratedPatterns,
    ListedPatterns,
    PatternPool,
)

_LOOK = 0.05  # seconds between two looks at the prices


def search_in_rounds(means: Means) -> None:
    """Search until the time is up or no neighbourhood gains anything.

    What is done does not depend on the time limit, but for the last round, which is as
    long as there is time: a search that is stopped early has what a short one finds.
    Prices are only estimated at first. They are refined in a thread, for the bound, and
    where they are much better the patterns to search are chosen anew. In a thread cuts
    then raise the bound, if there is time. Rounds become longer until one has proposed
    enough moves. Then recombination and neighbourhoods take turns, with more patterns
    (``starmin.heuristics.large_neighbourhood.operator_schedule``).

    The problem is k-anonymity with fewest stars or with few enough patterns to list.
    """
    # Compiled loops: threads, wherever neighbourhoods are solved.
    with Threads(means.slots + 1) as threads:
        _RoundSearch(means, threads).search()


class _RoundSearch:
    """The steps of one search, and the prices that are refined beside them."""

    def __init__(self, means: Means, threads: Executor) -> None:
        run = means.run
        self.means, self.run, self.steps = means, run, means.params.rounds
        self.threads = threads
        self.length = self.steps.first
        least, most = means.params.per_type_first
        self._per_type = min(max(least, run.requirement.core.size), most)
        self._source: ListedPatterns | GeneratedPatterns | None = None
        self._refining: Future[None] | None = None
        self._cutting: Future[None] | None = None
        self._bound = 0  # of the prices that chose the pool
        self._choose_again = 0.0

    def search(self) -> None:
        """Anneal, round after round; then let others take turns."""
        run, steps = self.run, self.steps
        pool = self.means.pool or self._open()
        rounds = self._rounds(pool)
        while run.remaining > 0 and not run.closed:
            if rounds.proposals >= self._most(rounds):
                break
            before = rounds.proposals
            self._anneal(rounds)
            enough = rounds.proposals - before >= steps.enough * len(pool.types)
            if self._is_outdated():
                anew = self._is_higher(steps.anew)
                if enough and not anew:
                    break
                pool = self._choose()
                rounds = self._rounds(pool, None if anew else rounds.best)
            elif enough:
                break
        run.check_time()
        if run.closed:
            return
        self._per_type = self.means.params.per_type
        pool = self.means.pool or self._choose()
        while True:
            # Solvers, which take long to load, are not needed before.
            from starmin.heuristics.large_neighbourhood.operator_schedule import Turns

            turns = Turns(self.means, pool, self.threads, lambda: self._slots)
            if not turns.take(until=self._is_outdated):
                if self._refining is None:
                    return
                self._refining.result()
                self._is_outdated()
            pool = self._choose()

    def _is_outdated(self) -> bool:
        """Return whether prices are much better than those of the pool."""
        if self._refining is not None and self._refining.done():
            self._refining.result()
            self._refining = None
        is_due = self.run.elapsed >= self._choose_again
        return is_due and self._is_higher(self.steps.better)

    def _is_higher(self, share: float) -> bool:
        """Return whether prices prove more by this share than those of the pool."""
        return self._source is not None and (
            self._source.bound > (1 + share) * self._bound
        )

    def _cut_after(self, refining: Future[None]) -> None:
        """Let cuts follow where prices are refined, if there is time."""
        run, source, params = self.run, self._source, self.means.params
        assert source is not None

        def follow(refined: Future[None]) -> None:
            if refined.exception() or not seeks_cuts(run, params):
                return
            assert source.prices is not None
            seconds = params.cut_share * run.remaining
            call = partial(raise_by_cuts, run, source.prices, seconds)
            with suppress(RuntimeError):  # The threads end with the search.
                self._cutting = context.run(lambda: self.threads.submit(call))

        context = copy_context()  # the search that this is part of, and its cores
        refining.add_done_callback(follow)

    @property
    def _slots(self) -> int:
        """How many threads search; a quarter of the cores is for prices and cuts."""
        beside, slots = (self._refining, self._cutting), self.means.slots
        busy = any(each is not None and not each.done() for each in beside)
        return max(1, slots - max(1, slots // 4) * busy)

    def _open(self) -> PatternPool:
        """Choose patterns by rough prices; have the prices refined in a thread."""
        run, steps = self.run, self.steps
        run.begin("patterns")
        types = run.table.row_types
        if is_wide(run.table, types, run.objective, run.time_limit):
            if run.objective.by_node:
                self._open_losses()
                return self._choose()
            self._source = GeneratedPatterns(run)
        else:
            params = replace(POOL_PARAMS, steps=steps.refining)
            self._source = ListedPatterns(run, self.means.prices, params)
        run.begin("prices")
        self._source.estimate(run, steps.price_steps)
        pool = self._choose()
        refine = self._source.refine
        self._refining = self.threads.submit(
            refine, run, run.remaining, steps.tolerance
        )
        self._cut_after(self._refining)
        return pool

    def _open_losses(self) -> None:
        """Ruin and recreate, until the prices that are found beside it are good.

        Where patterns are too many to list, it takes a while until prices say which
        ones a search needs. Ruin and recreate needs no such pool, and goes by whatever
        prices there are. It ends as soon as they are good. Where that takes much of the
        time, or where a short list of patterns says little of all, as with ranges of
        numbers, it comes farther than a search of a pool: there it goes on to the end,
        but for large k, for which each of its moves breaks up groups of many rows.
        Raises TimeoutError if time is up.
        """
        means, run, params = self.means, self.run, self.means.params
        assistance, began, limit = Assistance(), run.elapsed, run.remaining
        self._source = source = GeneratedPatterns(
            run, assistance.take_prices, math.isfinite(limit)
        )
        least = min(params.price_seconds_late, params.price_most_late * limit)
        seconds = max(least, params.price_share_late * limit)
        self._refining = refining = self.threads.submit(
            source.refine, run, seconds, self.steps.tolerance
        )
        self._cover()
        run.begin("ruin and recreate")
        where, most = (run, self.threads, assistance), params.ruin_proposals
        search = ruin_beside(*where, run.remaining, means.seed, most)
        late = began + params.ruin_share * limit
        large = run.requirement.core.size >= params.large_k
        large = large and limit >= params.ruin_seconds
        try:
            while not search.done():
                pause(_LOOK)
                done = refining.done()
                assistance.threads = max(1, means.slots - (not done))
                soon = source.boxes.begins_well and run.elapsed < late
                if soon or (large and (done or source.boxes.has_settled)):
                    break
        finally:
            assistance.is_over = True
        take_from(run, search.result())
        run.check_time()
        self._cut_after(refining)

    def _cover(self) -> None:
        """Offer the release of a pattern cover, where there is time for it."""
        run, params = self.run, self.means.params
        table, objective = run.table, run.objective
        pairs = float(len(table.row_types)) * objective.vectors_above(table)
        if pairs > params.cover_pairs * run.remaining:
            return
        run.begin("pattern cover")
        limit = params.cover_share * run.remaining
        cover = partial(pattern_cover, objective=objective, time_limit=limit)
        take_from(run, cover(table, run.requirement))
        run.check_time()

    def _choose(self) -> PatternPool:
        """Choose patterns by the prices at hand, and those of the best release."""
        run, source, began = self.run, self._source, self.run.elapsed
        assert source is not None
        self._bound = source.bound
        pool = source.pool(run, self._per_type, run.best)
        self._choose_again = run.elapsed + self.steps.apart * (run.elapsed - began)
        return pool

    def _rounds(
        self, pool: PatternPool, initial: Partition | None = None
    ) -> AnnealingRounds:
        return AnnealingRounds(self.run, pool, self.means.seed, initial)

    def _anneal(self, rounds: AnnealingRounds) -> None:
        """Anneal once; to the end where the time is too short for another round."""
        run, steps = self.run, self.steps
        left = run.remaining
        seconds = self.length if left > steps.last * self.length else left
        run.begin("annealing")
        rounds.anneal(seconds, self.threads, self._slots, self._most(rounds))
        self.length *= steps.longer

    def _most(self, rounds: AnnealingRounds) -> float:
        """Return how many moves a round may propose: limited where time is not."""
        if math.isfinite(self.run.remaining):
            return math.inf
        return self.steps.proposals * len(rounds.pool.types)


def seeks_cuts(run: Run, params: LargeNeighbourhoodParams) -> bool:
    """Return whether there are cuts, and time to raise the bound by them."""
    if run.requirement.core.diversity > 1 or run.requirement.core.size == 1:
        return False
    return params.cut_seconds <= run.remaining < math.inf


def raise_by_cuts(run: Run, prices: Ints, seconds: float) -> None:
    """Raise the bound of prices of the row types by cuts, for so many seconds."""
    part = Run(*run.asked, seconds)
    try:
        with suppress(TimeoutError):
            CutPrices(part, prices).improve()
    finally:
        run.learn(part)
