"""Parts of a release solved anew, several at a time, by searches that take turns."""

from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, Protocol

import numpy as np

from instances import BoolArray, Run
from models.neighbourhoods.neighbourhood import Ints
from models.patterns.decode import partition_of_loads
from models.pricing.pattern_pool import PatternPool

_TURN_SHARE, _TURN_SECONDS = 0.03, 2.0  # of the time that is left, and at least
_LEAST_RATE = 0.05  # of the best one
_MEMORY = 0.3  # of the rate before, at each turn
_LONG = 1e6  # seconds


class Search(Protocol):
    """Proposes parts of a release to solve anew.

    What it proposes says which types it may move, ``free``, and has a method ``solve``
    that gives what was found and the seconds it took.
    """

    complete: bool  # a part was the whole, and solved

    def propose(self, loads: Ints, remaining: float, busy: BoolArray) -> Any:
        """A part to solve, without the types marked ``busy``; None if it is empty."""

    def merge(self, loads: Ints, part: Any, found: Any, seconds: float) -> Ints | None:
        """The loads with what was found for a part, if they are to be taken."""


class OperatorSchedule:
    """Improves a release part by part.

    Parts of different searches are not solved side by side: a program's part counts
    on the rows that stay in its patterns, and those of groups break patterns up. So
    the searches take turns: one each; then the share of the time that each has goes by
    what it gained in a second of late.

    Parameters
    ----------
    run
        It learns the releases; its time ends the search.
    pool
        The patterns.
    loads
        The release to improve, as copies by incidence of the pool.
    patience
        Stop after this many parts of each search in a row that gained nothing.
    """

    def __init__(self, run: Run, pool: PatternPool, loads: Ints, patience: int) -> None:
        self.run, self.pool, self.loads = run, pool, loads
        self.patience = patience
        self.searches: list[Search] = []
        self.rates: list[float] = []  # of gain
        self.passes: list[float] = []  # seconds had, by the share of them that is due
        self.in_vain: list[int] = []
        self._cost = pool.patterns.cost[pool.patterns.pattern]

    def add(self, search: Search) -> None:
        """Let a search take turns."""
        self.searches.append(search)
        self.rates.append(0.0)
        self.passes.append(0.0)
        self.in_vain.append(0)

    def improve(self, executor: Executor, slots: int) -> None:
        """Search until patience or the time is up, or the gap is closed."""
        while self._goes_on():
            number = self._next()
            began, before = self.run.elapsed, self.loads @ self._cost
            seconds = max(_TURN_SHARE * min(self.run.remaining, _LONG), _TURN_SECONDS)
            self._turn(number, executor, slots, began + seconds)
            seconds = max(self.run.elapsed - began, 1e-3)
            rate = float(before - self.loads @ self._cost) / seconds
            self.rates[number] += (1 - _MEMORY) * (rate - self.rates[number])
            best = max(self.rates)
            due = max(self.rates[number] / best, _LEAST_RATE) if best > 0 else 1.0
            self.passes[number] += seconds / due

    def _next(self) -> int:
        """Of the searches with patience left the one that had least of its share."""
        some = [n for n, vain in enumerate(self.in_vain) if vain < self.patience]
        return min(some, key=lambda number: self.passes[number])

    def _turn(self, number: int, executor: Executor, slots: int, until: float) -> None:
        """Solve parts of one search, ``slots`` at a time, till its patience is up."""
        search = self.searches[number]
        running: dict[Future[Any], Any] = {}
        busy = np.zeros(len(self.pool.types), bool)
        try:
            while self._goes_on():
                while (
                    len(running) < slots
                    and self.run.elapsed < until
                    and self.in_vain[number] < self.patience
                ):
                    part = search.propose(self.loads, self.run.remaining, busy)
                    if part is None:
                        self.in_vain[number] += not running  # all are busy, or none
                        break
                    busy |= part.free
                    running[executor.submit(part.solve)] = part
                if not running:
                    return
                left = min(self.run.remaining, _LONG)
                done, _ = wait(running, left, FIRST_COMPLETED)
                for future in done:
                    part = running.pop(future)
                    busy &= ~part.free
                    self.take(search, part, *future.result())
        finally:
            for future in running:
                future.cancel()

    def _goes_on(self) -> bool:
        self.run.check_time()
        vain = min(self.in_vain) >= self.patience
        whole = any(search.complete for search in self.searches)
        return not (self.run.closed or vain or whole)

    def take(self, search: Search, part: Any, found: Any, seconds: float) -> None:
        """Merge a solved part into the release, if its search says so."""
        merged = search.merge(self.loads, part, found, seconds)
        self.in_vain[self.searches.index(search)] += 1
        if merged is None:
            return
        gain, self.loads = (self.loads - merged) @ self._cost, merged
        if gain > 0:
            self.in_vain = [0] * len(self.searches)
            patterns = self.pool.patterns
            self.run.offer(partition_of_loads(self.pool.types, patterns, merged))
