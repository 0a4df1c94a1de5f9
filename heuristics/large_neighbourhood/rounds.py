"""The large neighbourhood search for k-anonymity, in rounds that grow."""

import math
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING

import numpy as np

from heuristics.annealing.rounds import AnnealingRounds
from heuristics.large_neighbourhood.means import Means
from instances import BoolArray, Partition, least_size
from instances.runs.threads import Threads
from models.patterns.decode import loads_of
from models.patterns.unit import DENOMINATOR
from models.pricing.pattern_pool import ListedPatterns, PatternPool

if TYPE_CHECKING:
    from heuristics.large_neighbourhood.operator_schedule import OperatorSchedule
    from models.neighbourhoods.destroy_operators import DestroyOperators

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]


def search_in_rounds(means: Means) -> None:
    """Search until the time is up or no neighbourhood gains anything.

    What is done does not depend on the time limit, but for the last round, which is as
    long as there is time: a search that is stopped early has what a short one finds.
    Prices are only estimated at first. They are refined in a thread, for the bound,
    while the first rounds are annealed. Then neighbourhoods and annealing take turns.

    Parameters
    ----------
    means
        The problem, k-anonymity with few enough patterns to list, and where it is
        solved.
    """
    # Compiled loops: threads, wherever neighbourhoods are solved.
    with Threads(means.slots + 1) as threads:
        _RoundSearch(means, threads).search()


class _RoundSearch:
    """The rounds of one search, and the prices that are refined beside them."""

    def __init__(self, means: Means, threads: Executor) -> None:
        self.means, self.run, self.steps = means, means.run, means.params.rounds
        self.threads = threads
        self.length = self.steps.first
        self._refining: Future[None] | None = None
        self._listed: ListedPatterns | None = None
        self._annealed: list[Partition] = []

    def search(self) -> None:
        """Anneal, round after round; then let neighbourhoods take turns with it."""
        run, steps = self.run, self.steps
        rounds = self._rounds(self.means.pool or self._estimate())
        most = steps.proposals * len(rounds.pool.types)
        while run.remaining > 0 and not run.closed:
            if rounds.proposals >= most and math.isinf(run.remaining):
                break
            if self.length > steps.longest and not self._is_refining:
                break
            self._anneal(rounds)
        run.check_time()
        pool = self._thin(self._refined(rounds.pool))
        rounds = self._rounds(pool)
        kernel, all_of_it = self._operators(pool)
        schedule = self._schedule(pool, kernel, all_of_it)
        while True:
            run.begin("neighbourhoods")
            if not schedule.improve(self.means.executor, self.means.slots, self.length):
                return
            self._anneal(rounds)
            schedule.begin_at(self._best(pool))
            kernel.useful = self._kernel(pool)

    @property
    def _is_refining(self) -> bool:
        return self._refining is not None and not self._refining.done()

    def _estimate(self) -> PatternPool:
        """Choose patterns by rough prices; have the prices refined in a thread."""
        run = self.run
        run.begin("patterns")
        self._listed = ListedPatterns(run, self.means.prices)
        run.begin("prices")
        self._listed.estimate(run, self.steps.price_steps)
        pool = self._listed.pool(run, self.means.params.per_type)
        self._refining = self.threads.submit(
            self._listed.refine, run, run.remaining, self.steps.tolerance
        )
        return pool

    def _refined(self, pool: PatternPool) -> PatternPool:
        """Choose patterns by the refined prices, and those of the best release."""
        if self._listed is None or self._refining is None:
            return pool
        self._refining.result()
        return self._listed.pool(self.run, self.means.params.per_type, self.run.best)

    def _rounds(self, pool: PatternPool) -> AnnealingRounds:
        return AnnealingRounds(self.run, pool, self.means.seed)

    def _anneal(self, rounds: AnnealingRounds) -> None:
        """Anneal once; to the end where the time is too short for another round."""
        left, steps = self.run.remaining, self.steps
        seconds = self.length if left > steps.last * self.length else left
        self.run.begin("annealing")
        self._annealed += rounds.anneal(
            seconds,
            self.threads,
            max(1, self.means.slots - self._is_refining),
            steps.proposals * len(rounds.pool.types),
        )
        self.length *= steps.longer

    def _thin(self, pool: PatternPool) -> PatternPool:
        """Keep so many incidences that neighbourhoods are programs of good size."""
        k = least_size(self.run.requirement)
        return pool.thinner(self.means.params.per_type, k, self._best(pool))

    def _operators(self, pool: PatternPool) -> tuple["DestroyOperators", ...]:
        """Return programs over the patterns of annealed releases, and over the pool.

        The first are solved sooner, so that their neighbourhoods grow larger.
        """
        # Solvers, which take long to load, are not needed before.
        from models.neighbourhoods.destroy_operators import DestroyOperators

        k, prices = least_size(self.run.requirement), pool.prices / DENOMINATOR
        rng = np.random.default_rng(self.means.seed)
        # All of the pool: a neighbourhood can be the whole of a small table.
        return tuple(
            DestroyOperators(pool.patterns, pool.types, k, 1, useful, rng, prices)
            for useful in (self._kernel(pool), np.ones(len(pool.least), bool))
        )

    def _schedule(
        self, pool: PatternPool, *operators: "DestroyOperators"
    ) -> "OperatorSchedule":
        from heuristics.large_neighbourhood.operator_schedule import OperatorSchedule

        means = self.means
        schedule = OperatorSchedule(
            self.run, pool, self._best(pool), means.stagnation, means.params.schedule
        )
        for operator in operators:
            schedule.add(operator)
        return schedule

    def _kernel(self, pool: PatternPool) -> BoolArray:
        """Mark the incidences that the best releases of the annealing use, and like."""
        cost = pool.patterns.cost[pool.patterns.pattern]
        found = [self._loads(pool, release) for release in self._annealed]
        found.sort(key=lambda loads: int(loads @ cost))
        best = [self._best(pool), *found[: self.steps.releases]]
        return pool.kernel(self.steps.kernel, best)

    def _best(self, pool: PatternPool) -> Ints:
        assert self.run.best is not None
        return self._loads(pool, self.run.best)

    def _loads(self, pool: PatternPool, release: Partition) -> Ints:
        """Return a release as copies by incidence of the pool."""
        run = self.run
        loads = loads_of(run.table, run.objective, pool.types, pool.patterns, release)
        if loads is None:
            raise ValueError("Expected a pool with the patterns of the release.")
        return loads
