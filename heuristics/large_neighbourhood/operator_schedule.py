"""Schedule operators, each of which solves neighbourhoods of a release.

Recombination and neighbourhoods take turns, each for as long as it gains.
"""

import math
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, Protocol

import numpy as np

from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    SCHEDULE_PARAMS,
    Means,
    ScheduleParams,
)
from starmin.heuristics.large_neighbourhood.recombination import Recombination
from starmin.instances import Run
from starmin.instances.arrays import Bools, Ints
from starmin.instances.runs.cores import resting
from starmin.models.pattern_program.destroy_operators import DestroyOperators
from starmin.models.pattern_program.neighbourhood import OperatorWeights
from starmin.models.pattern_program.pattern_program import partition_of_loads
from starmin.models.patterns.patterns import threshold
from starmin.models.pricing.pool_sources import PatternPool

# Seconds that stand for an infinite time limit.
LONG = 1e6


class Operator(Protocol):
    """Proposes neighbourhoods of a release to solve anew.

    What it proposes says which types it may move, ``free``, and has a method ``solve``
    that returns what was found and the seconds it took.
    """

    # whether a neighbourhood was the whole release, and was solved to optimality
    complete: bool

    def propose(self, loads: Ints, remaining: float, busy: Bools) -> Any:
        """Return a neighbourhood without types marked ``busy``; None if it is empty."""

    def merge(self, loads: Ints, part: Any, found: Any, seconds: float) -> Ints | None:
        """Return the loads of the release with what was found, if it is to be taken."""


class OperatorSchedule:
    """Improves a release neighbourhood by neighbourhood.

    Neighbourhoods of different operators are not solved at the same time: a program
    counts on the rows that stay in its patterns, and dives break patterns up. So one
    operator is used at a time: each of them once, then each for a share of the time by
    its weight, what it gained in a second of late.

    The time of ``run`` ends the search, as do ``stagnation`` neighbourhoods of each
    operator in a row that gained nothing, which ``in_vain`` counts by operator.
    ``loads`` is the release to improve, as copies by incidence of the pool.
    """

    def __init__(
        self,
        run: Run,
        pool: PatternPool,
        loads: Ints,
        stagnation: int,
        params: ScheduleParams = SCHEDULE_PARAMS,
    ) -> None:
        self.run, self.pool, self.loads = run, pool, loads
        self.stagnation, self.params = stagnation, params
        self.operators: list[Operator] = []
        self.in_vain: list[int] = []
        self._cost = pool.patterns.cost[pool.patterns.pattern]
        self._weights = OperatorWeights(0, params.memory, params.least_rate)
        self._had: list[float] = []  # Seconds of each operator, by its weight.

    def add(self, operator: Operator) -> None:
        """Add an operator to the schedule."""
        self.operators.append(operator)
        self.in_vain.append(0)
        self._weights.add(0.0)
        self._had.append(0.0)

    def begin_at(self, loads: Ints) -> None:
        """Go on from another release."""
        self.loads = loads
        self.in_vain = [0] * len(self.operators)

    def improve(
        self, executor: Executor, slots: int, seconds: float = math.inf
    ) -> bool:
        """Search until stagnation, the time or the gap ends it; whether there is more.

        Neighbourhoods are solved in ``executor``, ``slots`` at a time, for ``seconds``
        at most; what is being solved then is waited for.
        """
        end = self.run.elapsed + seconds
        params, count = self.params, len(self.operators)
        weights, had = self._weights, self._had
        while self._goes_on():
            if self.run.elapsed >= end:
                return True
            eager = [n for n in range(count) if self.in_vain[n] < self.stagnation]
            number = min(eager, key=lambda n: had[n])
            began, before = self.run.elapsed, self.loads @ self._cost
            turn = max(params.share * min(self.run.remaining, LONG), params.seconds)
            self._use(number, executor, slots, min(began + turn, end))
            took = max(self.run.elapsed - began, 1e-3)
            gain = float(before - self.loads @ self._cost)
            weights.update(number, gain / took)
            had[number] += took / weights.share(number)
        return False

    def _use(self, number: int, executor: Executor, slots: int, until: float) -> None:
        """Solve neighbourhoods of one operator, ``slots`` at a time."""
        operator = self.operators[number]
        running: dict[Future[Any], Any] = {}
        busy = np.zeros(len(self.pool.types), bool)
        try:
            while self._goes_on():
                while (
                    len(running) < slots
                    and self.run.elapsed < until
                    and self.in_vain[number] < self.stagnation
                ):
                    part = operator.propose(self.loads, self.run.remaining, busy)
                    if part is None:
                        # All types are busy, or there is no neighbourhood at all.
                        self.in_vain[number] += not running
                        break
                    busy |= part.free
                    running[executor.submit(part.solve)] = part
                if not running:
                    return
                left = min(self.run.remaining, LONG)
                with resting():
                    done, _ = wait(running, left, FIRST_COMPLETED)
                for future in done:
                    part = running.pop(future)
                    busy &= ~part.free
                    self.take(operator, part, *future.result())
        finally:
            for future in running:
                future.cancel()

    def _goes_on(self) -> bool:
        """Check whether to search on; raise TimeoutError where no time is left."""
        self.run.check_time()
        vain = min(self.in_vain) >= self.stagnation
        whole = any(operator.complete for operator in self.operators)
        return not (self.run.closed or vain or whole)

    def take(self, operator: Operator, part: Any, found: Any, seconds: float) -> None:
        """Merge what was found for a part into the release, if its operator says so."""
        merged = operator.merge(self.loads, part, found, seconds)
        self.in_vain[self.operators.index(operator)] += 1
        if merged is None:
            return
        gain, self.loads = (self.loads - merged) @ self._cost, merged
        if gain > 0:
            self.in_vain = [0] * len(self.operators)
            patterns = self.pool.patterns
            self.run.offer(partition_of_loads(patterns, merged))


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
        pool, steps, prices = self.pool, self.params.rounds, self.pool.worth
        k, rng = self.run.requirement.core.size, np.random.default_rng(means.seed)
        own = pool.kernel(steps.kernel, [self.recombination.best])
        # Of the pool the best incidences: fewer are solved sooner, so grow larger.
        near = pool.least <= threshold(pool.least, steps.near * len(pool.types))
        # All of the pool: a neighbourhood can be the whole of a small table.
        self._kernel, *others = (
            DestroyOperators(
                *(pool.patterns, k, 1, useful, rng, prices), part_limit=steps.part_limit
            )
            for useful in (own, near, np.ones(len(pool.least), bool))
        )
        self.schedule = OperatorSchedule(
            *(self.run, self.pool, self.recombination.best, means.stagnation),
            self.params.schedule,
        )
        for operator in (self._kernel, *others):
            self.schedule.add(operator)

    def take(self, until: Callable[[], bool] = lambda: False) -> bool:
        """Take turns until neighbourhoods gain nothing more, or ``until`` holds.

        Returns whether there may be more to gain; raises TimeoutError in the end.
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
