"""The large neighbourhood search for k-anonymity, in rounds that grow."""

import math
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING

import numpy as np

from heuristics.annealing.rounds import AnnealingRounds
from heuristics.large_neighbourhood.cuts import raise_by_cuts, seeks_cuts
from heuristics.large_neighbourhood.means import Means
from instances import BoolArray, Partition, least_size
from instances.runs.threads import Threads
from models.neighbourhoods.operator_weights import OperatorWeights
from models.patterns.decode import loads_of
from models.patterns.patterns import threshold
from models.patterns.unit import DENOMINATOR
from models.pricing.generated_patterns import is_wide
from models.pricing.pattern_pool import PatternPool
from models.pricing.pool_sources import GeneratedPatterns, ListedPatterns

if TYPE_CHECKING:
    from heuristics.large_neighbourhood.operator_schedule import OperatorSchedule
    from models.neighbourhoods.destroy_operators import DestroyOperators

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]


def search_in_rounds(means: Means) -> None:
    """Search until the time is up or no neighbourhood gains anything.

    What is done does not depend on the time limit, but for the last round, which is as
    long as there is time: a search that is stopped early has what a short one finds.
    Prices are only estimated at first. They are refined in a thread, for the bound, and
    where they are much better the patterns to search are chosen anew. In the same
    thread cuts then raise the bound, if there is time. After the first
    rounds annealing and neighbourhoods take turns, each for as long as what it gains in
    a second compares to the other.

    Parameters
    ----------
    means
        The problem, k-anonymity with fewest stars or with few enough patterns to list,
        and where it is solved.
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
        self._source: ListedPatterns | GeneratedPatterns | None = None
        self._refining: Future[None] | None = None
        self._cutting: Future[None] | None = None
        self._bound = 0  # of the prices that chose the pool
        self._annealed: list[Partition] = []

    def search(self) -> None:
        """Anneal, round after round; then let neighbourhoods take turns with it."""
        run, steps = self.run, self.steps
        pool = self.means.pool or self._estimate()
        rounds = self._rounds(pool)
        while run.remaining > 0 and not run.closed and self.length <= steps.longest:
            if rounds.proposals >= self._most(rounds):
                break
            self._anneal(rounds)
            if self._is_outdated:
                pool = self._choose()
                rounds = self._rounds(pool)
        run.check_time()
        while self._take_turns(pool):
            pool = self._choose()

    def _take_turns(self, pool: PatternPool) -> bool:
        """Let annealing and neighbourhoods take turns, each as it gains.

        Returns
        -------
        Whether to go on with another pool, as prices are better; else there is nothing
        more to search.
        """
        from heuristics.large_neighbourhood.operator_schedule import LONG

        run, params = self.run, self.means.params.schedule
        pool = self._thin(pool)
        rounds = self._rounds(pool)
        operators = kernel, *_ = self._operators(pool)
        schedule = self._schedule(pool, *operators)
        weights = OperatorWeights(2, params.memory, params.least_rate, first=0.0)
        had = np.zeros(2)  # Seconds of neighbourhoods and of annealing, by weight.
        while not self._is_outdated:
            began, before, turn = run.elapsed, run.value or 0, int(had.argmin())
            if turn:
                self._anneal(rounds)
                run.check_time()
                schedule.begin_at(self._best(pool))
                kernel.useful = self._kernel(pool)
            else:
                run.begin("neighbourhoods")
                seconds = max(params.share * min(run.remaining, LONG), params.seconds)
                if not schedule.improve(self.means.executor, self._slots, seconds):
                    if self._refining is None:
                        return False
                    self._refining.result()
            took = max(run.elapsed - began, 1e-3)
            weights.update(turn, (before - (run.value or 0)) / took)
            had[turn] += took / weights.share(turn)
        return True

    @property
    def _is_outdated(self) -> bool:
        """Whether prices are refined now, or much better than those of the pool."""
        if self._source is None or self._refining is None:
            return False
        enough = (1 + self.steps.better) * self._bound
        return self._refining.done() or self._source.bound > enough

    @property
    def _slots(self) -> int:
        """How many threads search."""
        beside = (self._refining, self._cutting)
        busy = any(each is not None and not each.done() for each in beside)
        return max(1, self.means.slots - busy)

    def _estimate(self) -> PatternPool:
        """Choose patterns by rough prices; have the prices refined in a thread."""
        run, steps = self.run, self.steps
        run.begin("patterns")
        if is_wide(run.table, run.table.row_types, run.objective):
            self._source = GeneratedPatterns(run)
        else:
            self._source = ListedPatterns(run, self.means.prices)
        run.begin("prices")
        self._source.estimate(run, steps.price_steps)
        pool = self._choose()
        refine = self._source.refine
        self._refining = self.threads.submit(
            refine, run, run.remaining, steps.tolerance
        )
        return pool

    def _choose(self) -> PatternPool:
        """Choose patterns by the prices at hand, and those of the best release."""
        assert self._source is not None
        run, params = self.run, self.means.params
        is_refined = self._refining is not None and self._refining.done()
        if self._refining is not None and is_refined:
            self._refining.result()
            self._refining = None
        self._bound = self._source.bound
        pool = self._source.pool(run, params.per_type, run.best)
        if is_refined and seeks_cuts(run, params):
            seconds = params.cut_share * run.remaining
            self._cutting = self.threads.submit(raise_by_cuts, run, pool, seconds)
        return pool

    def _rounds(self, pool: PatternPool) -> AnnealingRounds:
        initial = self.run.best if self._annealed else None
        return AnnealingRounds(self.run, pool, self.means.seed, initial)

    def _anneal(self, rounds: AnnealingRounds) -> None:
        """Anneal once; to the end where the time is too short for another round."""
        run, steps = self.run, self.steps
        left = run.remaining
        seconds = self.length if left > steps.last * self.length else left
        run.begin("annealing")
        found = rounds.anneal(seconds, self.threads, self._slots, self._most(rounds))
        self._annealed += found
        self._annealed.sort(key=lambda each: each.value(run.table, run.objective))
        del self._annealed[steps.releases :]
        self.length *= steps.longer

    def _most(self, rounds: AnnealingRounds) -> float:
        """Return how many moves a round may propose: limited where time is not."""
        if math.isfinite(self.run.remaining):
            return math.inf
        return self.steps.proposals * len(rounds.pool.types)

    def _thin(self, pool: PatternPool) -> PatternPool:
        """Keep so many incidences that neighbourhoods are programs of good size."""
        k = least_size(self.run.requirement)
        return pool.thinner(self.means.params.per_type, k, self._best(pool))

    def _operators(self, pool: PatternPool) -> tuple["DestroyOperators", ...]:
        """Return programs over the patterns of annealed releases, and over the pool.

        Of the pool the best incidences, or all. With fewer of them programs are solved
        sooner, so that their neighbourhoods grow larger.
        """
        # Solvers, which take long to load, are not needed before.
        from models.neighbourhoods.destroy_operators import DestroyOperators

        k, prices = least_size(self.run.requirement), pool.prices / DENOMINATOR
        rng = np.random.default_rng(self.means.seed)
        near = pool.least <= threshold(pool.least, self.steps.near * len(pool.types))
        # All of the pool: a neighbourhood can be the whole of a small table.
        return tuple(
            DestroyOperators(
                *(pool.patterns, pool.types, k, 1, useful, rng, prices),
                part_limit=self.steps.part_limit,
            )
            for useful in (self._kernel(pool), near, np.ones(len(pool.least), bool))
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
        releases = [self.run.best, *self._annealed]
        best = [self._loads(pool, each) for each in releases if each is not None]
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
