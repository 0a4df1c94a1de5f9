"""Offspring of a release: its parts annealed, not very hot, side by side."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np

from starmin.heuristics.annealing.annealer import Annealer
from starmin.heuristics.annealing.start import seed_moves
from starmin.heuristics.recombination.crossover import crossover
from starmin.heuristics.recombination.parts import Parts
from starmin.heuristics.recombination.recombination_params import RecombinationParams
from starmin.instances import Run
from starmin.instances.arrays import Bools, Ints
from starmin.models.pricing.pattern_pool import PatternPool


@dataclass(frozen=True, eq=False)
class Changes:
    """What is different in an offspring of a part."""

    incidences: Ints  # of the whole
    copies: Ints  # how many more copies each has
    better: Bools  # which of them are in a region that costs no more
    moves: int  # how many were proposed


@dataclass(frozen=True, eq=False)
class Child:
    """An offspring of a release."""

    loads: Ints  # as copies by incidence of the pool
    better: Ints  # its parent with what is better in the offspring, likewise


class Offspring:
    """Anneals offspring of a release, generation by generation.

    The parent is cut into parts, whole groups that are near to one another, anew for
    each offspring. Each part is annealed by itself, with a stream of random numbers of
    its own, and what is better in it is taken, region by region. Parts have no group in
    common, so all that is better in them is better together. What parts there are, and
    how many moves each has, does not depend on who searches them: if the time does not
    end them, a generation is the same for any number of threads.

    ``run`` has a release, and its time ends the annealing. ``pool`` has the patterns,
    those of the release among them, and the prices to go by. ``heat`` is how hot it
    begins, as a share of the temperature of an annealing from nothing, and ``moves``
    counts those that were proposed in all.
    """

    def __init__(
        self, run: Run, pool: PatternPool, seed: int, params: RecombinationParams
    ) -> None:
        self.run, self.pool, self.params = run, pool, params
        self.heat, self.moves = params.heat, 0
        self._k, self._l = run.requirement.core.size, run.requirement.core.diversity
        self._parts = Parts(pool, max(self._k, self._l))
        self._seed, self._born = seed, 0

    def generation(
        self, threads: Executor, slots: int, parent: Ints
    ) -> Iterator[Child]:
        """Anneal the offspring of one generation; yield it when all of it is there.

        It is more than one where a release has few parts. These are annealed in
        ``threads``, ``slots`` at a time. ``parent`` is what it begins at, as copies by
        incidence of the pool.
        """
        # Where the time ends the search, offspring comes as soon as threads allow.
        limited = math.isfinite(self.run.time_limit)
        least = 2 * slots if limited else self.params.tasks
        broods = [self._cut(parent) for _ in range(-(-least // self._parts.count))]
        tasks = [task for brood in broods for task in brood]
        numbers = itertools.count()  # whoever asks next has the next one
        found = list[Changes | None]([None] * len(tasks))

        def work() -> None:
            while (number := next(numbers)) < len(tasks):
                found[number] = tasks[number]()

        calls = [threads.submit(work) for _ in range(min(slots, len(tasks)))]
        for call in calls:
            call.result()
        done = iter(found)
        for brood in broods:
            changes = list(itertools.islice(done, len(brood)))
            self.moves += sum(each.moves for each in changes if each is not None)
            yield _assembled(parent, changes)

    def _cut(self, parent: Ints) -> list[Callable[[], Changes | None]]:
        """Return what anneals each part of one offspring."""
        params, number = self.params, self._born
        self._born += 1
        rng = np.random.default_rng((self._seed, number))
        proposals = min(params.proposals * params.longer**number, params.most_proposals)
        used = self._parts.cut(parent, rng)
        seeds = rng.integers(2**31, size=len(used)).tolist()
        spread = rng.uniform(1 - params.spread, 1 + params.spread, len(used))
        heats = (self.heat * spread).tolist()

        return [
            partial(self._anneal, parent, *given, proposals)
            for given in zip(used, seeds, heats, strict=True)
        ]

    def _anneal(
        self, parent: Ints, used: Ints, seed: int, heat: float, proposals: float
    ) -> Changes | None:
        """Anneal a part; return what is different then, None for an empty one."""
        run, part = self.run, self._parts.part(parent, used)
        if part is None:
            return None
        star = self.pool.patterns.star
        annealer = Annealer(run, part.pool, seed, loads=part.loads, star=star)
        total, left, began = proposals * len(used), run.remaining, run.elapsed
        annealer.batch = max(self.params.batch, int(total / self.params.steps))
        seed_moves(seed)
        while run.remaining > 0:
            past = annealer.proposals / total
            if math.isfinite(left):
                past = max(past, (run.elapsed - began) / max(left, 1e-9))
            if past >= 1:
                break
            annealer.propose(heat * (1 - past))
        loads = annealer.loads()
        patterns = part.pool.patterns
        better = crossover(patterns, part.loads, loads, self._k, self._l)
        changed = np.flatnonzero(loads != part.loads)
        return Changes(
            part.incidences[changed],
            (loads - part.loads)[changed],
            (better == loads)[changed],
            annealer.proposals,
        )


def _assembled(parent: Ints, parts: Sequence[Changes | None]) -> Child:
    """Put the changes of all parts together; parts may share patterns, not groups."""
    whole, better = parent.copy(), parent.copy()
    for each in parts:
        if each is not None:
            whole[each.incidences] += each.copies
            better[each.incidences[each.better]] += each.copies[each.better]
    return Child(whole, better)
