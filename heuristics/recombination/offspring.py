"""Offspring of a release: annealed from it, not very hot, in threads."""

import itertools
import queue
from concurrent.futures import Executor, Future
from random import Random

from starmin.heuristics.annealing.annealer import Annealer
from starmin.heuristics.annealing.start import seed_moves
from starmin.heuristics.recombination.recombination_params import RecombinationParams
from starmin.instances import Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.cores import resting
from starmin.models.pricing.pattern_pool import PatternPool

_LONGEST_WAIT = 0.1  # seconds for offspring


class Offspring:
    """Anneals offspring of a release in threads, one after the other.

    Parameters
    ----------
    run
        The problem, with a release; its time ends the annealing.
    pool
        The patterns, those of the release among them, and the prices to go by.
    seed
        Of all choices.
    params
        Constants that steer it.

    Attributes
    ----------
    parent
        What the next offspring begins at, as copies by incidence of the pool.
    heat
        How hot it begins, as a share of the temperature of an annealing from nothing.
    """

    def __init__(
        self, run: Run, pool: PatternPool, seed: int, params: RecombinationParams
    ) -> None:
        self.run, self.pool, self.params = run, pool, params
        self.heat = params.heat
        self._seed, self._numbers = seed, itertools.count()
        self._annealers: list[Annealer] = []
        self._born: queue.SimpleQueue[Ints] = queue.SimpleQueue()
        self._breeding: list[Future[None]] = []
        self._ending = False

    def begin(self, threads: Executor, slots: int, parent: Ints) -> None:
        """Begin to anneal, so much at a time."""
        self.parent, self._ending = parent, False
        for n in range(len(self._annealers), slots):
            annealer = Annealer(self.run, self.pool, self._seed + n, self.run.best)
            self._annealers.append(annealer)
        chosen = self._annealers[:slots]
        self._breeding = [threads.submit(self._breed, each) for each in chosen]

    def end(self) -> None:
        """Wait for what is being annealed, and begin no more."""
        self._ending = True
        for each in self._breeding:
            each.result()

    def born(self, wait: bool = True) -> list[Ints]:
        """Return the offspring since the last call, as copies by incidence.

        Parameters
        ----------
        wait
            For a moment, where there is none.
        """
        found: list[Ints] = []
        while True:
            try:
                if wait and not found:
                    with resting():
                        found.append(self._born.get(timeout=_LONGEST_WAIT))
                else:
                    found.append(self._born.get_nowait())
            except queue.Empty:
                return found

    def _breed(self, annealer: Annealer) -> None:
        """Anneal offspring until the end; the last one in the time that is left."""
        run, params = self.run, self.params
        batches = annealer.params.batches_at_once
        while not self._ending and run.remaining > 0:
            annealer.deal(self.parent)
            # What an offspring is follows from its number, whichever thread has it.
            number = next(self._numbers)
            seed_moves(self._seed + number)
            spread = Random(self._seed + number).uniform(-params.spread, params.spread)
            heat, left, began = self.heat * (1 + spread), run.remaining, run.elapsed
            proposals = params.proposals * params.longer**number
            proposals = min(proposals, params.most_proposals)
            total, done = proposals * len(self.pool.types), 0
            while run.remaining > 0:
                past = max(done / total, (run.elapsed - began) / left)
                if past >= 1:
                    break
                annealer.propose(heat * (1 - past), batches)
                done += batches * annealer.batch
            self._born.put(annealer.loads())
