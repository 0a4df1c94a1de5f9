"""Recombination and neighbourhoods of a release, each for as long as it gains."""

from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np

from starmin.heuristics.large_neighbourhood.means import Means
from starmin.heuristics.large_neighbourhood.operator_schedule import (
    LONG,
    OperatorSchedule,
)
from starmin.heuristics.recombination.recombination import Recombination
from starmin.models.neighbourhoods.destroy_operators import DestroyOperators
from starmin.models.neighbourhoods.neighbourhood import OperatorWeights
from starmin.models.patterns.patterns import threshold
from starmin.models.pricing.pool_sources import PatternPool


class Turns:
    """Improves a release under k-anonymity by recombination and by neighbourhoods.

    They take turns, each for as long as what it gains in a second compares to the
    other. ``pool`` has the patterns, those of the release among them, and the prices to
    go by. Offspring is annealed in ``threads``, and ``slots`` tells how many threads
    search now.
    """

    def __init__(
        self,
        means: Means,
        pool: PatternPool,
        threads: Executor,
        slots: Callable[[], int],
    ) -> None:
        self.means, self.run, self.params = means, means.run, means.params
        self.threads, self.slots = threads, slots
        self.pool = pool
        self.recombination = Recombination(
            self.run, self.pool, means.seed, self.params.recombination
        )
        self._kernel, *others = self._operators()
        self.schedule = OperatorSchedule(
            *(self.run, self.pool, self.recombination.best, means.stagnation),
            self.params.schedule,
        )
        for operator in (self._kernel, *others):
            self.schedule.add(operator)

    def take(self, until: Callable[[], bool] = lambda: False) -> bool:
        """Take turns until neighbourhoods gain nothing more, or ``until`` holds.

        Returns whether there may be more to gain; raises TimeoutError when the time is
        up.
        """
        run, params = self.run, self.params.schedule
        weights = OperatorWeights(2, params.memory, params.least_rate, first=0.0)
        had = np.zeros(2)  # Seconds of recombination and of neighbourhoods, by weight.
        while not until():
            began, before, turn = run.elapsed, run.value or 0, int(had.argmin())
            seconds = max(params.share * min(run.remaining, LONG), params.seconds)
            if turn == 0:
                self._recombine(self.params.rounds.recombining * seconds)
            else:
                run.begin("neighbourhoods")
                executor = self.means.executor
                if not self.schedule.improve(executor, self.slots(), seconds):
                    return False
            took = max(run.elapsed - began, 1e-3)
            weights.update(turn, (before - (run.value or 0)) / took)
            had[turn] += took / weights.share(turn)
        return True

    def _recombine(self, seconds: float) -> None:
        """Recombine, and have neighbourhoods begin at what comes of it."""
        run, recombination = self.run, self.recombination
        run.begin("recombination")
        recombination.improve(self.threads, self.slots(), seconds)
        run.check_time()
        self.schedule.begin_at(recombination.best)
        releases = [recombination.best, *recombination.releases]
        self._kernel.useful = self.pool.kernel(self.params.rounds.kernel, releases)

    def _operators(self) -> tuple[DestroyOperators, ...]:
        """Return programs over the patterns of some releases, and over the pool.

        Of the pool the best incidences, or all. With fewer of them programs are solved
        sooner, so that their neighbourhoods grow larger.
        """
        run, pool, steps = self.run, self.pool, self.params.rounds
        k, prices = run.requirement.core.size, pool.worth
        rng = np.random.default_rng(self.means.seed)
        own = pool.kernel(steps.kernel, [self.recombination.best])
        near = pool.least <= threshold(pool.least, steps.near * len(pool.types))
        # All of the pool: a neighbourhood can be the whole of a small table.
        return tuple(
            DestroyOperators(
                *(pool.patterns, pool.types, k, 1, useful, rng, prices),
                part_limit=steps.part_limit,
            )
            for useful in (own, near, np.ones(len(pool.least), bool))
        )
