"""Annealing in rounds, each as long as is asked, in several threads."""

import math
from concurrent.futures import Executor

from starmin.heuristics.annealing.annealer import Annealer
from starmin.heuristics.annealing.annealing_params import (
    ANNEALING_PARAMS,
    AnnealingParams,
)
from starmin.heuristics.annealing.start import seed_moves
from starmin.instances import Partition, Run
from starmin.instances.runs.gate import clock
from starmin.models.pricing.pattern_pool import PatternPool


class AnnealingRounds:
    """Anneals round after round, so that a good release is there at any time.

    The first round begins at a greedy deal, hot, or at ``initial``, a release that such
    a search has found before, where ``pool`` has its patterns. Each further one begins
    at the best release that a round has found, ``best``, less hot, and ends cold. A
    better release of another search is no place to begin: its groups would have to be
    broken up first, for which a further round is not hot enough. What is found does not
    depend on how long the search will go on.

    ``run`` learns the releases; its time ends the rounds. Each thread and each round
    has a seed of its own, from ``seed`` on.
    """

    def __init__(
        self,
        run: Run,
        pool: PatternPool,
        seed: int,
        initial: Partition | None = None,
        params: AnnealingParams = ANNEALING_PARAMS,
    ) -> None:
        self.run, self.pool, self.params = run, pool, params
        self._initial = initial
        self._seed = seed
        self._annealers: list[Annealer] = []
        self._least = math.inf  # cost of the best release that a round has found
        self.best: Partition | None = None

    @property
    def proposals(self) -> int:
        """How many moves were proposed, in the thread that proposed most."""
        return max((each.proposals for each in self._annealers), default=0)

    def anneal(
        self,
        seconds: float,
        threads: Executor,
        count: int = 1,
        proposals: float = math.inf,
    ) -> list[Partition]:
        """Anneal once, offer what each thread has found, and return these releases.

        It takes ``seconds``, if there is so much time, in ``count`` of ``threads`` at a
        time, with ``proposals`` moves of each thread at most.
        """
        end = clock() + min(seconds, self.run.remaining)
        while len(self._annealers) < count:
            self._annealers.append(
                Annealer(self.run, self.pool, self._seed, self._initial, self.params)
            )
        self._seed += count
        futures = [
            threads.submit(self._anneal, n, end, self._seed + n, proposals)
            for n in range(count)
        ]
        found = [future.result() for future in futures]
        for annealer, release in zip(self._annealers, found, strict=False):
            if annealer.cost < self._least:
                self._least, self.best = annealer.cost, release
            self.run.offer(release)
        return found

    def _anneal(self, n: int, end: float, seed: int, proposals: float) -> Partition:
        """Cool one annealer down until the end; return its release."""
        run, annealer = self.run, self._annealers[n]
        hot = self.params.reheat if self._begin(annealer) else 1.0
        seed_moves(seed)
        batches = self.params.batches_at_once
        began, before = clock(), annealer.proposals
        while run.remaining > 0:
            past = (clock() - began) / max(end - began, 1e-9)
            past = max(past, (annealer.proposals - before) / proposals)
            if past >= 1:
                break
            annealer.propose(hot * (1 - past), batches)
        return annealer.release()

    def _begin(self, annealer: Annealer) -> bool:
        """Go to the best release of a round, if better; whether to be less hot."""
        if annealer.annealed and self.best is not None and annealer.cost > self._least:
            annealer.begin_at(self.best)
        return annealer.annealed
