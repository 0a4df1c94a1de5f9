"""Recombination: a release improved by what is better in its offspring."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import seed_moves
from starmin.heuristics.annealing.pattern_annealing import Annealer
from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    RECOMBINATION_PARAMS,
    RecombinationParams,
)
from starmin.heuristics.large_neighbourhood.release_parts import (
    Parts,
    components,
    crossover,
)
from starmin.instances import Run
from starmin.instances.arrays import Bools, Ints
from starmin.instances.runs.search_control import clock, stopping
from starmin.models.pattern_program.neighbourhood import neighbourhood
from starmin.models.pattern_program.pattern_program import partition_of_loads
from starmin.models.pricing.pool_sources import PatternPool
from starmin.models.solvers.mip_search import solve_small


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

    ``run`` has a release, whose patterns ``pool`` has. ``heat`` is how hot it begins,
    as a share of the temperature of an annealing from nothing; ``moves`` counts all.
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

        It is more than one where a release has few parts, annealed ``slots`` at a time.
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


Solved = tuple[Ints | None, float]


class Programs:
    """The programs in which the row types move whose rows releases publish differently.

    ``best`` is the release to begin at, as copies by incidence of the pool, and
    ``useful`` what types that move may use. ``limit`` is seconds for a program.
    """

    def __init__(
        self, pool: PatternPool, best: Ints, useful: Bools, k: int, l: int, limit: float
    ) -> None:
        self.pool, self.best, self.useful = pool, best, useful
        self.k, self.l, self.limit = k, l, limit

    def components(self, free: Bools, least: int) -> list[Bools]:
        """Divide the types that move into sets that do not depend on one another.

        Two types depend on one another where both may join a pattern that is open or
        not by what moves. Under k-anonymity that is not so where k copies stay in it.
        Components are put together until they have ``least`` types.
        """
        patterns = self.pool.patterns
        moves = free[patterns.types]
        held = np.bincount(
            patterns.pattern, np.where(moves, 0, self.best), minlength=len(patterns)
        ).astype(np.int64)
        used = (moves & (self.useful | (self.best > 0))).astype(np.int64)
        enough = self.k if self.l == 1 else 1 << 62
        given = patterns.starts, patterns.types, used, held, enough
        parent: Ints = components(*given, len(free))
        chosen = np.flatnonzero(free)
        roots, number, sizes = np.unique(
            parent[chosen], return_inverse=True, return_counts=True
        )
        order = np.argsort(-sizes, kind="stable")
        program = np.empty(len(roots), np.int64)
        count, filled = 0, 0
        for root in order.tolist():
            program[root] = count
            filled += int(sizes[root])
            if filled >= least:
                count, filled = count + 1, 0
        found = list[Bools]()
        for each in range(count + (filled > 0)):
            mark = np.zeros(len(free), bool)
            mark[chosen[program[number] == each]] = True
            found.append(mark)
        return found

    def solve(self, free: Bools, seed: int) -> Solved:
        """Return the best release found in which these types move, and the seconds."""
        pool, best = self.pool, self.best
        problem = neighbourhood(pool.patterns, self.k, self.l, best, free, self.useful)
        program, point = problem.program.program, problem.point(best)
        began = clock()
        found = solve_small(program, self.limit, point, seed)
        took = clock() - began
        return (None if found is None else problem.loads(best, found)), took


class Recombination:
    """Improves a release by what is better in its offspring. No guarantee.

    Offspring is annealed from the best release, part by part, not very hot and soon
    cold again. As a whole it is nearly always worse, but in some regions of the table
    it is better. Each of these is taken (``release_parts``). Then the program of all
    that the best release and the last offspring use, for the rows that they publish
    differently, is solved from there by branch and bound: optimal recombination. It
    falls apart into components, which are solved side by side, beside the next
    generations. Each row has few patterns in it, so that programs of thousands of row
    types are solved in a second. Where they are solved soon, the next offspring is
    hotter and more of it is merged; where they are not, it is cooler, and there is
    less.

    ``run`` is of k-anonymity or l-diversity of one column and has a release; ``pool``
    has its patterns, and the prices to go by. ``best`` is the best release, as copies
    by incidence, ``releases`` the last offspring, and ``in_vain`` counts programs in a
    row that gained nothing.

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
        """Anneal offspring and merge it until it is exhausted, ``slots`` at a time.

        After ``seconds`` what is begun is waited for.
        """
        run, end, fresh = self.run, self.run.elapsed + seconds, 0
        self.best, self.in_vain = self._loads_of_best(), 0
        solving: list[Future[Solved]] = []
        try:
            while True:
                beside = sum(not each.done() for each in solving)
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
                merged = self._crossed(merged)
            self.releases.append(child.loads)
            self._take(merged)
            born += 1
        return born

    def _programs(self, threads: Executor) -> list[Future[Solved]]:
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
            threads.submit(programs.solve, each, seed)
            for each, seed in zip(cuts, seeds, strict=True)
        ]

    def _solved(self, solving: Future[Solved], waits: bool) -> bool:
        """Take what a program has found; whether it has ended."""
        if not (waits or solving.done()):
            return False
        found, took = solving.result()
        if found is not None:
            self._take(self._crossed(found))
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

    def _crossed(self, other: Ints) -> Ints:
        return crossover(self.pool.patterns, self.best, other, self.k, self.l)

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
        """Tell the run of the best release; go on from it with fewest stars a group."""
        self._told = self.run.elapsed
        if self.run.offer(partition_of_loads(self.pool.patterns, self.best)):
            self.best = self._loads_of_best()

    def _loads_of_best(self) -> Ints:
        return self.pool.loads(self.run, self.run.release)
