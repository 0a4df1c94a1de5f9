"""Annealing in rounds, each as long as is asked, in several threads."""

import math
import time
from concurrent.futures import Executor

import numpy as np

from heuristics.annealing.annealer import Annealer
from heuristics.annealing.params import ANNEALING_PARAMS, AnnealingParams
from heuristics.annealing.parts import cut
from heuristics.annealing.start import seed_moves
from heuristics.annealing.state import Ints
from instances import Partition, Run
from models.patterns.decode import loads_of
from models.pricing.pattern_pool import PatternPool


class AnnealingRounds:
    """Anneals round after round, so that a good release is there at any time.

    The first round begins at a greedy deal, hot. Each further one begins at the best
    release so far, less hot, and ends cold; several threads then have a part of that
    release each, cut anew for each round. What is found does not depend on how long the
    search will go on.

    Parameters
    ----------
    run
        It learns the releases; its time ends the rounds.
    pool
        The patterns to search and the prices to go by.
    seed
        Of all choices; each thread and each round has its own.
    initial
        A release that such a search has found before, to begin at instead of a greedy
        deal, where the pool has its patterns.
    params
        Constants that steer the annealing.
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
        self._proposed = 0.0  # in parts

    @property
    def proposals(self) -> int:
        """How many moves were proposed, in the thread that proposed most."""
        most = max((each.proposals for each in self._annealers), default=0)
        return most + int(self._proposed)

    def anneal(
        self,
        seconds: float,
        threads: Executor,
        count: int = 1,
        proposals: float = math.inf,
    ) -> list[Partition]:
        """Anneal once, and offer what each thread has found.

        Parameters
        ----------
        seconds
            How long, if there is so much time.
        threads, count
            Where, and how many at a time.
        proposals
            Moves of each thread at most.

        Returns
        -------
        The release of each thread, or the one that its parts make.
        """
        end = time.perf_counter() + min(seconds, self.run.remaining)
        self._seed += count
        if not self._annealers:
            initial = None if self._initial is None else self._loads(self._initial)
            self._annealers = [self._annealer(self.pool, initial)]
        if count > 1 and self._begin(self._annealers[0]):
            found = [self._in_parts(end, threads, count, proposals)]
        else:
            while len(self._annealers) < count:
                self._annealers.append(self._annealer(self.pool, None))
            futures = [
                threads.submit(self._anneal, each, end, self._seed + n, proposals)
                for n, each in enumerate(self._annealers[:count])
            ]
            found = [future.result().release() for future in futures]
        for release in found:
            self.run.offer(release)
        return found

    def _in_parts(
        self, end: float, threads: Executor, count: int, proposals: float
    ) -> Partition:
        """Anneal parts of the release side by side; return what they make."""
        whole = self._annealers[0]
        loads, rng = whole.loads(), np.random.default_rng(self._seed)
        parts = cut(self.pool, loads, count, whole.k, rng)
        futures = []
        for n, part in enumerate(parts):
            own = self._annealer(part.pool, part.loads)
            seed, share = self._seed + n, proposals / len(parts)
            futures.append(threads.submit(self._anneal, own, end, seed, share))
        merged = np.zeros_like(loads)
        for part, future in zip(parts, futures, strict=True):
            own = future.result()
            merged[part.at] += own.loads()
            self._proposed += own.proposals / len(parts)
        whole.begin_at(merged)
        return whole.release()

    def _annealer(self, pool: PatternPool, loads: Ints | None) -> Annealer:
        return Annealer(self.run, pool, self._seed, loads, self.params)

    def _anneal(
        self, annealer: Annealer, end: float, seed: int, proposals: float
    ) -> Annealer:
        """Cool an annealer down until the end."""
        run = self.run
        hot = self.params.reheat if self._begin(annealer) else 1.0
        seed_moves(seed)
        batches = self.params.batches_at_once
        began, before = time.perf_counter(), annealer.proposals
        while run.remaining > 0:
            past = (time.perf_counter() - began) / max(end - began, 1e-9)
            past = max(past, (annealer.proposals - before) / proposals)
            if past >= 1:
                break
            annealer.propose(hot * (1 - past), batches)
        return annealer

    def _begin(self, annealer: Annealer) -> bool:
        """Go to the best release where that is a better one; whether to be less hot.

        A release that was not annealed is no place to begin: its groups have to be
        broken up first, for which a further round is not hot enough.
        """
        best, value = self.run.best, self.run.value
        if annealer.pool is not self.pool or not annealer.annealed:
            return annealer.annealed
        if best is not None and value is not None and annealer.cost > value:
            loads = self._loads(best)
            if loads is not None:
                annealer.begin_at(loads)
        return True

    def _loads(self, release: Partition) -> Ints | None:
        """Return a release as copies by incidence of the pool, if that is possible."""
        run, pool = self.run, self.pool
        return loads_of(run.table, run.objective, pool.types, pool.patterns, release)
