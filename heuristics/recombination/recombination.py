"""Recombination: a release improved by what is better in its offspring."""

import math
import time
from collections import deque
from concurrent.futures import Executor

import numpy as np

from starmin.heuristics.recombination.crossover import crossover
from starmin.heuristics.recombination.offspring import Offspring
from starmin.heuristics.recombination.recombination_params import (
    RECOMBINATION_PARAMS,
    RecombinationParams,
)
from starmin.instances import Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.stop import stopping
from starmin.models.neighbourhoods.neighbourhood import neighbourhood
from starmin.models.pattern_program.decode import partition_of_loads
from starmin.models.pricing.pattern_pool import PatternPool
from starmin.models.solvers.mip_search import solve_small


class Recombination:
    """Improves a release by what is better in its offspring. No guarantee.

    Offspring is annealed from the best release, not very hot and soon cold again. As a
    whole it is nearly always worse, but in some regions of the table it is better.
    Each of these is taken (``starmin.heuristics.recombination.crossover``). Then the
    program of all that the best release and the last offspring use, for the rows that
    they publish differently, is solved from there by branch and bound: optimal
    recombination. Each row has few patterns in it, so that programs of thousands of row
    types are solved in a second. Where they are solved soon, the next offspring is
    hotter and more of it is merged; where they are not, it is cooler, and there is
    less.

    Parameters
    ----------
    run
        The problem, k-anonymity or l-diversity of one column, with a release; it learns
        better ones.
    pool
        The patterns, those of the release among them, and the prices to go by.
    seed
        Of all choices.
    params
        Constants that steer it.

    Attributes
    ----------
    best
        The best release, as copies by incidence of the pool.
    releases
        The last offspring, likewise.
    in_vain
        Programs in a row that gained nothing.

    References
    ----------
    Cook and Seymour (2003), Tour merging via branch-decomposition. Möbius et al.
    (1997), Optimization by thermal cycling.
    """

    def __init__(
        self,
        run: Run,
        pool: PatternPool,
        seed: int,
        params: RecombinationParams = RECOMBINATION_PARAMS,
    ) -> None:
        self.run, self.pool, self.params = run, pool, params
        self.k, self.l = run.requirement.core.size, run.requirement.core.diversity
        self.releases: deque[Ints] = deque(maxlen=params.most_releases)
        self.in_vain = 0
        self._cost = pool.patterns.cost[pool.patterns.pattern]
        self._offspring = Offspring(run, pool, seed, params)
        self._random = np.random.default_rng(seed)
        self._count, self._pause = float(params.releases), 1
        self.best = self._loads_of_best()

    @property
    def exhausted(self) -> bool:
        """Whether nothing was gained for so long that a search may end."""
        return self.in_vain >= self.params.in_vain

    def improve(self, threads: Executor, slots: int, seconds: float) -> None:
        """Anneal offspring and merge it, for some time or until it is exhausted.

        Parameters
        ----------
        threads, slots
            Where offspring is annealed, and how much at a time.
        seconds
            How long; what is being annealed then is waited for.
        """
        run, end, fresh = self.run, self.run.elapsed + seconds, 0
        self.best, self.in_vain = self._loads_of_best(), 0
        self._offspring.begin(threads, slots, self.best)
        try:
            while run.elapsed < end and self._goes_on():
                fresh += self._take_regions(self._offspring.born())
                if fresh >= max(1, int(self._count) // 2) * self._pause:
                    fresh = 0
                    self._merge()
        finally:
            self._offspring.end()
            self._take_regions(self._offspring.born(wait=False))

    def _goes_on(self) -> bool:
        run = self.run
        return run.remaining > 0 and not (run.closed or self.exhausted or stopping())

    def _take_regions(self, born: list[Ints]) -> int:
        """Take what is better in offspring, by regions; return how much there was."""
        merged = self.best
        for each in born:
            merged = crossover(self.pool.patterns, merged, each, self.k, self.l)
        self.releases.extend(born)
        self._take(merged)
        return len(born)

    def _merge(self) -> None:
        """Solve the program of what the best release and the last offspring use."""
        patterns, params, best = self.pool.patterns, self.params, self.best
        useful, differs = best > 0, np.zeros(len(best), bool)
        for each in list(self.releases)[-int(self._count) :]:
            useful |= each > 0
            differs |= each != best
        free = np.zeros(len(self.pool.types), bool)
        free[patterns.types[differs]] = True
        limit = max(params.least_limit, params.limit_share * self.run.elapsed)
        limit = min(limit, params.limit, self.run.remaining)
        if not free.any() or limit <= 0:
            self.in_vain += 1
            return
        problem = neighbourhood(
            patterns, self.pool.types, self.k, self.l, best, free, useful
        )
        began, seed = time.perf_counter(), int(self._random.integers(2**31))
        found = solve_small(problem.program.program, limit, problem.point(best), seed)
        took = time.perf_counter() - began
        self.in_vain += 1
        if found is not None:
            self._take(problem.loads(best, found))
        self._steer(took, limit)

    def _steer(self, took: float, limit: float) -> None:
        """Have programs that are as large as can be solved."""
        params, offspring = self.params, self._offspring
        heat = offspring.heat
        if took >= limit:
            self._pause = min(2 * self._pause, params.most_pause)
            self._count = max(2.0, self._count * params.fewer)
            heat *= params.cooler
        else:
            self._pause = 1
        if took < params.soon * limit:
            self._count = min(self._count * params.more, params.most_releases)
            heat *= 1 + params.hotter * math.log(params.soon * limit / took)
        offspring.heat = min(max(heat, params.coolest), params.hottest)

    def _take(self, loads: Ints) -> None:
        """Go on from a release that is no worse; tell the run where it is better."""
        gain = (self.best - loads) @ self._cost
        if gain < 0:
            return
        self.best = self._offspring.parent = loads
        if gain > 0:
            self.in_vain = 0
            patterns, types = self.pool.patterns, self.pool.types
            self.run.offer(partition_of_loads(types, patterns, loads))
            self.best = self._offspring.parent = self._loads_of_best()

    def _loads_of_best(self) -> Ints:
        assert self.run.best is not None
        return self.pool.loads(self.run, self.run.best)
