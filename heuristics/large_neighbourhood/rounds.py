"""The large neighbourhood search for k-anonymity, in rounds that grow."""

import math
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING

import numpy as np

from heuristics.annealing.rounds import AnnealingRounds
from heuristics.large_neighbourhood.means import Means
from instances import least_size
from instances.runs.threads import Threads
from models.patterns.decode import loads_of
from models.patterns.unit import DENOMINATOR
from models.pricing.pattern_pool import ListedPatterns, PatternPool

if TYPE_CHECKING:
    from heuristics.large_neighbourhood.operator_schedule import OperatorSchedule


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
        schedule = self._schedule(self._refined(rounds.pool))
        rounds = self._rounds(schedule.pool)
        while True:
            run.begin("neighbourhoods")
            if not schedule.improve(self.means.executor, self.means.slots, self.length):
                return
            self._anneal(rounds)
            schedule.begin_at(self._loads(schedule.pool))

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
        rounds.anneal(
            seconds,
            self.threads,
            max(1, self.means.slots - self._is_refining),
            steps.proposals * len(rounds.pool.types),
        )
        self.length *= steps.longer

    def _schedule(self, pool: PatternPool) -> "OperatorSchedule":
        # Solvers, which take long to load, are not needed before.
        from heuristics.large_neighbourhood.operator_schedule import OperatorSchedule
        from models.neighbourhoods.destroy_operators import DestroyOperators

        means, run = self.means, self.run
        rng, k = np.random.default_rng(means.seed), least_size(run.requirement)
        loads = self._loads(pool)
        thin = pool.thinner(means.params.per_type, k, loads)
        schedule = OperatorSchedule(
            run, thin, self._loads(thin), means.stagnation, means.params.schedule
        )
        # All of the pool: a neighbourhood can be the whole of a small table.
        useful, prices = np.ones(len(thin.least), bool), thin.prices / DENOMINATOR
        operators = DestroyOperators(
            thin.patterns, thin.types, k, 1, useful, rng, prices
        )
        schedule.add(operators)
        return schedule

    def _loads(self, pool: PatternPool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the best release as copies by incidence of the pool."""
        run = self.run
        assert run.best is not None
        loads = loads_of(run.table, run.objective, pool.types, pool.patterns, run.best)
        if loads is None:
            raise ValueError("Expected a pool with the patterns of the release.")
        return loads
