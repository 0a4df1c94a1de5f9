"""Recombination: a release improved by what is better in its offspring."""

import math
from collections import deque
from concurrent.futures import Executor

import numpy as np

from starmin.heuristics.recombination.crossover import crossover
from starmin.heuristics.recombination.offspring import Offspring
from starmin.heuristics.recombination.programs import Programs, Solving
from starmin.heuristics.recombination.recombination_params import (
    RECOMBINATION_PARAMS,
    RecombinationParams,
)
from starmin.instances import Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.stop import stopping
from starmin.models.pattern_program.decode import partition_of_loads
from starmin.models.pricing.pattern_pool import PatternPool


class Recombination:
    """Improves a release by what is better in its offspring. No guarantee.

    Offspring is annealed from the best release, part by part, not very hot and soon
    cold again. As a whole it is nearly always worse, but in some regions of the table
    it is better. Each of these is taken
    (``starmin.heuristics.recombination.crossover``). Then the program of all that the
    best release and the last offspring use, for the rows that they publish differently,
    is solved from there by branch and bound: optimal recombination. It falls apart into
    components, which are solved side by side, beside the next generations. Each row has
    few patterns in it, so that programs of thousands of row types are solved in a
    second. Where they are solved soon, the next offspring is hotter and more of it is
    merged; where they are not, it is cooler, and there is less.

    ``run`` is of k-anonymity or l-diversity of one column, has a release, and learns
    better ones. ``pool`` has the patterns, those of the release among them, and the
    prices to go by. ``best`` is the best release, as copies by incidence of the pool,
    ``releases`` the last offspring, likewise, and ``in_vain`` counts programs in a row
    that gained nothing.

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
        self._told = -math.inf
        self.best = self._loads_of_best()

    @property
    def exhausted(self) -> bool:
        """Whether nothing was gained for so long that a search may end."""
        return self.in_vain >= self.params.in_vain

    def improve(self, threads: Executor, slots: int, seconds: float) -> None:
        """Anneal offspring and merge it, for some time or until it is exhausted.

        Offspring is annealed and programs are solved in ``threads``, ``slots`` at a
        time. After ``seconds`` what is begun is waited for.
        """
        run, end, fresh = self.run, self.run.elapsed + seconds, 0
        self.best, self.in_vain = self._loads_of_best(), 0
        solving: list[Solving] = []
        try:
            while True:
                beside = sum(not each.done for each in solving)
                fresh += self._breed(threads, max(1, slots - beside))
                # Where the time is not limited the search is the same for any threads.
                waits = slots == 1 or math.isinf(run.time_limit)
                solving = [each for each in solving if not self._solved(each, waits)]
                if fresh >= max(1, int(self._count) // 2) * self._pause:
                    if not solving:
                        fresh = 0
                        solving = self._programs(threads)
                    elif beside >= slots:
                        self._solved(solving.pop(0), True)
                if not (run.elapsed < end and self._goes_on()):
                    break
        finally:
            for each in solving:
                self._solved(each, True)
            self._tell()

    def _goes_on(self) -> bool:
        run = self.run
        return run.remaining > 0 and not (run.closed or self.exhausted or stopping())

    def _breed(self, threads: Executor, slots: int) -> int:
        """Take what is better in a generation; return how much offspring it had."""
        born = 0
        for child in self._offspring.generation(threads, slots, self.best):
            merged = child.better
            if born:  # the best release is no longer the parent
                merged = crossover(
                    self.pool.patterns, self.best, merged, self.k, self.l
                )
            self.releases.append(child.loads)
            self._take(merged)
            born += 1
        return born

    def _programs(self, threads: Executor) -> list[Solving]:
        """Begin to solve programs of what the best release and offspring use."""
        patterns, params, best = self.pool.patterns, self.params, self.best
        useful, differs = best > 0, np.zeros(len(best), bool)
        for each in list(self.releases)[-int(self._count) :]:
            useful |= each > 0
            differs |= each != best
        free = np.zeros(len(self.pool.types), bool)
        free[patterns.types[differs]] = True
        limit = max(params.least_limit, params.limit_share * self.run.elapsed)
        limit = min(limit, params.limit, self.run.remaining)
        self.in_vain += 1
        if not free.any() or limit <= 0:
            return []
        programs = Programs(self.pool, best, useful, self.k, self.l, limit)
        least = max(params.least_types, int(free.sum()) // params.tasks)
        cuts = programs.components(free, least)
        seeds = self._random.integers(2**31, size=len(cuts)).tolist()
        self._times, self._limit, self._open = list[float](), limit, len(cuts)
        return [
            Solving(threads.submit(programs.solve, each, seed))
            for each, seed in zip(cuts, seeds, strict=True)
        ]

    def _solved(self, solving: Solving, waits: bool) -> bool:
        """Take what a program has found; whether it has ended."""
        if not (waits or solving.done):
            return False
        found, took = solving.answer()
        if found is not None:
            self._take(crossover(self.pool.patterns, self.best, found, self.k, self.l))
        self._times.append(took)
        if len(self._times) == self._open:
            self._steer(self._times, self._limit)
        return True

    def _steer(self, times: list[float], limit: float) -> None:
        """Have programs that are as large as can be solved."""
        params, offspring = self.params, self._offspring
        took = max(max(times), min(sum(times), params.soon * limit))
        heat = offspring.heat
        if took >= limit:
            self._pause = min(2 * self._pause, params.most_pause)
            self._count = max(2.0, self._count * params.fewer)
            heat *= params.cooler
        else:
            self._pause = 1
        if took < params.soon * limit:
            self._count = min(self._count * params.more, params.most_releases)
            heat *= 1 + params.hotter * math.log(params.soon * limit / max(took, 1e-3))
        offspring.heat = min(max(heat, params.coolest), params.hottest)

    def _take(self, loads: Ints) -> None:
        """Go on from a release that is no worse; tell the run, but not all the time."""
        gain = (self.best - loads) @ self._cost
        if gain < 0:
            return
        self.best = loads
        if gain > 0:
            self.in_vain = 0
            if self.run.elapsed >= self._told + self.params.pause:
                self._tell()

    def _tell(self) -> None:
        """Tell the run of the best release; go on from it as the run has it.

        There each group is published with as few stars as its rows allow.
        """
        patterns, types = self.pool.patterns, self.pool.types
        self._told = self.run.elapsed
        if self.run.offer(partition_of_loads(types, patterns, self.best)):
            self.best = self._loads_of_best()

    def _loads_of_best(self) -> Ints:
        assert self.run.best is not None
        return self.pool.loads(self.run, self.run.best)
